package trails

import "castellan/engine"

// Ending is how a game ended.
type Ending uint8

// The endings, in the order in which they are checked after a move.
const (
	Ongoing       Ending = iota // the game goes on
	Towers                      // the mover has taken more than half of the towers
	OpponentStuck               // the opponent of the mover has no legal move
	SelfStuck                   // the mover himself will have none
)

// String is the reason in a result, and empty while the game goes on.
func (e Ending) String() string {
	return [...]string{"", "towers", "opponent-stuck", "self-stuck"}[e&3]
}

// none is the last direction of a player who has not moved.
const none Direction = 4

// side is one player. Everything about the next move that depends on his own
// last move alone is worked out once, when he makes it.
type side struct {
	head  cell
	ahead ahead // where his last direction leads next; his head, which is never free, if nowhere
	bit   Moves // his last direction, empty before his first move
	boost uint8 // after his last move
	taken uint8
}

// last is the last direction of a player, or none.
func (p *side) last() Direction { return lastOf[p.bit&15] }

var lastOf = [16]Direction{0: none, toUp: Up, toDown: Down, toLeft: Left, toRight: Right}

// State is a position to play and take back moves in, without allocation. It
// knows what is free but not who occupies what, which matters to no rule.
// Copies are independent.
type State struct {
	field  field
	sides  [2]side
	geo    *geometry
	moves  Moves // legal moves of the player to move
	mover  uint8 // 0 or 1; whose turn it would be when the game is over
	need   uint8 // towers that win
	ending Ending
}

// Undo is what Unmake needs to take a move back.
type Undo struct {
	side   side
	filled uint32 // which squares of the way were free but for the last, bit 0 next to the head
	moves  Moves
	took   bool
}

// newState is the position at the start; the towers must fit.
func newState(g *geometry, towers []Square) State {
	s := State{geo: g, need: uint8(len(towers)/2 + 1)}
	for y := range g.size {
		for x := range g.size {
			s.field.release(g.cell(Square{x, y}))
		}
	}
	for _, t := range towers {
		c := g.cell(t)
		s.field.cover(c)
		s.field.raise(c)
	}
	for i := range s.sides {
		c := g.cell(base(g.size, i))
		s.field.cover(c)
		s.sides[i] = side{head: c, ahead: ahead{c, freeBit}}
	}
	s.moves = s.movesOf(&s.sides[0])
	return s
}

// base is the square on which a player starts, 0 for Blue.
func base(size, player int) Square {
	if player == 0 {
		return Square{0, size - 1}
	}
	return Square{size - 1, 0}
}

// Seat is whose turn it is, or Nobody when the game is over.
func (s *State) Seat() engine.Seat {
	if s.ending != Ongoing {
		return engine.Nobody
	}
	return engine.Seat(s.mover + 1)
}

// Moves is the legal moves, empty exactly when the game is over.
func (s *State) Moves() Moves { return s.moves }

// Outcome is who won and why, or Nobody and Open.
func (s *State) Outcome() (winner engine.Seat, why Ending) {
	switch s.ending {
	case Ongoing:
		return engine.Nobody, Ongoing
	case SelfStuck:
		return engine.Seat(s.mover + 1), SelfStuck
	default: // the last mover, who is not to move now
		return engine.Seat(2 - s.mover), s.ending
	}
}

// movesOf is the legal moves of a player if it were his turn. Every direction
// but his last one leads one square, where only a free square will do.
func (s *State) movesOf(p *side) Moves {
	hit := s.field[p.ahead.to&(cells-1)] >> (p.ahead.bit & 7) & 1
	return s.field.around(p.head)&^p.bit | p.bit&-Moves(hit)
}

// Play plays a move, which must be one of Moves, for good.
func (s *State) Play(d Direction) {
	g := s.geo
	p, other := &s.sides[s.mover&1], &s.sides[s.mover&1^1]
	d &= 3
	step := delta[d]

	to := p.head + step
	if p.bit != bitOf[d] {
		p.ahead, p.boost, p.bit = g.turned[d][to&(cells-1)], 0, bitOf[d]
	} else {
		for ; to != p.ahead.to; to += step {
			s.field.pass(to)
		}
		if s.field.tower(to) {
			if p.taken++; p.taken == s.need {
				s.ending = Towers
			}
		}
		p.boost++
		p.ahead = g.after(d, to, p.boost)
	}
	s.field.cover(to)
	p.head = to

	s.mover ^= 1
	s.moves = s.movesOf(other)
	switch {
	case s.ending == Towers:
		s.moves = 0
	case s.moves == 0:
		s.ending = OpponentStuck
	case s.movesOf(p) == 0:
		s.ending, s.moves = SelfStuck, 0
	}
}

// Make plays a move, which must be one of Moves, and returns what takes it
// back.
func (s *State) Make(d Direction) Undo {
	p := &s.sides[s.mover&1]
	u := Undo{side: *p, moves: s.moves}
	step := delta[d&3]
	to := p.head + step
	if p.bit == bitOf[d&3] {
		for i := uint(0); to != p.ahead.to; i++ {
			u.filled |= uint32(s.field[to&(cells-1)]>>freeBit&1) << (i & 31)
			to += step
		}
	}
	u.took = s.field.tower(to)
	s.Play(d)
	return u
}

// Unmake takes back the last move that is still made, given what its Make
// returned.
func (s *State) Unmake(u Undo) {
	s.mover ^= 1
	p := &s.sides[s.mover&1]
	step := delta[p.last()&3]
	if u.took {
		s.field.raise(p.head)
	} else {
		s.field.release(p.head)
	}
	for c := u.side.head + step; c != p.head; c += step {
		if u.filled&1 != 0 {
			s.field.release(c)
		}
		u.filled >>= 1
	}
	*p = u.side
	s.moves, s.ending = u.moves, Ongoing
}
