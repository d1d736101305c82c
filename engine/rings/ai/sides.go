package ai

import (
	"context"

	"castellan/engine"
	"castellan/engine/search"
)

// sides is a game of any number of seats as one of two: a seat, which is side
// 0, and everybody else in league against it ("paranoid": Sturtevant and Korf,
// 2000).
type sides struct {
	*State
	me int
}

var _ search.Evaluator = sides{}

// Seat is the side whose turn is next, or -1.
func (s sides) Seat() int { return s.side(s.State.Seat()) }

func (s sides) side(seat int) int {
	switch seat {
	case -1:
		return -1
	case s.me:
		return 0
	}
	return 1
}

// Seats is 2.
func (s sides) Seats() int { return 2 }

// Evaluate is how the seat stands against all others, for the side to move.
func (s sides) Evaluate() int {
	v := s.stands(s.me)
	if s.State.Seat() != s.me {
		v = -v
	}
	return v
}

// Share is that of the seat and of all others together.
func (s sides) Payoffs(values []float64) {
	var all [engine.MaxSeats]float64
	s.State.Payoffs(all[:s.seats])
	values[0] = all[s.me]
	values[1] = 1 - values[0]
}

// AlphaBeta is search.AlphaBeta for any number of seats: with more than two,
// everybody else is taken to be in league against the one who thinks. Its depth
// counts turns.
type AlphaBeta struct {
	FullWidth bool
	Noise     int
	Softmax   search.Softmax
}

// Think looks ahead until the limits are reached or the context ends.
func (a AlphaBeta) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	seats := 2
	me := int(p.Seat()) - 1
	player := search.AlphaBeta{FullWidth: a.FullWidth, Noise: a.Noise, Softmax: a.Softmax, State: func(p engine.Position) (search.State, error) {
		s, err := NewState(p)
		if err != nil || s.seats == 2 {
			return duel{s}, err
		}
		seats = s.seats
		return sides{s, me}, nil
	}}
	info := limits.Info
	if info != nil {
		limits.Info = func(t search.Decision) {
			t.Values = spread(t.Values, me, seats)
			info(t)
		}
	}
	t, err := player.Think(ctx, p, limits)
	t.Values = spread(t.Values, me, seats)
	return t, err
}

// spread shares what the two sides expect among the seats: the others of three
// and more get as much each.
func spread(values []float64, me, seats int) []float64 {
	if seats == 2 || values == nil {
		return values
	}
	all := make([]float64, seats)
	for i := range all {
		all[i] = values[1] / float64(seats-1)
	}
	all[me] = values[0]
	return all
}
