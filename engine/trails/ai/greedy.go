package ai

import (
	"math/bits"

	"castellan/engine"
	"castellan/engine/search"
)

// visibleState evaluates what stands on the board alone. State.Evaluate counts
// the moves to every square, which is looking ahead.
type visibleState struct{ *State }

func newVisibleState(p engine.Position) (search.State, error) {
	s, err := New(p)
	if err != nil {
		return nil, err
	}
	return visibleState{s}, nil
}

// Evaluate counts towers taken, then legal moves, then the distance to the
// nearest tower.
func (s visibleState) Evaluate() int {
	me := s.Mover()
	other := 3 - me
	return 300*(s.Taken(me)-s.Taken(other)) +
		30*(s.MovesOf(me).Len()-s.MovesOf(other).Len()) -
		10*(s.nearest(me)-s.nearest(other))
}

// nearest returns the distance along ranks and files from a player's head to
// the nearest tower, or 0 if there is none.
func (s visibleState) nearest(seat engine.Seat) int {
	best, size, head := 0, s.geo.size, s.Head(seat)
	for i, set := range s.tower[:s.geo.words] {
		for ; set != 0; set &= set - 1 {
			c := i*64 + bits.TrailingZeros64(set)
			away := distance(head.X, c%size) + distance(head.Y, c/size)
			if best == 0 || away < best {
				best = away
			}
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }
