package towers_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/towers"
)

// History returns the positions that the game went through since a pawn last
// left the game.
func TestHistory(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, rules := range []string{"", "rules=tower-out+lock-split-tower", "rules=lock-after-move+import-first"} {
		for range 20 {
			p := position(t, rules)
			known := []*towers.Position{p} // what History should return, oldest first
			for range 60 {
				pawns := count(p).pawns
				legal := p.Legal()
				q, err := p.Apply(legal[random.IntN(len(legal))])
				if err != nil {
					t.Fatal(err)
				}
				turns := p.Turns()
				p = q.(*towers.Position)
				if p.Seat() == engine.Nobody {
					break
				}
				if p.Turns() != turns {
					known = append(known, p)
				}
				if count(p).pawns != pawns {
					known = known[:0] // begins anew with the next turn
					continue
				}
				earlier := p.History()
				if len(known) == 0 {
					continue // pawns left in this turn
				}
				if len(earlier) != len(known) {
					t.Fatalf("rules %q: %d positions, not %d", rules, len(earlier), len(known))
				}
				for i, e := range earlier {
					want := known[len(known)-1-i]
					if e.Hash() != want.Hash() || e.Turns() != want.Turns() || e.PreviousPassed() != want.PreviousPassed() && i < len(earlier)-1 || !slices.Equal(e.Legal(), want.Legal()) {
						t.Fatalf("rules %q: %d turns back stood\n%s, not\n%s", rules, i, e.Text(), want.Text())
					}
				}
			}
		}
	}
}

func TestMovedAndPreviousPassed(t *testing.T) {
	p := position(t, "")
	want := func(moved, passed bool) {
		t.Helper()
		if p.Moved() != moved || p.PreviousPassed() != passed {
			t.Errorf("%s: moved %v, passed %v", p.Text(), p.Moved(), p.PreviousPassed())
		}
	}
	want(false, false)
	p = play(t, p, "b2-b3")
	want(true, false)
	p = play(t, p, "end")
	want(false, false)
	p = play(t, p, "+1")
	want(false, false)
	p = play(t, p, "end") // exported again: a pass
	want(false, true)
}
