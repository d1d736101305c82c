package ai

import (
	"fmt"
	"math/bits"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// side is one player.
type side struct {
	head  cell
	dir   uint8 // of the last move, or none
	boost uint8 // after the last move
	taken uint8
}

// State is the search state. It knows which squares are free but not who
// occupies the others, which no rule needs.
type State struct {
	geo    *geometry
	free   board
	tower  board // not yet taken
	sides  [2]side
	filled uint64 // hash of free and tower
	legal  uint8  // legal directions of the mover, 0 when the game is over
	mover  uint8
	need   uint8 // towers to win
	winner int8  // -1 while the game goes on
	avoid  uint8 // directions that Moves leaves out at the root
	made   []undo
}

// undo holds the values that Unmake restores.
type undo struct {
	free   board
	filled uint64
	side   side
	legal  uint8
	took   bool
}

var (
	_ search.Evaluator = (*State)(nil)
	_ search.Playouter = (*State)(nil)
)

// New returns the search state of a position. It fails for positions of other
// games.
func New(p engine.Position) (*State, error) {
	t, ok := p.(*trails.Position)
	if !ok {
		return nil, fmt.Errorf("trails/ai: a position of %s is needed, not a %T", trails.Key, p)
	}
	g := newGeometry(t.Size())
	s := &State{geo: g, need: uint8(t.TowersToWin()), winner: -1, made: make([]undo, 0, g.cells)}
	for y := range g.size {
		for x := range g.size {
			square := trails.Square{X: x, Y: y}
			if t.Owner(square) == engine.Nobody {
				s.free.set(g.cell(square))
			}
		}
	}
	for _, tower := range t.Towers() {
		if tower.Owner == engine.Nobody {
			s.free.drop(g.cell(tower.Square))
			s.tower.set(g.cell(tower.Square))
		}
	}
	for i := range s.sides {
		seat := engine.Seat(i + 1)
		s.sides[i] = side{head: g.cell(t.Head(seat)), dir: none, boost: uint8(t.Boost(seat)), taken: uint8(t.Taken(seat))}
		if d, ok := t.LastDirection(seat); ok {
			s.sides[i].dir = uint8(d)
		}
	}
	s.filled = s.hashBoard()
	if seat := t.Seat(); seat != engine.Nobody {
		s.mover = uint8(seat - 1)
		s.legal = s.legalFor(&s.sides[s.mover])
	} else if r, ok := t.Result(); ok {
		s.winner = int8(r.Winners[0] - 1)
	}
	return s, nil
}

// newState is New with the type that search.Engine needs.
func newState(p engine.Position) (search.State, error) {
	s, err := New(p)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// hashBoard hashes free squares, towers and the options of the match.
func (s *State) hashBoard() uint64 {
	h := search.Mix(uint64(s.geo.size)<<40 | uint64(s.need)<<50)
	for c := range cell(s.geo.cells) {
		switch {
		case s.tower.has(c):
			h ^= s.geo.rook[c]
		case !s.free.has(c):
			h ^= s.geo.fill[c]
		}
	}
	return h
}

// legalFor returns the legal directions of a player if it were their turn.
func (s *State) legalFor(p *side) (set uint8) {
	next := &s.geo.next[p.head]
	for d := range uint8(directions) {
		if s.free.has(next[d]) {
			set |= 1 << d
		}
	}
	if p.dir != none {
		set &^= 1 << p.dir
		if s.canContinue(p) {
			set |= 1 << p.dir
		}
	}
	return set
}

// canContinue reports whether a player could move on in the same direction.
func (s *State) canContinue(p *side) bool {
	to, cut := s.geo.target(p.dir, p.head, p.boost)
	return s.free.has(to) || !cut && s.tower.has(to)
}

// destination returns where a legal direction leads the mover.
func (s *State) destination(d uint8) cell {
	p := &s.sides[s.mover]
	if d == p.dir {
		to, _ := s.geo.target(d, p.head, p.boost)
		return to
	}
	return s.geo.next[p.head][d]
}

// Seat returns the seat to move, counted from 0, or -1.
func (s *State) Seat() int {
	if s.winner >= 0 {
		return -1
	}
	return int(s.mover)
}

// Seats returns 2.
func (s *State) Seats() int { return 2 }

// Moves appends the legal moves, one that takes a tower first. A move holds a
// direction and its destination, so that the same number means the same end of
// a trail everywhere.
func (s *State) Moves(to []search.Move) []search.Move {
	p, legal, begin := &s.sides[s.mover], s.legal, len(to)
	if len(s.made) == 0 {
		legal &^= s.avoid
	}
	if p.dir != none && legal>>p.dir&1 != 0 {
		to = append(to, move(p.dir, s.destination(p.dir)))
	}
	first := len(to)
	for set := legal; set != 0; set &= set - 1 {
		d := uint8(bits.TrailingZeros8(set))
		if d != p.dir {
			to = append(to, move(d, s.geo.next[p.head][d]))
		}
	}
	if first > begin && first < len(to) && !s.tower.has(cell(to[first-1]>>2)) {
		// A run without a tower fills more squares than a turn, and
		// comes last.
		run := to[first-1]
		copy(to[first-1:], to[first:])
		to[len(to)-1] = run
	}
	return to
}

func move(d uint8, to cell) search.Move { return search.Move(to)<<2 | search.Move(d) }

// Make plays one of the moves.
func (s *State) Make(m search.Move) {
	u := undo{free: s.free, filled: s.filled, side: s.sides[s.mover], legal: s.legal}
	u.took = s.play(uint8(m & 3))
	s.made = append(s.made, u)
}

// Unmake takes back the last move.
func (s *State) Unmake() {
	u := &s.made[len(s.made)-1]
	s.made = s.made[:len(s.made)-1]
	s.mover ^= 1
	p := &s.sides[s.mover]
	if u.took {
		s.tower.set(p.head)
	}
	s.free, s.filled, s.legal, s.winner = u.free, u.filled, u.legal, -1
	*p = u.side
}

// play makes a legal move without undo and reports whether it took a tower.
func (s *State) play(d uint8) (took bool) {
	g, p, other := s.geo, &s.sides[s.mover&1], &s.sides[s.mover&1^1]
	if d != p.dir {
		p.head = g.next[p.head][d&3]
		p.dir, p.boost = d, 0
		s.free.drop(p.head)
		s.filled ^= g.fill[p.head]
	} else {
		to, _ := g.target(d, p.head, p.boost)
		for c := p.head; c != to; {
			c = g.next[c][d&3]
			if s.free.has(c) {
				s.free.drop(c)
				s.filled ^= g.fill[c]
			}
		}
		if took = s.tower.has(to); took {
			s.tower.drop(to)
			s.filled ^= g.rook[to] ^ g.fill[to]
			p.taken++
		}
		p.head = to
		p.boost++
	}
	won := s.mover
	s.mover ^= 1
	s.legal = s.legalFor(other)
	switch {
	case took && p.taken == s.need:
	case s.legal == 0:
	case s.legalFor(p) == 0:
		won ^= 1
	default:
		return took
	}
	s.winner, s.legal = int8(won), 0
	return took
}

// Hash covers what can still matter. A direction in which a player can never
// run again is like any other, because squares never become free.
func (s *State) Hash() uint64 {
	h := s.filled ^ uint64(s.mover)*0x9e3779b97f4a7c15
	for i := range s.sides {
		p := &s.sides[i]
		run := uint64(none)
		switch {
		case p.dir == none:
		case s.canContinue(p):
			run = uint64(p.dir) | (uint64(p.boost)+1)<<3
		case s.free.has(s.geo.next[p.head][p.dir]):
			run = uint64(p.dir)
		}
		h ^= search.Mix(uint64(p.head) | run<<10 | uint64(p.taken)<<20 | uint64(i+1)<<30)
	}
	return h
}

// Payoffs gives the winner everything.
func (s *State) Payoffs(values []float64) {
	values[s.winner&1], values[s.winner&1^1] = 1, 0
}

// Actions returns the direction of a move.
func (s *State) Actions(m search.Move) []engine.Action {
	return []engine.Action{trails.Direction(m & 3)}
}
