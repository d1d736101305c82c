package ai

import (
	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// state is a position to search in. A move is the number of a cell, on which
// there is never a choice between building and fortifying.
type state struct {
	at    [rooms]square
	sum   pair   // of the worth of all squares, to Red
	hash  uint64 // of all squares
	owned [2]int16
	left  int16 // turns, of both players together
	geo   *geometry
	worth *worth
	log   []change // what Unmake has to put back
	marks []mark
	falls []fall      // castles that still have to fall in spread
	grown [rooms]pair // room for Foresee
}

// change is what a cell was before.
type change struct {
	at  cell
	was square
}

// mark is what Unmake puts back but for the squares.
type mark struct {
	sum   pair
	hash  uint64
	owned [2]int16
	log   int32
}

// fall is a castle that has been taken and the influence that went with it.
type fall struct {
	at    cell
	level int
}

var (
	_ search.Playouter = (*state)(nil)
	_ search.Evaluator = (*state)(nil)
)

// newState is a position of Stone Towers as searches walk it.
func newState(p *stonetowers.Position, w *worth) *state {
	s := &state{
		geo: newGeometry(p.Width(), p.Height()), worth: w,
		left: int16(2*p.TurnsPerPlayer() - p.Turns()),
		// Room for what searches make; more is made when it is needed.
		log: make([]change, 0, 4096), marks: make([]mark, 0, 256), falls: make([]fall, 0, 64),
	}
	for c := range s.at {
		s.at[c] = even | square(beyond)<<ownerShift
	}
	for _, c := range s.geo.cells {
		where := s.geo.square(c)
		lead := p.Influence(1, where) - p.Influence(2, where)
		q := square(int(even) + lead)
		q |= square(placeOf(where, p.Width(), p.Height())) << placeShift
		q = q.with(owner(p.Owner(where)), p.Level(where))
		s.at[c] = q
		s.sum += w.value[q]
		s.hash ^= key(c, q)
		if o := q.owner(); o != free {
			s.owned[o-1]++
		}
	}
	return s
}

func placeOf(s stonetowers.Square, width, height int) place {
	at := inside
	if s.X == 0 || s.X == width-1 {
		at++
	}
	if s.Y == 0 || s.Y == height-1 {
		at++
	}
	return at
}

// player is whose turn it is: the turns of both are of even number.
func (s *state) player() int { return int(s.left) & 1 }

// Seat is whose turn it is, 0 for Red.
func (s *state) Seat() int {
	if s.left == 0 {
		return -1
	}
	return s.player()
}

// Seats is two.
func (s *state) Seats() int { return 2 }

// Moves is every legal move, by file and then by rank.
func (s *state) Moves(to []search.Move) []search.Move {
	if s.left == 0 {
		return to
	}
	before, open := len(to), &rules[s.player()].open
	for _, c := range s.geo.cells {
		if open[s.at[c]&(squares-1)] {
			to = append(to, search.Move(c))
		}
	}
	if len(to) == before {
		to = append(to, search.Move(pass))
	}
	return to
}

// Make plays a move.
func (s *state) Make(m search.Move) {
	s.marks = append(s.marks, mark{s.sum, s.hash, s.owned, int32(len(s.log))})
	if c := cell(m); c != pass {
		s.grow(c)
	}
	s.left--
}

// grow builds or fortifies, and lets influence spread.
func (s *state) grow(c cell) {
	q, player := s.at[c], s.player()
	s.log = append(s.log, change{c, q})
	next := q + 1<<levelShift
	if q.owner() == free {
		next = q.with(of(player), 1)
		s.owned[player]++
	}
	s.at[c] = next
	s.sum += s.worth.value[next&(squares-1)] - s.worth.value[q&(squares-1)]
	s.hash ^= key(c, q) ^ key(c, next)
	s.falls = append(s.falls[:0], fall{c, 1})
	for len(s.falls) > 0 {
		f := s.falls[len(s.falls)-1]
		s.falls = s.falls[:len(s.falls)-1]
		s.spread(f.at, f.level, player)
	}
}

// spread raises the player's influence on a cell and its neighbours and gives
// him those on which he leads now. The order in which castles fall does not
// matter, since all of it works one way.
func (s *state) spread(c cell, levels, player int) {
	up, goes := square(levels*sign(player)), &rules[player].goes
	for _, n := range [...]cell{c, c - 1, c + 1, c - s.geo.stride, c + s.geo.stride} {
		q := s.at[n]
		if q.owner() == beyond {
			continue
		}
		s.log = append(s.log, change{n, q})
		next := q + up
		if goes[next&(squares-1)] {
			if q.owner() != free {
				s.owned[1-player]--
				if level := q.level(); level > 0 {
					s.falls = append(s.falls, fall{n, level})
				}
			}
			s.owned[player]++
			next = next.with(of(player), 0)
			s.hash ^= key(n, q) ^ key(n, next)
		}
		s.at[n] = next
		s.sum += s.worth.value[next&(squares-1)] - s.worth.value[q&(squares-1)]
	}
}

// Unmake takes the last move back.
func (s *state) Unmake() {
	last := len(s.marks) - 1
	m := &s.marks[last]
	for i := len(s.log) - 1; i >= int(m.log); i-- {
		s.at[s.log[i].at] = s.log[i].was
	}
	s.sum, s.hash, s.owned = m.sum, m.hash, m.owned
	s.log, s.marks = s.log[:m.log], s.marks[:last]
	s.left++
}

// Hash covers the squares and the turns that are left, which say whose turn it
// is. The lead follows from the castles.
func (s *state) Hash() uint64 { return s.hash ^ uint64(s.left)*0x9e3779b97f4a7c15 }

// key is the part of a square in the hash, of the cell, its owner and level
// (Zobrist, 1970), computed instead of kept in a table.
func key(c cell, q square) uint64 {
	return search.Mix(uint64(c)<<4 | uint64(q>>levelShift)&15)
}

// Share gives all to who owns more squares, or each a half.
func (s *state) Share(values []float64) {
	switch d := s.owned[0] - s.owned[1]; {
	case d > 0:
		values[0], values[1] = 1, 0
	case d < 0:
		values[0], values[1] = 0, 1
	default:
		values[0], values[1] = 0.5, 0.5
	}
}

// Actions is the one action that a move is.
func (s *state) Actions(m search.Move) []engine.Action {
	c := cell(m)
	a := stonetowers.Action{Kind: stonetowers.Pass}
	if c != pass {
		a = stonetowers.Action{Kind: stonetowers.Build, Square: s.geo.square(c)}
		if s.at[c].level() > 0 {
			a.Kind = stonetowers.Fortify
		}
	}
	return []engine.Action{a}
}

// Left is how many turns remain, of both players together.
func (s *state) Left() int { return int(s.left) }
