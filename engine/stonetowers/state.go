package stonetowers

import (
	"math/bits"

	"castellan/engine"
)

// State is a mutable position that plays moves without allocation. The cost of a
// move depends on what it changes, not on the board. Copies are independent.
//
// The level of a castle is levelBit0 + 2*levelBit1 of its cell. A castle
// belongs to the owner of its square.
type State struct {
	lead                 [cells]int8 // influence of Red minus that of Blue, from -15 to 15
	notOwned             [2]board    // by player, 0 for Red: squares that the player does not own
	levelBit0, levelBit1 board
	geo                  *geometry
	played               uint16 // by both players
	total                uint16 // turns in a whole game
}

// newState returns the starting position.
func newState(g *geometry, turns int) State {
	return State{geo: g, notOwned: [2]board{g.squares, g.squares}, total: uint16(2 * turns)}
}

// Over reports whether all turns have been played.
func (s *State) Over() bool { return s.played == s.total }

// Seat returns the seat to act, or Nobody when the game is over.
func (s *State) Seat() engine.Seat {
	if s.Over() {
		return engine.Nobody
	}
	return engine.Seat(s.played&1 + 1)
}

// SquareCounts returns the number of squares that each seat owns; element 0 is
// Red.
func (s *State) SquareCounts() (owned [2]int) {
	for i := range owned {
		owned[i] = s.Size()
		for _, w := range s.notOwned[i] {
			owned[i] -= bits.OnesCount64(w)
		}
	}
	return owned
}

// Moves returns the legal moves: every square that the opponent does not own
// and that has no castle of level 3, or else a pass. The set is empty exactly
// when the game is over.
func (s *State) Moves() (m Moves) {
	if s.Over() {
		return m
	}
	notTheirs := &s.notOwned[s.played&1^1]
	for i := range s.geo.usedWords {
		legal := notTheirs[i] &^ (s.levelBit0[i] & s.levelBit1[i])
		m.set[i] = legal
		m.count += bits.OnesCount64(legal)
	}
	if m.count == 0 {
		m.set.set(pass)
		m.count = 1
	}
	return m
}

// Action returns the action of a legal move.
func (s *State) Action(m Move) Action {
	switch {
	case m == pass:
		return Action{Kind: Pass}
	case s.level(m) > 0:
		return Action{Fortify, s.geo.square(m)}
	}
	return Action{Build, s.geo.square(m)}
}

// Size returns the number of squares of the board.
func (s *State) Size() int { return s.geo.width * s.geo.height }

// MoveOn returns the move on square number k, from 0 to Size-1, by file and
// then rank; ok is false if it is illegal. Drawing numbers until a move is
// legal gives each move the same chance in half the time of Moves, which is
// needed only after many misses, for example when a pass is the only move.
func (s *State) MoveOn(k int) (c Move, ok bool) {
	c = s.geo.cells[k&255]
	w := c >> 6
	return c, s.notOwned[s.played&1^1][w]&^(s.levelBit0[w]&s.levelBit1[w])>>(c&63)&1 != 0
}

// Play plays a legal move.
func (s *State) Play(c Move) {
	if c != pass {
		s.addInfluence(c, 1)
		w, bit := c>>6, uint64(1)<<(c&63)
		s.levelBit1[w] ^= s.levelBit0[w] & bit
		s.levelBit0[w] ^= bit
	}
	s.played++
}

// addInfluence raises the influence of the mover on a square and its
// neighbours, and gives the mover the squares where it now has more than the
// opponent. Castles of the opponent there are destroyed, which does the same
// around them: the domino effect. The order does not matter, because every step
// favours the mover.
func (s *State) addInfluence(c cell, levels int8) {
	var (
		mover  = s.played & 1
		sign   = 1 - 2*int8(mover) // of a lead of the mover
		up     = sign * levels
		stride = s.geo.stride
		from   = c - stride // where the window begins
	)
	// Add to the lead on a cell and return 1 if the mover leads.
	leads := func(c cell) uint64 {
		v := s.lead[c] + up
		s.lead[c] = v
		return uint64(uint8(-sign*v) >> 7)
	}
	gained := leads(c-stride) |
		leads(c-1)<<((stride-1)&63) | leads(c)<<(stride&63) | leads(c+1)<<((stride+1)&63) |
		leads(c+stride)<<((2*stride)&63)
	gained &= s.notOwned[mover].window(from)
	s.notOwned[mover].remove(from, gained)
	s.notOwned[mover^1].add(from, gained)

	castles := gained & (s.levelBit0.window(from) | s.levelBit1.window(from))
	for ; castles != 0; castles &= castles - 1 {
		s.destroyCastle(from + cell(bits.TrailingZeros64(castles)))
	}
}

// destroyCastle destroys a castle of the opponent.
func (s *State) destroyCastle(c cell) {
	w, bit := c>>6, uint64(1)<<(c&63)
	level := s.level(c)
	s.levelBit0[w] &^= bit
	s.levelBit1[w] &^= bit
	s.addInfluence(c, level)
}

// level returns the level of the castle on a cell.
func (s *State) level(c cell) int8 {
	return int8(s.levelBit0[c>>6]>>(c&63)&1 | s.levelBit1[c>>6]>>(c&63)&1<<1)
}
