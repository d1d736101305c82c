package enginetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"castellan/engine"
)

const (
	thoroughEvery = 10   // see runner.firstThorough
	maxSummary    = 1000 // characters of a summary
	maxIllegal    = 25   // illegal actions that are tried in a position
)

// thorough reports whether the present position gets all checks.
func (r *runner) thorough() bool { return r.checked <= r.firstThorough || r.checked%thoroughEvery == 0 }

// checkPosition checks one position of a game.
func (r *runner) checkPosition(s snapshot, retired map[engine.Seat]bool, byHash map[uint64]string) error {
	r.positions++
	r.checked++
	if err := r.checkSeat(s, retired); err != nil {
		return err
	}
	// Equal positions have equal legal actions, unless the history, which the
	// hash leaves out, has ended the game.
	if !s.over {
		legal := strings.Join(engine.Tokens(s.legal), " ")
		if before, ok := byHash[s.hash]; ok && before != legal {
			return fmt.Errorf("two positions with hash %x have different legal actions: %q and %q", s.hash, before, legal)
		}
		byHash[s.hash] = legal
	}
	if !r.thorough() {
		return r.checkLegal(s)
	}
	if err := s.checkUnchanged(); err != nil {
		return fmt.Errorf("read twice: %w", err)
	}
	for _, check := range []func(snapshot) error{
		r.checkLegal, r.checkDescription, r.checkActionTexts, r.checkSteps, r.checkParse, r.checkNotation, r.checkIllegal,
	} {
		if err := check(s); err != nil {
			return err
		}
	}
	if err := s.checkUnchanged(); err != nil {
		return fmt.Errorf("after refusals: %w", err)
	}
	return nil
}

// checkSeat checks the seat to act.
func (r *runner) checkSeat(s snapshot, retired map[engine.Seat]bool) error {
	switch {
	case s.over != (s.seat == engine.Nobody):
		return fmt.Errorf("seat %d is to act, and the game being over is %t", s.seat, s.over)
	case s.over != (len(s.legal) == 0):
		return fmt.Errorf("there are %d legal actions, and the game being over is %t", len(s.legal), s.over)
	case !s.over && (s.seat < 1 || int(s.seat) > r.seats):
		return fmt.Errorf("there is no seat %d", s.seat)
	case retired[s.seat]:
		return fmt.Errorf("seat %d is to act, but has retired", s.seat)
	}
	return nil
}

// checkDescription checks the status, the summary and the description.
func (r *runner) checkDescription(s snapshot) error {
	for i, line := range append([]engine.Phrase{s.status, s.summary}, s.describe...) {
		if err := r.checkLine(line); err != nil {
			return fmt.Errorf("line %d of status, summary and description: %w", i+1, err)
		}
	}
	if s.status.String() == "" || s.summary.String() == "" || len(s.describe) == 0 {
		return errors.New("the status, the summary or the description is empty")
	}
	if n := utf8.RuneCountInString(s.summary.String()); n > maxSummary {
		return fmt.Errorf("the summary has %d characters, more than %d", n, maxSummary)
	}
	return nil
}

// checkLegal checks the list of legal actions and collects it in r.seen.
func (r *runner) checkLegal(s snapshot) error {
	direct := r.game.Direct()
	known := map[string]bool{}
	for _, a := range s.legal {
		if !reflect.TypeOf(a).Comparable() {
			return fmt.Errorf("the action %s is not comparable", a)
		}
		token := a.String()
		if token == "" || strings.ContainsFunc(token, unicode.IsSpace) {
			return fmt.Errorf("%q is not a token", token)
		}
		if known[token] {
			return fmt.Errorf("the legal action %s is listed twice", token)
		}
		known[token] = true
		if direct != nil && !slices.Contains(direct, a) {
			return fmt.Errorf("the legal action %s is not in Direct", token)
		}
		if _, ok := r.seen[token]; !ok {
			r.seen[token] = a
			r.order = append(r.order, token)
		}
	}
	clear(s.position.Legal())
	if slices.Contains(s.position.Legal(), nil) {
		return errors.New("changing the slice of legal actions changes the position")
	}
	return nil
}

// checkActionTexts checks the descriptions of the legal actions.
func (r *runner) checkActionTexts(s snapshot) error {
	for _, a := range s.legal {
		d, ok := a.(engine.Describer)
		if !ok {
			continue
		}
		words := d.Describe(s.position)
		if err := r.checkLine(words); err != nil {
			return fmt.Errorf("the description of %s: %w", a, err)
		}
		if strings.HasSuffix(words.String(), ".") {
			return fmt.Errorf("the description of %s ends with a full stop: %q", a, words)
		}
	}
	return nil
}

// checkSteps checks that steps tell legal actions apart.
func (r *runner) checkSteps(s snapshot) error {
	const separator = "\x00"
	bySteps := map[string]engine.Action{}
	for _, a := range s.legal {
		steps := a.Steps()
		if len(steps) == 0 || slices.Contains(steps, "") {
			return fmt.Errorf("%s has no steps, or an empty one: %q", a, steps)
		}
		key := strings.Join(steps, separator)
		if other, dup := bySteps[key]; dup {
			return fmt.Errorf("%s and %s have the same steps %q", other, a, steps)
		}
		bySteps[key] = a
	}
	for _, a := range s.legal {
		steps := a.Steps()
		for n := 1; n < len(steps); n++ {
			if other, ok := bySteps[strings.Join(steps[:n], separator)]; ok {
				return fmt.Errorf("the steps of %s are the beginning of those of %s", other, a)
			}
		}
	}
	return nil
}

// checkParse checks that each token parses back to its action, in upper and
// lower case and with white space around it.
func (r *runner) checkParse(s snapshot) error {
	for _, a := range s.legal {
		token := a.String()
		for _, text := range []string{token, strings.ToLower(token), strings.ToUpper(token), " \t" + token + "\n "} {
			got, err := s.position.Parse(text)
			if err != nil {
				return fmt.Errorf("%q, a form of %s, does not parse: %w", text, token, err)
			}
			if got != a {
				return fmt.Errorf("%q parses as %s, not as %s", text, got, token)
			}
		}
	}
	return nil
}

// malformed are texts that are not an action of any game.
var malformed = []string{
	"", " ", "\n", "?", "=", "\x00", "\xff\xfe", "{{.}}", "<@1>", "no such action",
	strings.Repeat("a", 5000), strings.Repeat("1", 5000), "-99999999999999999999999999",
}

// checkNotation checks the errors of Parse.
func (r *runner) checkNotation(s snapshot) error {
	for _, text := range malformed {
		a, err := s.position.Parse(text)
		var refused *engine.NotationError
		if !errors.As(err, &refused) {
			return fmt.Errorf("%.40q parses as %v with error %v, not an *engine.NotationError", text, a, err)
		}
		if refused.Token != text {
			return fmt.Errorf("the error on %.40q has the token %.40q", text, refused.Token)
		}
		if err := r.checkPhrase(refused.Why); err != nil {
			return fmt.Errorf("the error on %.40q: %w", text, err)
		}
		if refused.Why.ID == "" || err.Error() == "" {
			return fmt.Errorf("the error on %.40q has no text or no key", text)
		}
	}
	return nil
}

// checkIllegal applies actions that were legal in other positions, and one of
// no game.
func (r *runner) checkIllegal(s snapshot) error {
	if err := r.checkRefused(s, Foreign{}); err != nil {
		return err
	}
	tried := 0
	for _, i := range r.random.Perm(len(r.order)) {
		a := r.seen[r.order[i]]
		if slices.Contains(s.legal, a) {
			continue
		}
		if err := r.checkRefused(s, a); err != nil {
			return err
		}
		r.refused++
		if tried++; tried == maxIllegal {
			break
		}
	}
	return nil
}

// checkRefused checks that Apply refuses an action, and its error.
func (r *runner) checkRefused(s snapshot, a engine.Action) error {
	_, err := s.position.Apply(a)
	var illegal *engine.IllegalError
	if !errors.As(err, &illegal) {
		return fmt.Errorf("the illegal action %s gives the error %v, not an *engine.IllegalError", a, err)
	}
	if illegal.Action != a {
		return fmt.Errorf("the refusal of %s has the action %v", a, illegal.Action)
	}
	if err := r.checkSentence(illegal.Why); err != nil {
		return fmt.Errorf("the refusal of %s: %w", a, err)
	}
	return nil
}
