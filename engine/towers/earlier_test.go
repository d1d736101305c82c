package towers_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/towers"
)

// Earlier is the very positions that the game went through, and all of them
// until a pawn left the game.
func TestEarlierIsThePositionsBetweenTurns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, rules := range []string{"", "rules=tower-out+lock-split-tower", "rules=lock-after-move+import-first"} {
		for range 20 {
			p := position(t, rules)
			stood := []*towers.Position{p}
			for range 60 {
				pawns := pawnsOf(p)
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
					stood = append(stood, p)
				}
				if pawnsOf(p) != pawns {
					stood = stood[:0] // from the next turn on
					continue
				}
				earlier := p.History()
				if len(stood) == 0 {
					continue // the turn in which pawns left
				}
				if len(earlier) != len(stood) {
					t.Fatalf("rules %q: %d positions, not %d", rules, len(earlier), len(stood))
				}
				for i, e := range earlier {
					want := stood[len(stood)-1-i]
					if e.Hash() != want.Hash() || e.Turns() != want.Turns() || e.PreviousPassed() != want.PreviousPassed() && i < len(earlier)-1 || !slices.Equal(e.Legal(), want.Legal()) {
						t.Fatalf("rules %q: %d turns back stood\n%s, not\n%s", rules, i, e.Text(), want.Text())
					}
				}
			}
		}
	}
}

// pawnsOf is the pawns of both in the game.
func pawnsOf(p *towers.Position) int {
	n := p.Reserve(1) + p.Reserve(2)
	for y := range p.Size() {
		for x := range p.Size() {
			n += p.At(towers.Square{X: x, Y: y}).Height
		}
	}
	return n
}

func TestMovedAndPassedAreOfTheOpenTurnAndTheOneBefore(t *testing.T) {
	p := position(t, "")
	is := func(moved, passed bool) {
		t.Helper()
		if p.Moved() != moved || p.PreviousPassed() != passed {
			t.Errorf("%s: moved %v, passed %v", p.Text(), p.Moved(), p.PreviousPassed())
		}
	}
	is(false, false)
	p = play(t, p, "b2-b3")
	is(true, false)
	p = play(t, p, "end")
	is(false, false)
	p = play(t, p, "+1")
	is(false, false)
	p = play(t, p, "end") // exported again: a pass
	is(false, true)
}
