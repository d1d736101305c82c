package fit

// Packed holds the weights of the three phases in one number, so that one addition
// adds all three. A sum must stay within ±[MaxSum] in each phase.
type Packed int64

const phaseBits = 21

// MaxSum is the largest sum of weights in a phase of [Packed].
const MaxSum = 1<<(phaseBits-1) - 1

func Pack(opening, middle, end int) Packed {
	return Packed(opening)<<(2*phaseBits) + Packed(middle)<<phaseBits + Packed(end)
}

func (p Packed) Opening() int { return int((p + 1<<(2*phaseBits-1)) >> (2 * phaseBits)) }

func (p Packed) Middle() int {
	return int(int64(p+1<<(phaseBits-1)) << (64 - 2*phaseBits) >> (64 - phaseBits))
}

func (p Packed) End() int { return int(int64(p) << (64 - phaseBits) >> (64 - phaseBits)) }
