package rings

import "math/bits"

// tally is what is known of one full circle, in a word. Each seat has ten
// bits: how many of its stones on the circle are not safe (3 bits), how many
// stones it has there (3 bits), and its influence, which is its stones and its
// rings among the neighbours (4 bits, at most 12). Above them stand the number
// of neighbours that are rings, of anyone (3 bits), and whether the circle is
// one itself. A stone or ring that comes or goes is one addition.
type tally uint64

const (
	seatBits = 10

	oneUnsafe     tally = 1
	oneStone     tally = 1 << 3
	oneInfluence tally = 1 << 6
	oneNeighbourRing  tally = 1 << 60
	isRing       tally = 1 << 63

	eachSeat tally = 1 | 1<<10 | 1<<20 | 1<<30 | 1<<40 | 1<<50 // the lowest bit of each seat
)

// shift is where the bits of a seat, from 1, start.
func shift(seat uint8) uint8 { return seatBits * (seat - 1) & 63 }

// aStone is what a stone of the seat adds that is not safe.
func stoneTally(seat uint8) tally { return (oneUnsafe | oneStone | oneInfluence) << shift(seat) }

// aRing is what a neighbour that is a ring of the seat adds.
func ringTally(seat uint8) tally { return oneNeighbourRing | oneInfluence<<shift(seat) }

// loose, stones and influence are what the seat has on the circle.
func (t tally) unsafeStones(seat uint8) int     { return int(t >> shift(seat) & 7) }
func (t tally) stones(seat uint8) int    { return int(t >> shift(seat) >> 3 & 7) }
func (t tally) influence(seat uint8) int { return int(t >> shift(seat) >> 6 & 15) }

// total is the influence of all seats and the empty points together: stones
// and empty points are always six.
func (t tally) total() int { return 6 + t.neighbourRings() }

func (t tally) neighbourRings() int { return int(t >> 60 & 7) }
func (t tally) ring() bool     { return t&isRing != 0 }

// status is who has the majority on a circle and whether he could convert it.
type status uint8

const canConvert status = 8

// holder is the seat with the majority, from 1; 0 if nobody has it.
func (s status) holder() uint8 { return uint8(s & 7) }

// converter is the seat that could convert the circle; 0 if nobody could.
func (s status) converter() uint8 { return uint8(s & 7 & -(s >> 3)) }

// status works out the majority. Influence is more than that of all others and
// the empty points together where twice of it is more than the total, so where
// it is at least 4 and half of the neighbours' rings. That much is added to
// every seat's influence at once that the one who has it carries into the bit
// above. No second seat can have as much.
func (t tally) status() status {
	const influences = 15 * eachSeat
	rest := 12 - t>>61&3 // 16 less what is needed
	carry := (t>>6&influences + rest*eachSeat) & (16 * eachSeat)
	if carry == 0 {
		return 0
	}
	// The carry of seat k is bit 10k-6; 13/128 is near enough to a tenth.
	at := bits.TrailingZeros64(uint64(carry)) * 13 >> 7
	s := status(at + 1)
	if others := t & (7 * eachSeat) &^ (7 << (seatBits * at & 63)); others != 0 {
		s |= canConvert
	}
	return s
}
