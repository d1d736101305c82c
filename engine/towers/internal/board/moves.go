package board

import (
	"math/bits"
	"slices"
)

// Move is an action in sixteen bits: its kind in the two highest, the cell left,
// and in the lowest the cell entered or the number of pawns imported.
type Move uint16

// Kind is the kind of a move.
type Kind uint8

const (
	Walk   Kind = iota // a whole tower moves
	Out                // a pawn is taken out of a tower
	Import             // reserve pawns are put on the master
	End                // the turn ends
)

const EndTurn = Move(End) << 14

func NewMove(kind Kind, from, to Cell) Move {
	return Move(kind)<<14 | Move(from)<<7 | Move(to)
}

func (m Move) Kind() Kind { return Kind(m >> 14) }
func (m Move) From() Cell { return Cell(m >> 7 & 127) }
func (m Move) To() Cell   { return Cell(m & 127) }

// Distance returns the number of cells that a straight move covers.
func (m Move) Distance() int {
	d := int(m.To()) - int(m.From())
	if d < 0 {
		d = -d
	}
	if d >= Stride {
		d /= Stride
	}
	return d
}

// Step returns the step that leads from one cell towards another of its row or
// column.
func Step(from, to Cell) Cell {
	switch d := int(to) - int(from); {
	case d >= Stride:
		return Steps[1]
	case d <= -Stride:
		return Steps[3]
	case d > 0:
		return Steps[0]
	}
	return Steps[2]
}

// Order is an order of the directions of moves: for each set of neighbours (bits
// 0 to 3 are down, left, right and up), the steps to them, a byte each.
type Order [16]uint32

// The order of Legal in the rules, and the order in which the search lists moves.
// Saved playthroughs depend on the first, the strength of the levels on the
// second.
var (
	ByCell  = newOrder(Steps[3], Steps[2], Steps[0], Steps[1])
	Outward = newOrder(Steps[0], Steps[1], Steps[2], Steps[3])
)

func newOrder(steps ...Cell) *Order {
	var o Order
	for near := range o {
		for i := len(steps) - 1; i >= 0; i-- {
			if bit := slices.Index([]Cell{Steps[3], Steps[2], Steps[0], Steps[1]}, steps[i]); near>>bit&1 != 0 {
				o[near] = o[near]<<8 | uint32(steps[i])
			}
		}
	}
	return &o
}

// AppendMoves appends the legal moves: for each piece from a1 along the ranks
// its moves, in the order of the steps, then those of pawns taken out of it;
// imports from the smallest; the end of the turn. It appends nothing when the
// game is over.
func AppendMoves(s *State, to []Move, order *Order) []Move {
	if s.Ending != Ongoing {
		return to
	}
	to = AppendPieceMoves(s, to, order)
	if s.Points > 0 && s.CanImport() {
		for n := range Cell(s.Points) {
			to = append(to, NewMove(Import, 0, n+1))
		}
	}
	return append(to, EndTurn)
}

// AppendPieceMoves appends the legal moves of pieces.
func AppendPieceMoves(s *State, to []Move, order *Order) []Move {
	if s.Points == 0 {
		return to
	}
	pawns, others := s.pawnTargets(), s.targets()
	ready := s.Own[s.Mover&1].Without(s.Locked)
	for i, set := range [2]uint64{ready.Lo, ready.Hi} {
		for ; set != 0; set &= set - 1 {
			from := Cell(i<<6 + bits.TrailingZeros64(set))
			move, p := Move(from)<<7, s.Board[from&(Cells-1)]
			height := uint8(p & heightBits)
			switch {
			case p&^RedBit == 1:
				to = appendRays(s, to, move, p, s.Points, &pawns, order)
				continue
			case height <= s.Points:
				to = appendRays(s, to, move, p, s.Points/height, &others, order)
			}
			if height > 1 && (p.IsMaster() || s.Rules&TowerOut != 0) {
				to = appendRays(s, to, move|Move(Out)<<14, 1|p&RedBit, s.Points, &pawns, order)
			}
		}
	}
	return to
}

// pawnTargets returns the cells that a single pawn can enter from some
// direction: unlocked cells that are empty, own, or hold an enemy pawn.
func (s *State) pawnTargets() Set {
	own, enemy := s.Own[s.Mover&1], s.Own[s.Mover&1^1]
	return s.targets().Without(enemy.Without(own).Without(s.Single))
}

func (s *State) targets() Set { return Set{^s.Locked.Lo, ^s.Locked.Hi} }

// CanImport reports whether imports are allowed, given enough points.
func (s *State) CanImport() bool {
	return !s.Locked.Has(s.Master[s.Mover&1]) && (s.Rules&ImportFirst == 0 || !s.Moved)
}

// appendRays appends the move with each target of the piece up to reach cells
// away. It looks only at cells among targets.
func appendRays(s *State, to []Move, m Move, p Piece, reach uint8, targets *Set, order *Order) []Move {
	from := m.From()
	near := targets.neighbours(from)
	pawn := p&^RedBit == 1
	for steps := order[near&1|near>>9&2|near>>10&4|near>>19&8]; steps != 0; steps >>= 8 {
		step := Cell(steps)
		c := from.Next(step)
		for n := reach; ; {
			target := s.Board[c&(Cells-1)]
			if target != 0 && !pawn && !s.CanEnter(p, target) {
				break
			}
			to = append(to, m|Move(c))
			if n--; n == 0 || target != 0 {
				break
			}
			if c = c.Next(step); !targets.Has(c) {
				break
			}
		}
	}
	return to
}

// CanEnter reports whether a piece can move onto an occupied cell that is not
// locked.
func (s *State) CanEnter(p, target Piece) bool {
	if (p^target)&RedBit != 0 {
		return p&heightBits >= target&heightBits &&
			(s.Rules&NoMasterWin == 0 || p&target&MasterBit == 0)
	}
	// A single pawn raises any own tower; the master moves onto a single pawn.
	return p&heightBits == 1 && (!p.IsMaster() || target&heightBits == 1)
}

// IsLegal reports whether a straight move or an import is legal.
func (s *State) IsLegal(m Move) bool {
	from, to := m.From(), m.To()
	switch m.Kind() {
	case Import:
		return s.Points >= uint8(to) && s.CanImport()
	case End:
		return false
	}
	if !s.Own[s.Mover&1].Has(from) || s.Locked.Has(from) || s.Locked.Has(to) {
		return false
	}
	p := s.Board[from&(Cells-1)]
	cost := m.Distance()
	if m.Kind() == Walk {
		cost *= p.Height()
	} else {
		if p.Height() == 1 || !p.IsMaster() && s.Rules&TowerOut == 0 {
			return false
		}
		p = 1 | p&RedBit
	}
	if cost > int(s.Points) {
		return false
	}
	if target := s.Board[to&(Cells-1)]; target != 0 && !s.CanEnter(p, target) {
		return false
	}
	step := Step(from, to)
	for c := from.Next(step); c != to; c = c.Next(step) {
		if s.Board[c&(Cells-1)] != 0 {
			return false
		}
	}
	return true
}
