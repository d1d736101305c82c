package enginetest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/engine"
)

// Sample returns how many random games a test plays: few by default and under
// the race detector, many if FullVariable is set.
func Sample(few, many int) int {
	if os.Getenv(FullVariable) == "" || RaceEnabled {
		return few
	}
	return many
}

// Conformance runs the conformance suite: one game with each of these sets of
// options or, if FullVariable is set, five games with each set that the
// schema suggests.
func Conformance(t T, g engine.Game, options ...string) {
	t.Helper()
	s := Suite{Games: Sample(1, 5), Options: options}
	if s.Games > 1 {
		s.Options = nil
	}
	s.Run(t, g)
}

// failure is a promise that does not hold.
type failure struct{ error }

// Require panics unless a promise holds, and Catch returns what it says. So the
// checks of a suite need no results.
func Require(holds bool, format string, args ...any) {
	if !holds {
		panic(failure{fmt.Errorf(format, args...)})
	}
}

// Catch runs checks and returns the failure of Require, or any other panic, as
// an error.
func Catch(checks func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case failure:
			err = v.error
		default:
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	checks()
	return nil
}

// Differences collects the respects in which two values differ.
type Differences []string

// Equal adds a line unless got equals want.
func (d *Differences) Equal(what string, got, want any) {
	if got != want {
		*d = append(*d, fmt.Sprintf("%s is %v, not %v", what, got, want))
	}
}

// Start returns the starting position of a game with options such as "size=5".
func Start[P engine.Position](t T, g engine.Game, options string, seats int) P {
	t.Helper()
	p, err := engine.Start(g, options, seats)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p.(P)
}

func Apply[P engine.Position](t T, p P, actions ...engine.Action) P {
	t.Helper()
	for _, a := range actions {
		q, err := p.Apply(a)
		if err != nil {
			t.Fatalf("%v: %v", a, err)
		}
		p = q.(P)
	}
	return p
}

// Try plays one token, which need not be legal.
func Try[P engine.Position](p P, token string) (next P, err error) {
	a, err := p.Parse(token)
	if err != nil {
		return next, err
	}
	q, err := p.Apply(a)
	if err != nil {
		return next, err
	}
	return q.(P), nil
}

// Play plays tokens that must be legal, separated by white space.
func Play[P engine.Position](t T, p P, tokens string) P {
	t.Helper()
	for token := range strings.FieldsSeq(tokens) {
		next, err := Try(p, token)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", token, err, p.Summary())
		}
		p = next
	}
	return p
}

// LegalTokens returns the tokens of the legal actions in their order.
func LegalTokens(p engine.Position) []string { return engine.Tokens(p.Legal()) }

// Refused checks that err is an *engine.IllegalError for the reason id.
func Refused(t T, err error, id string) {
	t.Helper()
	var illegal *engine.IllegalError
	if !errors.As(err, &illegal) {
		t.Errorf("error %v is not an *engine.IllegalError", err)
	} else if illegal.Why.ID != id {
		t.Errorf("refused by %s (%v), want %s", illegal.Why.ID, err, id)
	}
}

// ReplaceOnce replaces from by to in a text in which from occurs once.
func ReplaceOnce(t T, text, from, to string) string {
	t.Helper()
	if strings.Count(text, from) != 1 {
		t.Fatalf("%q does not occur exactly once in %s", from, text)
	}
	return strings.Replace(text, from, to, 1)
}

// Foreign is an action of no game.
type Foreign struct{}

func (Foreign) String() string  { return "b2=b4" }
func (Foreign) Steps() []string { return []string{"b2", "b4"} }

// BadNotation checks that Parse rejects each token with an
// *engine.NotationError that mentions all the given texts.
func BadNotation(t T, p engine.Position, mentions []string, tokens ...string) {
	t.Helper()
	for _, token := range tokens {
		got, err := p.Parse(token)
		var bad *engine.NotationError
		if !errors.As(err, &bad) || got != nil {
			t.Errorf("%q is read as %v, error %v", token, got, err)
			continue
		}
		for _, part := range mentions {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v does not mention %q", token, err, part)
			}
		}
	}
}

// Descriptions checks the descriptions of actions in a position, by token, and
// that there are none without a position.
func Descriptions(t T, p engine.Position, want map[string]string) {
	t.Helper()
	for token, text := range want {
		a, err := p.Parse(token)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if got := a.(engine.Describer).Describe(p).String(); got != text {
			t.Errorf("%s: %q, want %q", token, got, text)
		}
		if got := a.(engine.Describer).Describe(nil); !got.IsZero() {
			t.Errorf("%s in no position: %q", token, got)
		}
	}
}

// FuzzParse fuzzes Parse in a position: every text is an action whose token
// parses back and that Apply accepts exactly when it is legal, or an error that
// shows the text.
func FuzzParse(f *testing.F, p engine.Position, seeds ...string) {
	for _, s := range append(seeds, "", "\xff\xfe", "{{.Token}}", "end\x00") {
		f.Add(s)
	}
	legal := p.Legal()
	f.Fuzz(func(t *testing.T, text string) {
		a, err := p.Parse(text)
		if err != nil {
			var bad *engine.NotationError
			if !errors.As(err, &bad) || bad.Token != text || a != nil {
				t.Fatalf("%q: %v, %#v", text, a, err)
			}
			if utf8.ValidString(text) && !strings.Contains(err.Error(), text) {
				t.Fatalf("%q: the error does not show it: %v", text, err)
			}
			return
		}
		again, err := p.Parse(a.String())
		if err != nil || again != a {
			t.Fatalf("%q is %v, which is read as %v, %v", text, a, again, err)
		}
		next, err := p.Apply(a)
		if (err == nil) != slices.Contains(legal, a) || (err == nil) != (next != nil) {
			t.Fatalf("%v: applied %v, error %v", a, next, err)
		}
		var illegal *engine.IllegalError
		if err != nil && (!errors.As(err, &illegal) || illegal.Action != a || illegal.Error() == "") {
			t.Fatalf("%v: %v", a, err)
		}
	})
}

// BoardLine returns a board in one line: the squares of each rank from the top,
// joined by slashes. The text has a line for each rank, which begins with its
// number, and a last line with the files.
func BoardLine(text string) string {
	var ranks []string
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "a" {
			ranks = append(ranks, strings.Join(f[1:], ""))
		}
	}
	return strings.Join(ranks, "/")
}

// BoardCells splits a line made by BoardLine into ranks and squares. A square
// is a letter or a dot and the digits and signs behind it.
func BoardCells(line string) (ranks [][]string) {
	for rank := range strings.SplitSeq(line, "/") {
		var cells []string
		for _, c := range rank {
			if c == '.' || 'a' <= c|0x20 && c|0x20 <= 'z' {
				cells = append(cells, string(c))
			} else if n := len(cells); n > 0 {
				cells[n-1] += string(c)
			}
		}
		ranks = append(ranks, cells)
	}
	return ranks
}

// HashSet checks that positions with different texts have different hashes.
type HashSet map[uint64]string

func (s HashSet) Add(t T, p engine.Position, text string) {
	t.Helper()
	if before, ok := s[p.Hash()]; ok && before != text {
		t.Fatalf("two positions with one hash:\n%s\n%s", before, text)
	}
	s[p.Hash()] = text
}
