package ai

import (
	"math/bits"

	"castellan/engine"
	"castellan/engine/search"
)

// visibleState evaluates what stands on the board alone. State.Evaluate counts
// the moves to every square, which is looking ahead.
type visibleState struct{ *State }

// newVisibleState returns the search state of the greedy player.
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
	me, other := &s.sides[s.mover], &s.sides[s.mover^1]
	return 300*(int(me.taken)-int(other.taken)) +
		30*(bits.OnesCount8(s.legalFor(me))-bits.OnesCount8(s.legalFor(other))) -
		10*(s.nearest(me)-s.nearest(other))
}

// nearest returns the distance along ranks and files from a player's head to
// the nearest tower, or 0 if there is none.
func (s visibleState) nearest(p *side) int {
	best, size := 0, s.geo.size
	for i, set := range s.tower[:s.geo.words] {
		for ; set != 0; set &= set - 1 {
			c := i*64 + bits.TrailingZeros64(set)
			away := distance(int(p.head)%size, c%size) + distance(int(p.head)/size, c/size)
			if best == 0 || away < best {
				best = away
			}
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }
