package rings

import "castellan/engine"

// This file has what computer players need of a State besides its moves. Points
// and circles are given by index, from 0: points by column, then row, circles
// by number.

// PassMove is the move that passes. It is above the indices of all points.
const PassMove = movePass

// Converting reports whether the seat to act has placed a stone or passed, so
// that it can convert circles or end the turn.
func (s *State) Converting() bool { return s.converting }

// CanConvert reports whether the seat to act could convert a circle now, or
// after a pass.
func (s *State) CanConvert() bool { return !s.convertible[s.mover&7].empty() }

func (s *State) EmptyCount() int { return int(s.emptyCount) }

// EmptySet returns the set of points without a stone: bit i%64 of word i/64
// stands for point i.
func (s *State) EmptySet() [pointWords]uint64 { return s.emptyPoints }

// Stones returns a byte for each point: the seat that owns the stone, or 0,
// with bit 3 set if the stone is safe. Points that the board does not have are
// 0. The caller must not change it.
func (s *State) Stones() *[pointRoom]uint8 { return &s.stones }

func (s *State) CircleCount() int { return len(s.geo.circles) }

// CirclesAt returns the full circles on which a point lies, one to three. The
// caller must not change the slice.
func (s *State) CirclesAt(point int) []uint8 {
	on := &s.geo.circlesAt[point&(pointRoom-1)]
	return on.circles[:on.n&3]
}

func (s *State) Tally(circle int) Tally { return s.tallies[circle&(circleRoom-1)] }

// Holder returns the seat with the majority on a circle, or Nobody.
func (s *State) Holder(circle int) engine.Seat {
	return engine.Seat(s.status[circle&(circleRoom-1)].holder())
}

// PassedSeats returns the seats that have passed in the unbroken sequence: bit
// k stands for seat k.
func (s *State) PassedSeats() uint8 { return s.passed }

// ActiveSeats returns the seats that have not retired: bit k stands for seat k.
func (s *State) ActiveSeats() uint8 { return s.playing }

// Turn returns the seat to act, or the one that would act next if the game is
// over.
func (s *State) Turn() engine.Seat { return engine.Seat(s.mover) }
