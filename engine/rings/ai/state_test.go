package ai

import (
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// Moves lists every turn, except that a winning pass stands alone and a pass
// that lets the next seat win is left out.
func TestMovesComplete(t *testing.T) {
	wins, losses := 0, 0
	eachBoard(func(side, seats int) {
		randomGame(t, side, seats, uint64(side*10+seats), func(p *rings.Position) {
			if p.Seat() == engine.Nobody {
				return
			}
			s := state(t, p)
			moves := s.Moves(nil)
			slices.Sort(moves)
			if len(slices.Compact(slices.Clone(moves))) != len(moves) {
				t.Fatal("a move twice")
			}
			passed := apply(t, p, s.Actions(pass)...)
			switch {
			case wonBy(passed, p.Seat()):
				wins++
				if !slices.Equal(moves, []search.Move{pass}) {
					t.Fatal("a win at once, and something else to think about")
				}
				return
			case p.EmptyCount() > 0 && passed.Seat() != engine.Nobody && wonBy(apply(t, passed, state(t, passed).Actions(pass)...), passed.Seat()):
				losses++
				if slices.Contains(moves, pass) {
					t.Fatal("a pass that hands over the game")
				}
			case !slices.Contains(moves, pass):
				t.Fatal("no pass")
			}
			stones := 0
			for _, m := range moves {
				if m != pass {
					stones++
				}
			}
			if stones != p.EmptyCount() {
				t.Fatalf("%d points of %d", stones, p.EmptyCount())
			}
		})
	})
	if wins < 5 || losses < 100 {
		t.Errorf("only %d wins and %d losses were met", wins, losses)
	}
}

// wonBy reports whether the game is over and the seat alone has won it.
func wonBy(p engine.Position, seat engine.Seat) bool {
	r, over := p.Result()
	return over && len(r.Winners) == 1 && r.Winners[0] == seat
}

// The hash covers what that of the rules does.
func TestHash(t *testing.T) {
	hashes := map[uint64]uint64{} // and those of the rules
	eachBoard(func(side, seats int) {
		randomGame(t, side, seats, uint64(side+seats), func(p *rings.Position) {
			if p.Seat() == engine.Nobody {
				return
			}
			h := state(t, p).Hash()
			if old, ok := hashes[h]; ok && old != p.Hash() && p.Turns() > 0 {
				t.Fatal("two positions of one hash")
			}
			hashes[h] = p.Hash()
		})
	})
}

// With colours exchanged the evaluation is the same.
func TestEvaluateSymmetry(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for side := 3; side <= 6; side++ {
		one, two := state(t, start(t, side, 2)), state(t, start(t, side, 2))
		two.Make(pass) // so that the other begins
		for one.Seat() >= 0 && two.Seat() >= 0 {
			if got, want := two.Evaluate(), one.Evaluate(); got != want {
				t.Fatalf("%d, not %d", got, want)
			}
			moves := one.Moves(nil)
			m := moves[random.IntN(len(moves))]
			one.Make(m)
			two.Make(m)
		}
	}
}

// Estimates are 0 for seats that have resigned, who have no part in the payoffs either.
func TestResigned(t *testing.T) {
	eachBoard(func(side, seats int) {
		values, want := make([]float64, seats), make([]float64, seats)
		randomGame(t, side, seats, uint64(side+seats), func(p *rings.Position) {
			s := state(t, p)
			s.Estimate(values)
			for i, v := range values {
				if v > 0 && p.Retired(engine.Seat(i+1)) {
					t.Fatalf("%v", values)
				}
			}
			if r, over := p.Result(); over {
				s.Payoffs(values)
				if search.Payoffs(r, want); !slices.Equal(values, want) {
					t.Fatalf("%v, not %v", values, want)
				}
			}
		})
	})
}
