package match

import "math/bits"

// Order is a random permutation of 0 to seats-1 that depends on the seed
// alone, the same for ever: who of those who play sits in which seat.
//
// It is the Fisher–Yates shuffle, from the last element down, with numbers of
// the generator SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom
// number generators", OOPSLA 2014) started at the seed, brought into range
// without bias by the multiplication of Lemire ("Fast random integer
// generation in an interval", TOMACS 2019). The standard library's generators
// are not used: the record must not hang on what they promise.
func Shuffle(seats int, seed uint64) []int {
	order := make([]int, max(seats, 0))
	for i := range order {
		order[i] = i
	}
	random := splitMix64(seed)
	for i := len(order) - 1; i > 0; i-- {
		j := random.below(uint64(i + 1))
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// splitMix64 is the state of the generator.
type splitMix64 uint64

func (s *splitMix64) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number from 0 to n-1, each as likely as any other.
func (s *splitMix64) below(n uint64) uint64 {
	high, low := bits.Mul64(s.next(), n)
	for low < -n%n { // the few values that would come once too often
		high, low = bits.Mul64(s.next(), n)
	}
	return high
}
