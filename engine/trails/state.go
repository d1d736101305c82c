package trails

import "castellan/engine"

// Ending is how a game ended.
type Ending uint8

// The endings, in the order in which they are checked after a move.
const (
	Open          Ending = iota // the game goes on
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
	ahead cell      // where his last direction leads next; his head, which is never free, if nowhere
	bit   Moves     // his last direction, empty before his first move
	open  uint8     // 1 where ahead is not cut short by the edge: a tower there can be taken
	boost uint8     // after his last move
	last  Direction // or none
	taken uint8
}

// State is a position to play and take back moves in, without allocation. It
// knows what is free but not who occupies what, which matters to no rule.
// Copies are independent.
type State struct {
	free   board
	towers board // those not taken
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
	filled uint32 // which squares of the way were free, bit 0 next to the head
	moves  Moves
	took   bool
}

// newState is the position at the start; the towers must fit.
func newState(g *geometry, towers []Square) State {
	s := State{geo: g, need: uint8(len(towers)/2 + 1)}
	for y := range g.size {
		for x := range g.size {
			s.free.set(g.cell(Square{x, y}))
		}
	}
	for _, t := range towers {
		c := g.cell(t)
		s.free.clear(c)
		s.towers.set(c)
	}
	for i := range s.sides {
		c := g.cell(base(g.size, i))
		s.free.clear(c)
		s.sides[i] = side{head: c, ahead: c, last: none}
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
	if s.ending != Open {
		return engine.Nobody
	}
	return engine.Seat(s.mover + 1)
}

// Moves is the legal moves, empty exactly when the game is over.
func (s *State) Moves() Moves { return s.moves }

// Outcome is who won and why, or Nobody and Open.
func (s *State) Outcome() (winner engine.Seat, why Ending) {
	switch s.ending {
	case Open:
		return engine.Nobody, Open
	case SelfStuck:
		return engine.Seat(s.mover + 1), SelfStuck
	default: // the last mover, who is not to move now
		return engine.Seat(2 - s.mover), s.ending
	}
}

// movesOf is the legal moves of a player if it were his turn. Every direction
// but his last one leads one square, where only a free square will do.
func (s *State) movesOf(p *side) Moves {
	g := s.geo
	from := p.head - g.stride
	near := s.free[from>>6&(words-1)]>>(from&63) | s.free[(from>>6+1)&(words-1)]<<1<<(^from&63)
	m := Moves(near & g.around * g.gather >> 60)
	w := p.ahead >> 6 & (words - 1)
	hit := (s.free[w] | s.towers[w]&-uint64(p.open)) >> (p.ahead & 63) & 1
	return m&^p.bit | p.bit&-Moves(hit)
}

// Make plays a move, which must be one of Moves, and returns what takes it
// back.
func (s *State) Make(d Direction) Undo {
	g := s.geo
	p := &s.sides[s.mover&1]
	u := Undo{side: *p, moves: s.moves}
	d &= 3
	delta := g.delta[d]

	to, boost := p.head+delta, uint8(0)
	if p.bit == bitOf[d] {
		to, boost = p.ahead, p.boost+1
	}
	// Towers are not free, so the way leaves them as they are.
	for c, i := p.head, uint(0); c != to; i++ {
		c += delta
		word := &s.free[c>>6&(words-1)]
		u.filled |= uint32(*word>>(c&63)&1) << (i & 31)
		*word &^= 1 << (c & 63)
	}
	if s.towers.has(to) {
		s.towers.clear(to)
		p.taken++
		u.took = true
	}

	room, reach := g.room[d][to&(cells-1)], boost+2
	p.open = 1
	if reach > room {
		reach, p.open = room, 0
	}
	p.head, p.ahead = to, to+cell(reach)*delta
	p.boost, p.last, p.bit = boost, d, bitOf[d]

	s.mover ^= 1
	s.moves = s.movesOf(&s.sides[s.mover&1])
	switch {
	case p.taken >= s.need:
		s.ending, s.moves = Towers, 0
	case s.moves == 0:
		s.ending = OpponentStuck
	case s.movesOf(p) == 0:
		s.ending, s.moves = SelfStuck, 0
	}
	return u
}

// Unmake takes back the last move that is still made, given what its Make
// returned.
func (s *State) Unmake(u Undo) {
	s.mover ^= 1
	p := &s.sides[s.mover&1]
	delta := s.geo.delta[p.last&3]
	if u.took {
		s.towers.set(p.head)
	}
	for c, i := u.side.head, uint(0); c != p.head; i++ {
		c += delta
		s.free[c>>6&(words-1)] |= uint64(u.filled>>(i&31)&1) << (c & 63)
	}
	*p = u.side
	s.moves, s.ending = u.moves, Open
}
