package ai

import (
	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/towers"
	"math/rand/v2"
)

// The kinds of moves are the two highest of a move's sixteen bits. The lower
// ones are the cell left, and the cell entered or the number of pawns imported.
const (
	kindMove = iota
	kindOut
	kindImport
	kindEnd
)

const moveEnd = search.Move(kindEnd << 14)

func moveOf(kind int, from, to cell) search.Move {
	return search.Move(kind)<<14 | search.Move(from)<<7 | search.Move(to)
}

func parts(m search.Move) (kind int, from, to cell) {
	return int(m >> 14 & 3), cell(m >> 7 & 127), cell(m & 127)
}

// Moves appends all legal actions, long moves first, imports and the end of the
// turn last.
func (s *State) Moves(to []search.Move) []search.Move {
	if s.ending != open {
		return to
	}
	to = s.pieceMoves(to)
	if s.points > 0 && s.canImport() {
		for n := uint8(1); n <= s.points; n++ {
			to = append(to, moveOf(kindImport, 0, cell(n)))
		}
	}
	return append(to, moveEnd)
}

// pieceMoves appends the legal actions of towers and pawns that move.
func (s *State) pieceMoves(to []search.Move) []search.Move {
	if s.points == 0 {
		return to
	}
	for free := s.own[s.mover&1].without(s.locked); !free.empty(); {
		from := free.first()
		free.remove(from)
		p := s.board[from&(cells-1)]
		height := p.height()
		if height <= int(s.points) {
			to = s.rays(to, kindMove, from, p, int(s.points)/height)
		}
		if height > 1 && (p.isMaster() || s.rules&towerOut != 0) {
			to = s.rays(to, kindOut, from, 1|p&redBit, int(s.points))
		}
	}
	return to
}

// canImport reports whether a pawn could be imported, given the points.
func (s *State) canImport() bool {
	return !s.locked.has(s.master[s.mover&1]) && (s.rules&importFirst == 0 || !s.moved)
}

// rays appends every target of a piece up to reach cells away.
func (s *State) rays(to []search.Move, kind int, from cell, p piece, reach int) []search.Move {
	for _, step := range steps {
		c := from
		for range reach {
			c = c.next(step)
			target := s.board[c&(cells-1)]
			if target == wall {
				break
			}
			if target == 0 {
				to = append(to, moveOf(kind, from, c))
				continue
			}
			if !s.locked.has(c) && s.mayEnter(p, target) {
				to = append(to, moveOf(kind, from, c))
			}
			break
		}
	}
	return to
}

// mayEnter reports whether a piece may enter an occupied cell that is not
// locked.
func (s *State) mayEnter(p, target piece) bool {
	if (p^target)&redBit != 0 {
		return p&heightBits >= target&heightBits &&
			(s.rules&noMasterWin == 0 || p&target&masterBit == 0)
	}
	return p&heightBits == 1 && (!p.isMaster() || target&heightBits == 1)
}

// isLegal reports whether an action other than the end is legal.
func (s *State) isLegal(m search.Move) bool {
	kind, from, to := parts(m)
	switch kind {
	case kindImport:
		return int(s.points) >= int(to) && s.canImport()
	case kindEnd:
		return false
	}
	if !s.own[s.mover&1].has(from) || s.locked.has(from) || s.locked.has(to) {
		return false
	}
	p := s.board[from&(cells-1)]
	cost := span(from, to)
	if kind == kindMove {
		cost *= p.height()
	} else {
		if p.height() == 1 || !p.isMaster() && s.rules&towerOut == 0 {
			return false
		}
		p = 1 | p&redBit
	}
	if cost > int(s.points) {
		return false
	}
	if target := s.board[to&(cells-1)]; target != 0 && !s.mayEnter(p, target) {
		return false
	}
	step := stepTo(from, to)
	for c := from.next(step); c != to; c = c.next(step) {
		if s.board[c&(cells-1)] != 0 {
			return false
		}
	}
	return true
}

// stepTo returns the step that leads from one cell towards another of its row or
// column.
func stepTo(from, to cell) cell {
	switch d := int(to) - int(from); {
	case d >= stride:
		return steps[1]
	case d <= -stride:
		return steps[3]
	case d > 0:
		return steps[0]
	default:
		return steps[2]
	}
}

// Actions returns the action of a move.
func (s *State) Actions(m search.Move) []engine.Action { return []engine.Action{actionOf(m)} }

func actionOf(m search.Move) engine.Action {
	kind, from, to := parts(m)
	switch kind {
	case kindImport:
		return towers.NewAction(towers.Import, towers.Square{}, towers.Square{}, int(to))
	case kindEnd:
		return towers.NewAction(towers.End, towers.Square{}, towers.Square{}, 0)
	case kindOut:
		return towers.NewAction(towers.TakeOut, from.square(), to.square(), 0)
	}
	return towers.NewAction(towers.Move, from.square(), to.square(), 0)
}

// Playout plays uniformly random legal actions to the end of the game.
func (s *State) Playout(random *rand.PCG, values []float64) {
	made := 0
	for s.ending == open {
		s.moves = s.Moves(s.moves[:0])
		s.Make(s.moves[random.Uint64()>>32*uint64(len(s.moves))>>32])
		made++
	}
	s.Payoffs(values)
	for range made {
		s.Unmake()
	}
}
