package ai

import (
	"context"
	"math"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/search"
)

// Greedy plays the turn that gains most on the board: circles, then influence.
// It does not look ahead, and breaks ties at random.
type Greedy struct{}

// Think evaluates every turn once.
func (Greedy) Think(_ context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	if p.Seat() == engine.Nobody {
		return search.Decision{}, search.ErrOver
	}
	s, err := NewState(p)
	if err != nil {
		return search.Decision{}, err
	}
	random := rand.New(rand.NewPCG(limits.Seed, s.Hash()))
	moves := s.Moves(nil)
	best, most, equals := moves[0], math.MinInt, 0
	values := make([]float64, s.seats)
	for _, m := range moves {
		v := s.visibleAfter(m, values)
		if v > most {
			best, most, equals = m, v, 0
		}
		if v == most {
			if equals++; random.IntN(equals) == 0 {
				best = m
			}
		}
	}
	t := search.Decision{Actions: s.Actions(best), Depth: 1, Nodes: int64(len(moves))}
	s.Make(best)
	s.Estimate(values)
	t.Values = values
	return t, nil
}

// visibleAfter returns the visible score of the seat after a turn. The end of
// the game outweighs all circles. values is a buffer.
func (s *State) visibleAfter(m search.Move, values []float64) int {
	seat := s.Seat()
	s.Make(m)
	defer s.Unmake()
	if s.Seat() >= 0 {
		return s.visibleScore(seat)
	}
	s.Payoffs(values)
	return int((2*values[seat] - 1) * 2 * circles * circleValue)
}

// circleValue is the value of a circle in the visible score. It exceeds the
// influence of a seat on all circles.
const circleValue = 10_000

// visibleScore returns the seat's lead in circles over its best opponent, then
// its lead in influence over all opponents together.
func (s *State) visibleScore(seat int) int {
	b := &s.top().board
	most := 0
	for i := range s.seats {
		if i != seat && b.ActiveSeats()>>(i+1)&1 != 0 {
			most = max(most, b.Score(engine.Seat(i+1)))
		}
	}
	value := (b.Score(engine.Seat(seat+1)) - most) * circleValue
	for c := range b.CircleCount() {
		tally := b.Tally(c)
		for i := range s.seats {
			influence := tally.Influence(i)
			if i != seat {
				influence = -influence
			}
			value += influence
		}
	}
	return value
}
