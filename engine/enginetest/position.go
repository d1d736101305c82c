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

// After so many positions of a run only each tenth is asked about every single
// action: a large board would take minutes otherwise.
const (
	allChecks = 3000
	thinned   = 10
)

// maxSummary is the longest summary in characters.
const maxSummary = 1000

// checkPosition looks at one position of a game.
func (r *runner) checkPosition(s snapshot, gone map[engine.Seat]bool, byHash map[uint64]string) error {
	r.positions++
	if err := s.unchanged(); err != nil {
		return fmt.Errorf("looked at twice: %w", err)
	}
	if err := r.checkWho(s, gone); err != nil {
		return err
	}
	// Positions of one hash are equal, so they have the same legal actions,
	// unless the history, which the hash leaves out, has ended the game.
	if !s.over {
		legal := tokens(s.legal)
		if before, ok := byHash[s.hash]; ok && before != legal {
			return fmt.Errorf("two positions of hash %x have different legal actions: %q and %q", s.hash, before, legal)
		}
		byHash[s.hash] = legal
	}
	if r.positions > allChecks && r.positions%thinned != 0 {
		return r.checkLegal(s)
	}
	for _, check := range []func(snapshot) error{r.checkWords, r.checkLegal, r.checkSteps, r.checkParse, r.checkMalformed, r.checkIllegal} {
		if err := check(s); err != nil {
			return err
		}
	}
	if err := s.unchanged(); err != nil {
		return fmt.Errorf("after refusals: %w", err)
	}
	return nil
}

func (r *runner) checkWho(s snapshot, gone map[engine.Seat]bool) error {
	switch {
	case s.over != (s.seat == engine.Nobody):
		return fmt.Errorf("seat %d is to act, and the game being over is %t", s.seat, s.over)
	case s.over != (len(s.legal) == 0):
		return fmt.Errorf("there are %d legal actions, and the game being over is %t", len(s.legal), s.over)
	case !s.over && (s.seat < 1 || int(s.seat) > r.seats):
		return fmt.Errorf("there is no seat %d", s.seat)
	case gone[s.seat]:
		return fmt.Errorf("seat %d is to act, but has retired", s.seat)
	}
	return nil
}

// checkWords looks at the status, the summary and the description.
func (r *runner) checkWords(s snapshot) error {
	if err := r.checkLine(s.status); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	if err := r.checkLine(s.summary); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	if s.status.String() == "" || s.summary.String() == "" || len(s.describe) == 0 {
		return errors.New("the status, the summary or the description is empty")
	}
	if n := utf8.RuneCountInString(s.summary.String()); n > maxSummary {
		return fmt.Errorf("the summary has %d characters, more than %d", n, maxSummary)
	}
	for i, line := range s.describe {
		if err := r.checkLine(line); err != nil {
			return fmt.Errorf("line %d of the description: %w", i+1, err)
		}
	}
	return nil
}

// checkLegal looks at the list of legal actions as a list.
func (r *runner) checkLegal(s snapshot) error {
	direct := r.game.Direct()
	known := map[string]bool{}
	for _, a := range s.legal {
		if !reflect.TypeOf(a).Comparable() {
			return fmt.Errorf("the action %s cannot be compared", a)
		}
		token := a.String()
		if token == "" || strings.ContainsFunc(token, unicode.IsSpace) {
			return fmt.Errorf("%q is no token", token)
		}
		if known[token] {
			return fmt.Errorf("the legal action %s is there twice", token)
		}
		known[token] = true
		if direct != nil && !slices.Contains(direct, a) {
			return fmt.Errorf("the legal action %s is not in Direct", token)
		}
		if m, ok := a.(engine.Describer); ok {
			remark := m.Describe(s.position)
			if err := r.checkLine(remark); err != nil {
				return fmt.Errorf("remark on %s: %w", token, err)
			}
			if strings.HasSuffix(remark.String(), ".") {
				return fmt.Errorf("the remark on %s ends with a full stop: %q", token, remark)
			}
		}
		if _, ok := r.seen[token]; !ok {
			r.seen[token] = a
			r.order = append(r.order, token)
		}
	}
	// The caller may change the slice.
	mine := s.position.Legal()
	clear(mine)
	if got := s.position.Legal(); slices.Contains(got, nil) {
		return errors.New("a change of the slice of legal actions reaches into the position")
	}
	return nil
}

// checkSteps looks whether the steps of the legal actions tell them apart.
func (r *runner) checkSteps(s snapshot) error {
	const joint = "\x00"
	owner := map[string]engine.Action{}
	for _, a := range s.legal {
		steps := a.Steps()
		if len(steps) == 0 || slices.Contains(steps, "") {
			return fmt.Errorf("%s has no steps, or an empty one: %q", a, steps)
		}
		whole := strings.Join(steps, joint)
		if other, dup := owner[whole]; dup {
			return fmt.Errorf("%s and %s have the same steps %q", other, a, steps)
		}
		owner[whole] = a
	}
	for _, a := range s.legal {
		steps := a.Steps()
		for n := 1; n < len(steps); n++ {
			if other, ok := owner[strings.Join(steps[:n], joint)]; ok {
				return fmt.Errorf("the steps of %s are the beginning of those of %s", other, a)
			}
		}
	}
	return nil
}

// checkParse looks whether every token leads back to its action, in any case
// and between white space.
func (r *runner) checkParse(s snapshot) error {
	for _, a := range s.legal {
		token := a.String()
		for _, written := range []string{token, strings.ToLower(token), strings.ToUpper(token), " \t" + token + "\n "} {
			got, err := s.position.Parse(written)
			if err != nil {
				return fmt.Errorf("%q, as %s can be written, is not read: %w", written, token, err)
			}
			if got != a {
				return fmt.Errorf("%q is read as %s, not as %s", written, got, token)
			}
		}
	}
	return nil
}

// malformed is texts that are no action of any game.
var malformed = []string{
	"", " ", "\n", "?", "=", "\x00", "\xff\xfe", "{{.}}", "<@1>", "no such action",
	strings.Repeat("a", 5000), strings.Repeat("1", 5000), "-99999999999999999999999999",
}

func (r *runner) checkMalformed(s snapshot) error {
	for _, text := range malformed {
		a, err := s.position.Parse(text)
		var bad *engine.NotationError
		if !errors.As(err, &bad) {
			return fmt.Errorf("%.40q is read as %v, error %v, not refused with an *engine.NotationError", text, a, err)
		}
		if bad.Token != text {
			return fmt.Errorf("the error on %.40q speaks of %.40q", text, bad.Token)
		}
		if err := r.checkPhrase(bad.Why); err != nil {
			return fmt.Errorf("the error on %.40q: %w", text, err)
		}
		if bad.Why.ID == "" || err.Error() == "" {
			return fmt.Errorf("the error on %.40q says nothing of the catalogue", text)
		}
	}
	return nil
}

// foreign is an action of no game.
type foreign struct{}

func (foreign) String() string  { return "foreign" }
func (foreign) Steps() []string { return []string{"foreign"} }

// maxIllegal is how many illegal actions are tried in a position.
const maxIllegal = 25

// checkIllegal tries actions that were legal elsewhere, and one of no game.
func (r *runner) checkIllegal(s snapshot) error {
	if err := r.checkIsRefused(s, foreign{}); err != nil {
		return err
	}
	tried := 0
	for _, i := range r.random.Perm(len(r.order)) {
		a := r.seen[r.order[i]]
		if slices.Contains(s.legal, a) {
			continue
		}
		if err := r.checkIsRefused(s, a); err != nil {
			return err
		}
		r.refused++
		if tried++; tried == maxIllegal {
			break
		}
	}
	return nil
}

func (r *runner) checkIsRefused(s snapshot, a engine.Action) error {
	next, err := s.position.Apply(a)
	var illegal *engine.IllegalError
	if !errors.As(err, &illegal) {
		return fmt.Errorf("%s, which is not legal, gives position %t and error %v, not an *engine.IllegalError", a, next != nil, err)
	}
	if illegal.Action != a {
		return fmt.Errorf("the refusal of %s speaks of %v", a, illegal.Action)
	}
	if err := r.checkSentence(illegal.Why); err != nil {
		return fmt.Errorf("the refusal of %s: %w", a, err)
	}
	return nil
}
