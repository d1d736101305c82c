package ringsearch

import (
	"math/bits"
	"math/rand/v2"
)

// Playout plays random legal actions to the end: stones, passes, conversions
// and ends of turns alike.
func (s *State) Playout(random *rand.PCG, values []float64) {
	b := s.top().board
	for {
		n := b.Len()
		if n == 0 {
			share(&b, values)
			return
		}
		k, _ := bits.Mul64(random.Uint64(), uint64(n))
		b.Make(b.At(int(k)))
	}
}
