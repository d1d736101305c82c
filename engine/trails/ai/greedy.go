package ai

import (
	"math/bits"

	"castellan/engine"
	"castellan/engine/search"
)

// seen is a position judged by what stands on the board alone. State's own
// evaluation works out how many moves everything takes, which is looking ahead
// by another name.
type seen struct{ *State }

// visible is the position for who does not look ahead.
func visible(p engine.Position) (search.State, error) {
	s, err := New(p)
	if err != nil {
		return nil, err
	}
	return seen{s}, nil
}

// Evaluate counts towers taken, then legal moves, then squares to the nearest
// tower.
func (s seen) Evaluate() int {
	me, other := &s.sides[s.mover], &s.sides[s.mover^1]
	return 300*(int(me.taken)-int(other.taken)) +
		30*(bits.OnesCount8(s.movesOf(me))-bits.OnesCount8(s.movesOf(other))) -
		10*(s.nearest(me)-s.nearest(other))
}

// nearest is how many squares, along ranks and files, lie between a player's
// head and the nearest tower, and 0 where none is left.
func (s seen) nearest(p *side) int {
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
