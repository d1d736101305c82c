package ai

import (
	"math/rand/v2"
	"testing"

	"castellan/engine/search/fit"
)

// TestTableFeatures compares the forecast of each seat with the sum of the weights of
// the features, in random games with a random table.
func TestTableFeatures(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	m := TwoSeatTable()
	weights := make([]int16, len(m.Weights))
	for i := range weights {
		weights[i] = int16(r.IntN(1001))
	}
	starts := m.SeatStarts(weights)
	for range 20 {
		p := starts(r).(tableTrainee)
		got := make([]float64, p.seats)
		for p.Seat() >= 0 {
			p.Scores(got)
			for seat := range got {
				want := 0.0
				for _, f := range p.SeatFeatures(seat, nil) {
					want += float64(weights[fit.Phases*int(f)])
				}
				if got[seat] != want {
					t.Fatalf("seat %d expects %g, the features add up to %g", seat, got[seat], want)
				}
			}
			moves := p.State.Moves(nil)
			p.Make(moves[r.IntN(len(moves))])
		}
	}
}
