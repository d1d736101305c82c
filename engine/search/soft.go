package search

import (
	"math"
	"math/rand/v2"
)

// Soft chooses among moves by how good they look, so that a weak player errs
// as people do: often a little, seldom much. The zero value takes the best.
//
// Whatever it is set to, but for Careless, a win that was seen is taken and a
// loss that was seen is not; where every move loses, it is put off.
type Softmax struct {
	// Loss is the most that a move may be worse than the best.
	MaxLoss int
	// Spread is how much worse a move is that is chosen a third as often.
	Temperature int
	// Careless is how often, from 0 to 1, any move at all will do.
	BlunderRate float64
}

// choose is one of the moves, the first of which is the best.
func (s Softmax) choose(of []choice, seed uint64) choice {
	values := make([]int, len(of))
	for i, c := range of {
		values[i] = c.value
	}
	return of[s.Choose(values, seed)]
}

// Choose is the number, from 0, of one of the moves that have these values, the
// first of which is the best. Values of more than Loss below the best may be
// too high, but not above that.
func (s Softmax) Choose(values []int, seed uint64) int {
	r := rand.New(rand.NewPCG(Mix(seed), seed))
	if s.BlunderRate > 0 && r.Float64() < s.BlunderRate {
		return r.IntN(len(values))
	}
	best := values[0]
	if best >= decided || best <= -decided || s.MaxLoss <= 0 {
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
