package rings

import "math/bits"

// tally describes one full circle in a word. Each seat has ten bits: its unsafe
// stones on the circle (3 bits), all its stones there (3 bits), and its
// influence, which is its stones and its rings among the neighbours (4 bits, at
// most 12). Above them are the number of neighbours that are rings of any seat
// (3 bits) and one bit that is set if the circle is a ring. Adding or removing
// a stone or ring is one addition.
type tally uint64

const (
	seatBits = 10

	oneUnsafe        tally = 1
	oneStone         tally = 1 << 3
	oneInfluence     tally = 1 << 6
	oneNeighbourRing tally = 1 << 60
	isRing           tally = 1 << 63

	eachSeat tally = 1 | 1<<10 | 1<<20 | 1<<30 | 1<<40 | 1<<50 // the lowest bit of each seat
)

// shift returns the position of the lowest bit of a seat, which counts from 1.
func shift(seat uint8) uint8 { return seatBits * (seat - 1) & 63 }

// stoneTally returns what an unsafe stone of the seat adds to a tally.
func stoneTally(seat uint8) tally { return (oneUnsafe | oneStone | oneInfluence) << shift(seat) }

// ringTally returns what a ring of the seat adds to the tally of a neighbour.
func ringTally(seat uint8) tally { return oneNeighbourRing | oneInfluence<<shift(seat) }

// influence returns the influence of a seat on the circle.
func (t tally) influence(seat uint8) int { return int(t >> shift(seat) >> 6 & 15) }

// total returns the influence of all seats plus the empty points: stones and
// empty points add up to six.
func (t tally) total() int { return 6 + t.neighbourRings() }

func (t tally) neighbourRings() int { return int(t >> 60 & 7) }
func (t tally) ring() bool          { return t&isRing != 0 }

// status is the seat with the majority on a circle and whether it could convert
// the circle.
type status uint8

const canConvert status = 8

// holder returns the seat with the majority, or 0.
func (s status) holder() uint8 { return uint8(s & 7) }

// converter returns the seat that could convert the circle, or 0.
func (s status) converter() uint8 { return uint8(s & 7 & -(s >> 3)) }

// status returns the status of a circle. A seat has the majority if twice its
// influence is more than the total, that is, if its influence is at least 4
// plus half the neighbouring rings, rounded down. The function adds 16 minus
// that number to the influence of every seat at once, so that the seat with the
// majority carries into the bit above. At most one seat does.
func (t tally) status() status {
	const influences = 15 * eachSeat
	rest := 12 - t>>61&3 // 16 minus the influence that gives the majority
	carry := (t>>6&influences + rest*eachSeat) & (16 * eachSeat)
	if carry == 0 {
		return 0
	}
	// The carry of seat k is bit 10k-6; multiplying by 13/128 divides by ten.
	at := bits.TrailingZeros64(uint64(carry)) * 13 >> 7
	s := status(at + 1)
	if others := t & (7 * eachSeat) &^ (7 << (seatBits * at & 63)); others != 0 {
		s |= canConvert
	}
	return s
}
