package enginetest

import (
	"errors"
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

func (r *runner) checkPosition(s snapshot, retired map[engine.Seat]bool, byHash map[uint64]string) {
	r.positions++
	r.checked++
	Require(s.over == (s.seat == engine.Nobody), "seat %d is to act, and the game being over is %t", s.seat, s.over)
	Require(s.over == (len(s.legal) == 0), "there are %d legal actions, and the game being over is %t", len(s.legal), s.over)
	Require(s.over || s.seat >= 1 && int(s.seat) <= r.seats, "there is no seat %d", s.seat)
	Require(!retired[s.seat], "seat %d is to act, but has retired", s.seat)
	// Equal positions have equal legal actions, unless the history, which the
	// hash leaves out, has ended the game.
	if !s.over {
		legal := strings.Join(engine.Tokens(s.legal), " ")
		before, ok := byHash[s.hash]
		Require(!ok || before == legal, "two positions with hash %x have different legal actions: %q and %q", s.hash, before, legal)
		byHash[s.hash] = legal
	}
	r.checkLegal(s)
	if !r.thorough() {
		return
	}
	s.checkUnchanged("read twice")
	r.checkDescription(s)
	checkSurvey(s)
	checkSteps(s)
	r.checkParse(s)
	r.checkIllegal(s)
	s.checkUnchanged("after refusals")
}

// checkDescription checks the status, the summary, the description and what the
// legal actions say.
func (r *runner) checkDescription(s snapshot) {
	for _, line := range append([]engine.Phrase{s.status, s.summary}, s.describe...) {
		r.checkLine(line)
	}
	Require(s.status.String() != "" && s.summary.String() != "" && len(s.describe) > 0, "the status, the summary or the description is empty")
	n := utf8.RuneCountInString(s.summary.String())
	Require(n <= maxSummary, "the summary has %d characters, more than %d", n, maxSummary)
	for _, a := range s.legal {
		if d, ok := a.(engine.Describer); ok {
			words := d.Describe(s.position)
			r.checkLine(words)
			Require(!strings.HasSuffix(words.String(), "."), "the description of %s ends with a full stop: %q", a, words)
		}
	}
}

// checkLegal checks the list of legal actions and collects it in r.seen.
func (r *runner) checkLegal(s snapshot) {
	direct := r.game.Direct()
	known := map[string]bool{}
	for _, a := range s.legal {
		Require(reflect.TypeOf(a).Comparable(), "the action %s is not comparable", a)
		token := a.String()
		Require(token != "" && !strings.ContainsFunc(token, unicode.IsSpace), "%q is not a token", token)
		Require(!known[token], "the legal action %s is listed twice", token)
		known[token] = true
		Require(direct == nil || slices.Contains(direct, a), "the legal action %s is not in Direct", token)
		if _, ok := r.seen[token]; !ok {
			r.seen[token] = a
			r.order = append(r.order, token)
		}
	}
	clear(s.position.Legal())
	Require(!slices.Contains(s.position.Legal(), nil), "changing the slice of legal actions changes the position")
}

// checkSurvey checks the distances between legal actions of a Surveyor.
func checkSurvey(s snapshot) {
	p, ok := s.position.(engine.Surveyor)
	if !ok || len(s.legal) == 0 {
		return
	}
	a := s.legal[len(s.legal)/2]
	for _, b := range s.legal {
		p.Notable(b)
		d := p.Distance(a, b)
		Require(d == p.Distance(b, a) && d >= 0 && (a != b || d == 0), "%s and %s are %d apart", a, b, d)
	}
}

// checkSteps checks that steps tell legal actions apart.
func checkSteps(s snapshot) {
	const separator = "\x00"
	bySteps := map[string]engine.Action{}
	for _, a := range s.legal {
		steps := a.Steps()
		Require(len(steps) > 0 && !slices.Contains(steps, ""), "%s has no steps, or an empty one: %q", a, steps)
		key := strings.Join(steps, separator)
		other, dup := bySteps[key]
		Require(!dup, "%v and %s have the same steps %q", other, a, steps)
		bySteps[key] = a
	}
	for _, a := range s.legal {
		steps := a.Steps()
		for n := 1; n < len(steps); n++ {
			other, ok := bySteps[strings.Join(steps[:n], separator)]
			Require(!ok, "the steps of %v are the beginning of those of %s", other, a)
		}
	}
}

// malformed are texts that are not an action of any game.
var malformed = []string{
	"", " ", "\n", "?", "=", "\x00", "\xff\xfe", "{{.}}", "<@1>", "no such action",
	strings.Repeat("a", 5000), strings.Repeat("1", 5000), "-99999999999999999999999999",
}

// checkParse checks that each token parses back to its action, in upper and
// lower case and with white space around it, and that nonsense is refused.
func (r *runner) checkParse(s snapshot) {
	for _, a := range s.legal {
		token := a.String()
		for _, text := range []string{token, strings.ToLower(token), strings.ToUpper(token), " \t" + token + "\n "} {
			got, err := s.position.Parse(text)
			Require(err == nil, "%q, a form of %s, does not parse: %v", text, token, err)
			Require(got == a, "%q parses as %v, not as %s", text, got, token)
		}
	}
	for _, text := range malformed {
		a, err := s.position.Parse(text)
		var refused *engine.NotationError
		Require(errors.As(err, &refused), "%.40q parses as %v with error %v, not an *engine.NotationError", text, a, err)
		Require(refused.Token == text, "the error on %.40q has the token %.40q", text, refused.Token)
		r.checkPhrase(refused.Why)
		Require(refused.Why.ID != "" && err.Error() != "", "the error on %.40q has no text or no key", text)
	}
}

// checkIllegal applies actions that were legal in other positions, and one of
// no game.
func (r *runner) checkIllegal(s snapshot) {
	r.checkRefused(s, Foreign{})
	tried := 0
	for _, i := range r.random.Perm(len(r.order)) {
		a := r.seen[r.order[i]]
		if slices.Contains(s.legal, a) {
			continue
		}
		r.checkRefused(s, a)
		r.refused++
		if tried++; tried == maxIllegal {
			break
		}
	}
}

func (r *runner) checkRefused(s snapshot, a engine.Action) {
	_, err := s.position.Apply(a)
	var illegal *engine.IllegalError
	Require(errors.As(err, &illegal), "the illegal action %s gives the error %v, not an *engine.IllegalError", a, err)
	Require(illegal.Action == a, "the refusal of %s has the action %v", a, illegal.Action)
	r.checkSentence(illegal.Why)
}
