package ai

import (
	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// state is the search state. A move is the number of a cell: there is never a
// choice between building and fortifying.
type state struct {
	at     [maxCells]square
	sum    tapered // score of all squares, for Red
	hash   uint64  // of all squares
	owned  [2]int16
	left   int16 // turns of both players together
	geo    *geometry
	tables *evalTables
	log    []change // changed squares, for Unmake
	marks  []mark
	falls  []fall            // castles still to fall in spread
	gainAt [maxCells]tapered // buffer of EvaluateMoves
}

// change is the earlier content of a cell.
type change struct {
	at  cell
	was square
}

// mark holds the values that Unmake restores besides the squares.
type mark struct {
	sum   tapered
	hash  uint64
	owned [2]int16
	log   int32
}

// fall is a taken castle whose influence is still to be replaced.
type fall struct {
	at    cell
	level int
}

var (
	_ search.Playouter = (*state)(nil)
	_ search.Evaluator = (*state)(nil)
)

// newState returns the search state of a position.
func newState(p *stonetowers.Position, w *evalTables) *state {
	s := &state{
		geo: newGeometry(p.Width(), p.Height()), tables: w,
		left: int16(2*p.TurnsPerPlayer() - p.Turns()),
		// Enough for most searches; append grows them.
		log: make([]change, 0, 4096), marks: make([]mark, 0, 256), falls: make([]fall, 0, 64),
	}
	for c := range s.at {
		s.at[c] = even | square(outside)<<ownerShift
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

// player returns the player to move. The total number of turns is even.
func (s *state) player() int { return int(s.left) & 1 }

// Seat returns the seat to move, 0 for Red, or -1.
func (s *state) Seat() int {
	if s.left == 0 {
		return -1
	}
	return s.player()
}

// Seats returns 2.
func (s *state) Seats() int { return 2 }

// Moves appends all legal moves by file and rank.
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

// grow builds or fortifies and spreads influence.
func (s *state) grow(c cell) {
	q, player := s.at[c], s.player()
	s.log = append(s.log, change{c, q})
	next := q + 1<<levelShift
	if q.owner() == free {
		next = q.with(ownerOf(player), 1)
		s.owned[player]++
	}
	s.at[c] = next
	s.sum += s.tables.value[next&(squares-1)] - s.tables.value[q&(squares-1)]
	s.hash ^= key(c, q) ^ key(c, next)
	s.falls = append(s.falls[:0], fall{c, 1})
	for len(s.falls) > 0 {
		f := s.falls[len(s.falls)-1]
		s.falls = s.falls[:len(s.falls)-1]
		s.spread(f.at, f.level, player)
	}
}

// spread raises the player's influence on a cell and its neighbours and gives
// them the squares on which they lead now. The order in which castles fall does
// not matter: every change works in the same direction.
func (s *state) spread(c cell, levels, player int) {
	up, goes := square(levels*sign(player)), &rules[player].goes
	for _, n := range [...]cell{c, c - 1, c + 1, c - s.geo.stride, c + s.geo.stride} {
		q := s.at[n]
		if q.owner() == outside {
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
			next = next.with(ownerOf(player), 0)
			s.hash ^= key(n, q) ^ key(n, next)
		}
		s.at[n] = next
		s.sum += s.tables.value[next&(squares-1)] - s.tables.value[q&(squares-1)]
	}
}

// Unmake takes back the last move.
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

// Hash covers the squares and the turns left, which imply the side to move. The
// lead follows from the castles.
func (s *state) Hash() uint64 { return s.hash ^ uint64(s.left)*0x9e3779b97f4a7c15 }

// key returns the part of a square in the hash, from its cell, owner and level
// (Zobrist, 1970). It is computed, not looked up.
func key(c cell, q square) uint64 {
	return search.Mix(uint64(c)<<4 | uint64(q>>levelShift)&15)
}

// Payoffs gives the win to the player with more squares, or half to each.
func (s *state) Payoffs(values []float64) {
	switch d := s.owned[0] - s.owned[1]; {
	case d > 0:
		values[0], values[1] = 1, 0
	case d < 0:
		values[0], values[1] = 0, 1
	default:
		values[0], values[1] = 0.5, 0.5
	}
}

// Actions returns the action of a move.
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

// MovesLeft returns the turns left, of both players together.
func (s *state) MovesLeft() int { return int(s.left) }
