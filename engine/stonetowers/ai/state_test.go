package ai

import (
	"math/rand/v2"
	"testing"

	"castellan/engine/search"
)

// EvaluateMoves agrees with Evaluate after each move.
func TestEvaluateMoves(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range sizes {
		for range 3 {
			s := stateOf(t, start(t, size))
			for s.Seat() >= 0 {
				moves := s.Moves(nil)
				values := make([]int32, len(moves))
				if ok := s.EvaluateMoves(moves, values); ok != (s.left > 1) {
					t.Fatalf("%d turns left: EvaluateMoves returns %t", s.left, ok)
				}
				for i, m := range moves {
					if s.left == 1 {
						break
					}
					s.Make(m)
					if got := -s.Evaluate(); got != int(values[i]) {
						t.Fatalf("%s, move %v: evaluated as %d in advance, as %d afterwards", size, m, values[i], got)
					}
					s.Unmake()
				}
				s.Make(moves[random.IntN(len(moves))])
			}
		}
	}
}

// A position has the same value for Red as the one with colours exchanged has
// for Blue, in the same phase.
func TestEvaluateSymmetry(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, size := range sizes {
		s := stateOf(t, playRandomly(t, start(t, size), 15, random))
		other := *s
		other.sum = 0
		for _, c := range s.geo.cells {
			q := s.at[c]
			o := q.owner()
			if o != free {
				o = red + blue - o
			}
			other.at[c] = (q&^31 | (2*even - q&31)).with(o, q.level())
			other.sum += other.tables.value[other.at[c]]
		}
		for _, phase := range []int{0, scale / 3, scale} {
			if a, b := s.scoreFor(0).interpolate(phase), other.scoreFor(1).interpolate(phase); a != b || a == 0 {
				t.Errorf("%s: %d to Red, %d to Blue with the colours exchanged", size, a, b)
			}
		}
	}
}

// playFast leads to the same board as Make.
func TestPlayFastMatchesMake(t *testing.T) {
	random := rand.NewPCG(11, 12)
	for _, size := range sizes {
		s := stateOf(t, start(t, size))
		quick := stateOf(t, start(t, size))
		for s.left > 0 {
			m := quick.randomMove(random)
			quick.playFast(m)
			quick.left--
			s.Make(search.Move(m))
			for _, c := range s.geo.cells {
				if s.at[c] != quick.at[c] {
					t.Fatalf("%s: cell %d is %b, not %b", size, c, quick.at[c], s.at[c])
				}
			}
			if s.owned != quick.owned {
				t.Fatalf("%s: %v owned, not %v", size, quick.owned, s.owned)
			}
		}
	}
}
