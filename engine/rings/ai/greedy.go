package ai

import (
	"context"
	"math"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/search"
)

// Greedy is a player who takes the turn that gives him the most at once, as the
// board shows it: circles, and influence where that is the same. He does not
// know what they promise, and does not look further. Chance chooses among
// equals.
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

// after is what a seat has after a turn; to have won or lost, or to share the
// win, counts for more than all circles. The values are room for the shares.
func (s *State) after(m search.Move, values []float64) int {
	seat := s.Seat()
	s.Make(m)
	defer s.Unmake()
	if s.Seat() >= 0 {
		return s.shows(seat)
	}
	s.Share(values)
	return int((2*values[seat] - 1) * 2 * circles * perCircle)
}

// perCircle is more than all influence that there can be.
const perCircle = 10_000

// shows is how many more circles a seat has than the best of the others, and
// then how much more influence than all of them.
func (s *State) shows(seat int) int {
	b := &s.top().board
	most := 0
	for i := range s.seats {
		if i != seat && b.ActiveSeats()>>(i+1)&1 != 0 {
			most = max(most, b.Score(engine.Seat(i+1)))
		}
	}
	value := (b.Score(engine.Seat(seat+1)) - most) * perCircle
	for c := range b.CircleCount() {
		tally := b.Tally(c)
		for i := range s.seats {
			influence := int(tally >> (10*i + 6) & 15)
			if i != seat {
				influence = -influence
			}
			value += influence
		}
	}
	return value
}
