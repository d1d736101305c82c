package match

import (
	"math/bits"

	"castellan/engine/grid"
)

// Shuffle returns a random permutation of 0 to n-1 that depends on the seed
// alone and never changes: stored matches draw their seats by it.
//
// It uses the Fisher–Yates shuffle, from the last element down, with the
// generator SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014) and Lemire's unbiased multiplication ("Fast random
// integer generation in an interval", TOMACS 2019), because the standard
// library does not promise the same numbers for ever.
func Shuffle(n int, seed uint64) []int {
	order := make([]int, max(n, 0))
	for i := range order {
		order[i] = i
	}
	random := splitMix64(seed)
	for i := len(order) - 1; i > 0; i-- {
		j := random.uint64n(uint64(i + 1))
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// splitMix64 is the state of a SplitMix64 generator.
type splitMix64 uint64

func (s *splitMix64) next() uint64 {
	z := grid.Mix(uint64(*s))
	*s += 0x9e3779b97f4a7c15
	return z
}

func (s *splitMix64) uint64n(n uint64) uint64 {
	high, low := bits.Mul64(s.next(), n)
	for low < -n%n { // reject, as these values would make small numbers likelier
		high, low = bits.Mul64(s.next(), n)
	}
	return high
}
