package stonetowers

import (
	"math/bits"

	"castellan/engine"
)

// State is a position to play and take back moves in, without allocation. A
// move costs what it changes, not the board. Copies are independent.
//
// The level of a castle is one + 2*two of its cell; the castle is its owner's.
type State struct {
	lead     [cells]int8 // influence of Red less influence of Blue; at most 15 either way
	foreign  [2]board    // by player, 0 for Red: the squares that are not his
	one, two board
	geo      *geometry
	played   uint16 // turns by both
	total    uint16 // turns of a whole game, by both
}

// Undo is what Unmake needs to take a move back: the position before, but for
// the influence.
type Undo struct {
	foreign  [2]board
	one, two board
}

// newState is the position at the start.
func newState(g *geometry, turns int) State {
	return State{geo: g, foreign: [2]board{g.squares, g.squares}, total: uint16(2 * turns)}
}

// Over reports whether all turns are played.
func (s *State) Over() bool { return s.played == s.total }

// Seat is whose turn it is, or Nobody when the game is over.
func (s *State) Seat() engine.Seat {
	if s.Over() {
		return engine.Nobody
	}
	return engine.Seat(s.played&1 + 1)
}

// Squares is how many squares a player owns, by seat; element 0 is Red's.
func (s *State) SquareCounts() (owned [2]int) {
	for i := range owned {
		owned[i] = s.Size()
		for _, w := range s.foreign[i] {
			owned[i] -= bits.OnesCount64(w)
		}
	}
	return owned
}

// Moves is the legal moves, empty exactly when the game is over: every square
// that is not the opponent's and has no castle of level 3, or else a pass.
func (s *State) Moves() (m Moves) {
	if s.Over() {
		return m
	}
	notTheirs := &s.foreign[s.played&1^1]
	for i := range s.geo.used {
		legal := notTheirs[i] &^ (s.one[i] & s.two[i])
		m.set[i] = legal
		m.count += bits.OnesCount64(legal)
	}
	if m.count == 0 {
		m.set.set(pass)
		m.count = 1
	}
	return m
}

// Action is a legal move as an action.
func (s *State) Action(m Move) Action {
	switch {
	case m == pass:
		return Action{Kind: Pass}
	case s.level(m) > 0:
		return Action{Fortify, s.geo.square(m)}
	}
	return Action{Build, s.geo.square(m)}
}

// Size is the number of squares of the board.
func (s *State) Size() int { return s.geo.width * s.geo.height }

// Try is the move on square number k, from 0 to Size-1, by file and then by
// rank; ok is false where it is not legal. To draw numbers until one is legal
// gives each move the same chance and takes half the time of a draw from Moves;
// that is needed only after many misses, as where there is but a pass.
func (s *State) MoveOn(k int) (c Move, ok bool) {
	c = s.geo.cells[k&255]
	w := c >> 6
	return c, s.foreign[s.played&1^1][w]&^(s.one[w]&s.two[w])>>(c&63)&1 != 0
}

// Play plays a move, which must be one of Moves.
func (s *State) Play(c Move) {
	if c != pass {
		s.spread(c, 1)
		w, bit := c>>6, uint64(1)<<(c&63)
		s.two[w] ^= s.one[w] & bit
		s.one[w] ^= bit
	}
	s.played++
}

// spread raises the mover's influence on a square and its neighbours and gives
// him those on which he has more of it now. Castles of the opponent that stand
// there fall, which does the same around them: the domino effect. The order
// does not matter, since all of it works one way.
func (s *State) spread(c cell, levels int8) {
	var (
		mover  = s.played & 1
		sign   = 1 - 2*int8(mover) // of the mover in lead
		up     = sign * levels
		stride = s.geo.stride
		from   = c - stride // where the window begins
	)
	// A bit for each of the five on which the mover leads.
	leads := func(c cell) uint64 {
		v := s.lead[c] + up
		s.lead[c] = v
		return uint64(uint8(-sign*v) >> 7)
	}
	gained := leads(c-stride) |
		leads(c-1)<<((stride-1)&63) | leads(c)<<(stride&63) | leads(c+1)<<((stride+1)&63) |
		leads(c+stride)<<((2*stride)&63)
	gained &= s.foreign[mover].window(from)
	s.foreign[mover].remove(from, gained)
	s.foreign[mover^1].add(from, gained)

	castles := gained & (s.one.window(from) | s.two.window(from))
	for ; castles != 0; castles &= castles - 1 {
		s.fall(from + cell(bits.TrailingZeros64(castles)))
	}
}

// fall destroys a castle of the opponent.
func (s *State) fall(c cell) {
	w, bit := c>>6, uint64(1)<<(c&63)
	level := s.level(c)
	s.one[w] &^= bit
	s.two[w] &^= bit
	s.spread(c, level)
}

// level is the level of the castle on a cell.
func (s *State) level(c cell) int8 {
	return int8(s.one[c>>6]>>(c&63)&1 | s.two[c>>6]>>(c&63)&1<<1)
}

// Make plays a move as Play does and returns what takes it back.
func (s *State) Make(c Move) Undo {
	u := Undo{s.foreign, s.one, s.two}
	s.Play(c)
	return u
}

// Unmake takes back the last move that is still made, given what its Make
// returned.
func (s *State) Unmake(u Undo) {
	s.played--
	sign := 1 - 2*int8(s.played&1)
	after := *s
	s.foreign, s.one, s.two = u.foreign, u.one, u.two
	// The mover's castle has grown, the opponent's have fallen: all of it in
	// the mover's favour.
	for i := range s.geo.used {
		changed := (after.one[i] ^ u.one[i]) | (after.two[i] ^ u.two[i])
		for ; changed != 0; changed &= changed - 1 {
			c := cell(i*64 + bits.TrailingZeros64(changed))
			d := after.level(c) - s.level(c)
			if d < 0 {
				d = -d
			}
			d *= sign
			for _, n := range [...]cell{c, c - 1, c + 1, c - s.geo.stride, c + s.geo.stride} {
				s.lead[n] -= d
			}
		}
	}
}
