package rings

import "castellan/engine"

// What computer players ask of a State besides the moves. Points and circles
// go by their indices, from 0: points by column, then row, circles by number.

// NoPoint is the move that passes, and above the indices of all points.
const PassMove = movePass

// Converting reports whether the seat to act has placed a stone or passed, and
// so may convert circles or end the turn.
func (s *State) Converting() bool { return s.converting }

// Convertible reports whether there is a circle that the seat whose turn it is
// could convert now, or as soon as it has passed.
func (s *State) CanConvert() bool { return !s.open[s.mover&7].empty() }

// Empty is the number of points without a stone.
func (s *State) EmptyCount() int { return int(s.left) }

// Free is the points without a stone: bit i%64 of word i/64 is point i.
func (s *State) EmptySet() [pointWords]uint64 { return s.free }

// Stones is every point's stone, a byte each: the seat, 0 for none, with bit 3
// where it is safe. Points that the board does not have are 0.
// The caller may not change it.
func (s *State) Stones() *[pointRoom]uint8 { return &s.stone }

// Circles is the number of full circles.
func (s *State) CircleCount() int { return len(s.geo.circles) }

// On is the full circles on which a point lies, one to three. The caller may
// not change the slice.
func (s *State) CirclesAt(point int) []uint8 {
	on := &s.geo.on[point&(pointRoom-1)]
	return on.circles[:on.n&3]
}

// Tally is what there is on a circle, in a word. Each seat has ten bits, seat 1
// the lowest: its stones that are not safe (3 bits), all its stones (3 bits),
// and its influence (4 bits). Bits 60 to 62 are the number of neighbours that
// are rings, of anyone, and bit 63 says whether the circle is one.
func (s *State) Tally(circle int) uint64 { return uint64(s.circle[circle&(circleRoom-1)]) }

// Passed is who has passed in the unbroken sequence of passes: bit k is seat k.
func (s *State) PassedSeats() uint8 { return s.passed }

// Playing is who has not retired: bit k is seat k.
func (s *State) ActiveSeats() uint8 { return s.playing }

// Turn is whose turn it is, and when the game is over whose it would be.
func (s *State) Turn() engine.Seat { return engine.Seat(s.mover) }
