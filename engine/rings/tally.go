package rings

import "math/bits"

// Tally describes one full circle in a word. Each seat has ten bits: its unsafe
// stones on the circle (3 bits), all its stones there (3 bits), and its
// influence, which is its stones and its rings among the neighbours (4 bits, at
// most 12). Above them are the number of neighbours that are rings of any seat
// (3 bits) and one bit that is set if the circle is a ring. Adding or removing
// a stone or ring is one addition.
type Tally uint64

const (
	seatBits = 10

	oneUnsafe        Tally = 1
	oneStone         Tally = 1 << 3
	oneInfluence     Tally = 1 << 6
	oneNeighbourRing Tally = 1 << 60
	isRing           Tally = 1 << 63

	eachSeat Tally = 1 | 1<<10 | 1<<20 | 1<<30 | 1<<40 | 1<<50 // the lowest bit of each seat
)

// shift returns the position of the lowest bit of a seat, which counts from 1.
func shift(seat uint8) uint8 { return seatBits * (seat - 1) & 63 }

// stoneTally returns what an unsafe stone of the seat adds to a tally.
func stoneTally(seat uint8) Tally { return (oneUnsafe | oneStone | oneInfluence) << shift(seat) }

// ringTally returns what a ring of the seat adds to the tally of a neighbour.
func ringTally(seat uint8) Tally { return oneNeighbourRing | oneInfluence<<shift(seat) }

func (t Tally) influence(seat uint8) int { return t.Influence(int(seat) - 1) }

// Players count from 0 in what follows, as in searches.

func (t Tally) Of(player int) Part { return Part(t >> (uint(seatBits*player) & 63)) }

func (t Tally) Stones(player int) int { return t.Of(player).Stones() }

// Influence returns the stones of a player and their rings among the neighbours.
func (t Tally) Influence(player int) int { return t.Of(player).Influence() }

// Part is the part of a player in a tally, with that of others above it.
type Part uint64

// Unsafe returns the stones that can be converted.
func (p Part) Unsafe() int { return int(p & 7) }

func (p Part) Stones() int { return int(p >> 3 & 7) }

// Influence returns the stones and the rings among the neighbours.
func (p Part) Influence() int { return int(p >> 6 & 15) }

// OthersUnsafe reports whether others have stones there that can be converted.
func (t Tally) OthersUnsafe(player int) bool {
	return t&(7*eachSeat)&^(7<<(uint(seatBits*player)&63)) != 0
}

// Total returns the influence of all seats plus the empty points: stones and
// empty points add up to six.
func (t Tally) Total() int { return 6 + t.RingsAround() }

// RingsAround returns the number of neighbours that are rings.
func (t Tally) RingsAround() int { return int(t >> 60 & 7) }

func (t Tally) Ring() bool { return t&isRing != 0 }

// Empty reports whether no stone lies on the circle.
func (t Tally) Empty() bool { return t&(7*oneStone*eachSeat) == 0 }

// Add returns the tally with more stones of a player, some of them unsafe, and with
// more of their rings around it.
func (t Tally) Add(player, stones, unsafe, rings int) Tally {
	return t + (Tally(unsafe)*oneUnsafe+Tally(stones)*oneStone+Tally(stones+rings)*oneInfluence)<<(uint(seatBits*player)&63) +
		Tally(rings)*oneNeighbourRing
}

// Convert returns the tally after a player has converted the circle.
func (t Tally) Convert(player, seats int) Tally {
	for k := range seats {
		if n := t.Of(k).Unsafe(); k != player {
			t = t.Add(player, n, n, 0).Add(k, -n, -n, 0)
		}
	}
	return t
}

// status is the seat with the majority on a circle and whether it could convert
// the circle.
type status uint8

const canConvert status = 8

func (s status) holder() uint8 { return uint8(s & 7) }

// converter returns the seat that could convert the circle, or 0.
func (s status) converter() uint8 { return uint8(s & 7 & -(s >> 3)) }

// status returns the status of a circle. A seat has the majority if twice its
// influence is more than the total, that is, if its influence is at least 4
// plus half the neighbouring rings, rounded down. The function adds 16 minus
// that number to the influence of every seat at once, so that the seat with the
// majority carries into the bit above. At most one seat does.
func (t Tally) status() status {
	const influences = 15 * eachSeat
	rest := 12 - t>>61&3 // 16 minus the influence that gives the majority
	carry := (t>>6&influences + rest*eachSeat) & (16 * eachSeat)
	if carry == 0 {
		return 0
	}
	// The carry of seat k is bit 10k-6; multiplying by 13/128 divides by ten.
	at := bits.TrailingZeros64(uint64(carry)) * 13 >> 7
	s := status(at + 1)
	if t.OthersUnsafe(at) {
		s |= canConvert
	}
	return s
}
