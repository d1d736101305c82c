package search

import (
	"math"
	"math/rand/v2"
)

// Softmax chooses among moves by their values, so that a weak player errs as
// people do: often a little, seldom much. The zero value takes the best move.
//
// Blunders aside, a proven win is always taken, a proven loss avoided, and where
// every move loses, the loss is delayed.
type Softmax struct {
	// MaxLoss is how much worse than the best a chosen move may be.
	MaxLoss int
	// Temperature is the loss at which a move is chosen a third as often as the
	// best.
	Temperature int
	// BlunderRate is the probability of a uniformly random move.
	BlunderRate float64
}

// Choose returns the index of a move, given the values of all. The first must be
// the best. Values more than MaxLoss below the best may be upper bounds, as long
// as these are below that limit too.
func (s Softmax) Choose(values []int, seed uint64) int {
	r := rand.New(rand.NewPCG(Mix(seed), seed))
	if s.BlunderRate > 0 && r.Float64() < s.BlunderRate {
		return r.IntN(len(values))
	}
	best := values[0]
	if best >= ProvenWin || best <= -ProvenWin || s.MaxLoss <= 0 {
		return 0
	}
	chosen, sum := 0, 0.0
	for i, v := range values {
		if v < best-s.MaxLoss {
			continue
		}
		w := math.Exp(float64(v-best) * math.Ln2 * 1.585 / float64(max(s.Temperature, 1)))
		sum += w
		if r.Float64()*sum < w {
			chosen = i
		}
	}
	return chosen
}
