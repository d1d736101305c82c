package ai

import (
	"context"

	"castellan/engine"
	"castellan/engine/search"
)

// paranoid reduces a game to two sides: a seat as side 0 and all others allied
// against it as side 1 (Sturtevant and Korf, 2000).
type paranoid struct {
	*State
	me int
}

var _ search.Evaluator = paranoid{}

func (s paranoid) Seat() int { return s.side(s.State.Seat()) }

func (s paranoid) side(seat int) int {
	switch seat {
	case -1:
		return -1
	case s.me:
		return 0
	}
	return 1
}

func (s paranoid) Seats() int { return 2 }

// Evaluate returns the evaluation of the seat against all others, for the side
// to move.
func (s paranoid) Evaluate() int {
	v := s.evaluateSeat(s.me)
	if s.State.Seat() != s.me {
		v = -v
	}
	return v
}

// Payoffs fills in the payoff of the seat and the sum of the others'.
func (s paranoid) Payoffs(values []float64) {
	var all [engine.MaxSeats]float64
	s.State.Payoffs(all[:s.seats])
	values[0] = all[s.me]
	values[1] = 1 - values[0]
}

// AlphaBeta is search.AlphaBeta for any number of seats. With more than two it
// assumes that all opponents are allied. Its depth counts turns.
type AlphaBeta struct {
	FullWidth bool
	Noise     int
}

func (a AlphaBeta) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	seats := 2
	me := int(p.Seat()) - 1
	player := search.AlphaBeta{FullWidth: a.FullWidth, Noise: a.Noise, State: func(p engine.Position) (search.State, error) {
		s, err := NewState(p)
		if err != nil || s.seats == 2 {
			return twoSeats{s}, err
		}
		seats = s.seats
		return paranoid{s, me}, nil
	}}
	info := limits.Info
	if info != nil {
		limits.Info = func(t search.Decision) {
			t.Values = seatValues(t.Values, me, seats)
			info(t)
		}
	}
	t, err := player.Think(ctx, p, limits)
	t.Values = seatValues(t.Values, me, seats)
	return t, err
}

// seatValues divides the values of two sides among the seats, equally among the
// opponents.
func seatValues(values []float64, me, seats int) []float64 {
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
