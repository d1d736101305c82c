package fit

import (
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/search"
)

// SeatPosition is a position of any number of seats, each with an evaluation of its own
// that is a sum of weights: the same for all seats, of features that the seat sees.
type SeatPosition interface {
	search.State
	// SeatFeatures appends the numbers of the features, seen by a seat.
	SeatFeatures(seat int, to []int32) []int32
	// Stage returns the shares of the phases in the evaluations, which add up to 1.
	Stage() [Phases]float64
	// Scores fills in the evaluation of each seat, and at the end of the game its score.
	Scores(values []float64)
}

// learnSeats is learn for a game of any number of seats.
func (m *Model) learnSeats(p SeatPosition, r *rand.Rand, sum []float32) (squares float64, n int) {
	type seatMoment struct {
		features [engine.MaxSeats][]int32
		values   [engine.MaxSeats]float64
		stage    [Phases]float64
	}
	var moments []seatMoment
	var moves []search.Move
	seats := p.Seats()
	var scores [engine.MaxSeats]float64
	lead := func(seat int) (v float64) { // over the average of the others
		p.Scores(scores[:seats])
		for _, s := range scores[:seats] {
			v += scores[seat] - s
		}
		return v / float64(seats-1)
	}
	for turn := 0; p.Seat() >= 0; turn++ {
		moves = p.Moves(moves[:0])
		if turn < m.Settings.Opening {
			p.Make(moves[r.IntN(len(moves))])
			continue
		}
		at := seatMoment{stage: p.Stage()}
		p.Scores(at.values[:seats])
		for k := range seats {
			at.features[k] = p.SeatFeatures(k, nil)
		}
		moments = append(moments, at)
		p.Make(m.choose(p, moves, r, lead))
	}
	var results, targets [engine.MaxSeats]float64
	p.Scores(results[:seats])
	targets = results
	for i := len(moments) - 1; i >= 0; i-- {
		at := &moments[i]
		for k := range seats {
			e := (results[k] - at.values[k]) * m.Unit
			squares += e * e
			for phase, share := range at.stage {
				d := float32((targets[k] - at.values[k]) * m.Unit * share)
				for _, f := range at.features[k] {
					sum[Phases*int(f)+phase] += d
				}
			}
			targets[k] = m.Settings.Lambda*targets[k] + (1-m.Settings.Lambda)*at.values[k]
		}
	}
	return squares, seats * len(moments)
}
