package ringsearch

import (
	"math/bits"
	"math/rand/v2"

	"castellan/engine/search"
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

// Sketch plays turns at first sight: the better of a few stones drawn by lot.
func (s *State) Sketch(random *rand.PCG, turns int, values []float64) {
	if turns <= 0 {
		estimate(s.top(), values)
		return
	}
	made := len(s.frames)
	for ; turns > 0 && s.Seat() >= 0; turns-- {
		s.Make(s.glance(random))
	}
	estimate(s.top(), values)
	s.frames = s.frames[:made]
}

// glance is the best of a few stones drawn by lot, by what it gains at a glance.
func (s *State) glance(random *rand.PCG) search.Move {
	const few = 6
	b := &s.top().board
	if b.Converting() {
		return rest
	}
	if b.Empty() == 0 {
		return pass
	}
	seat := int(b.Turn()) - 1
	best, most := pass, int32(0)
	for range few {
		k, _ := bits.Mul64(random.Uint64(), uint64(b.Empty()))
		p := b.At(int(k))
		sum := int32(0)
		for _, c := range b.On(int(p)) {
			sum += s.gain(b.Tally(int(c)), seat)
		}
		if sum > most {
			best, most = search.Move(p), sum
		}
	}
	return best
}
