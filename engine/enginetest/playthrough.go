package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"castellan/engine"
)

// Playthrough is a golden file with one random game in full words, for people
// to read when the rules or the texts change.
type Playthrough struct {
	File    string // such as "testdata/playthrough.txt"
	Options string // in text form; empty for the defaults
	Seats   int    // the fewest if zero
	Seed    uint64 // of the choices
	Update  bool   // write the file instead of comparing with it
}

func (p Playthrough) Run(t T, g engine.Game) {
	t.Helper()
	var text string
	if err := Catch(func() { text = p.text(t, g) }); err != nil {
		t.Fatalf("playthrough of %s: %v", g.Key(), err)
	}
	if p.Update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(p.File), 0o755), os.WriteFile(p.File, []byte(text), 0o644)); err != nil {
			t.Fatalf("writing the playthrough: %v", err)
		}
	}
	want, err := os.ReadFile(p.File)
	if err != nil {
		t.Fatalf("reading the playthrough (the flag -update writes it): %v", err)
	}
	if line, got, want := firstDifference(text, string(want)); line > 0 {
		t.Errorf("the game no longer plays as in %s (look at the change, then use the flag -update); line %d:\n got %q\nwant %q",
			p.File, line, got, want)
	}
}

// firstDifference returns the first line, from 1, in which two texts differ; 0
// if there is none.
func firstDifference(a, b string) (line int, inA, inB string) {
	for line := 1; a != b; line++ {
		inA, a, _ = strings.Cut(a, "\n")
		inB, b, _ = strings.Cut(b, "\n")
		if inA != inB {
			return line, inA, inB
		}
	}
	return 0, "", ""
}

// text returns the content of the file: the options, then each position in
// words with its legal actions and the one that is played, and the result.
func (p Playthrough) text(t T, g engine.Game) string {
	seats := p.Seats
	if seats == 0 {
		seats, _ = g.Seats()
	}
	options, err := g.Options().Parse(p.Options)
	Require(err == nil, "%v", err)
	position := Start[engine.Position](t, g, p.Options, seats)
	texts := g.Texts()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", texts.Phrase(g.Key()+".name"), texts.Phrase(g.Key()+".tagline"))
	fmt.Fprintf(&b, "game %s, rules %d, options %s\n", g.Key(), g.Version(), options)
	for i, c := range g.Colours(seats) {
		fmt.Fprintf(&b, "seat %d %s %s\n", i+1, c.Mark(), c)
	}
	random := rand.New(rand.NewPCG(p.Seed, 0))
	for n := 1; ; n++ {
		fmt.Fprintf(&b, "\n# position %d, turns %d, seat %d, hash %016x\n", n, position.Turns(), position.Seat(), position.Hash())
		for _, line := range position.Describe() {
			fmt.Fprintln(&b, line)
		}
		fmt.Fprintf(&b, "status: %s\nsummary: %s\n", position.Status(), position.Summary())
		if result, over := position.Result(); over {
			fmt.Fprintf(&b, "\n# result\nwinners %v, ranks %v, scores %v, reason %s: %s\n", result.Winners, result.Ranks,
				result.Scores, result.Reason, texts.Phrase(g.Key()+".reason."+result.Reason))
			return b.String()
		}
		legal := position.Legal()
		for _, a := range legal {
			fmt.Fprintf(&b, "legal: %s", a)
			if d, ok := a.(engine.Describer); ok && !d.Describe(position).IsZero() {
				fmt.Fprintf(&b, " (%s)", d.Describe(position))
			}
			b.WriteByte('\n')
		}
		// Not IntN: the file must not depend on how the library rounds.
		a := legal[random.Uint64()%uint64(len(legal))]
		fmt.Fprintf(&b, "action: %s\n", a)
		position = Apply(t, position, a)
	}
}
