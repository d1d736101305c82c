package ringsearch

import (
	"context"
	"math"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/search"
)

// Greedy is a player who takes the turn after which he stands best, and does
// not look further. Chance chooses among equals.
type Greedy struct{}

// Think looks at every turn once.
func (Greedy) Think(_ context.Context, p engine.Position, limits search.Limits) (search.Thought, error) {
	if p.Seat() == engine.Nobody {
		return search.Thought{}, search.ErrOver
	}
	s, err := NewState(p)
	if err != nil {
		return search.Thought{}, err
	}
	random := rand.New(rand.NewPCG(limits.Seed, s.Hash()))
	moves := s.Moves(nil)
	best, most, equals := moves[0], math.MinInt, 0
	values := make([]float64, s.seats)
	for _, m := range moves {
		v := s.after(m, values)
		if v > most {
			best, most, equals = m, v, 0
		}
		if v == most {
			if equals++; random.IntN(equals) == 0 {
				best = m
			}
		}
	}
	t := search.Thought{Actions: s.Actions(best), Depth: 1, Nodes: int64(len(moves))}
	s.Make(best)
	s.Estimate(values)
	t.Values = values
	return t, nil
}

// after is how a seat stands after a turn; to have won or lost, or to share the
// win, counts for more than all promises. The values are room for the shares.
func (s *State) after(m search.Move, values []float64) int {
	seat := s.Seat()
	s.Make(m)
	defer s.Unmake()
	if s.Seat() >= 0 {
		return s.stands(seat)
	}
	s.Share(values)
	return int((2*values[seat] - 1) * 2 * search.MaxValue)
}
