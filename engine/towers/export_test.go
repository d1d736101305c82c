package towers

import (
	"fmt"

	"castellan/engine"
)

// Board describes a position; element 0 belongs to Blue.
type Board struct {
	Size    int
	Rules   []string
	Mover   engine.Seat
	Points  int
	Budget  int // move points at the start of the turn; Points if 0
	Reserve [2]int
	Towers  map[Square]Tower
	Locked  []Square
	Moved   bool // the turn has an action other than imports
	Passed  bool // the turn before was a pass
}

// Build returns a position, which need not be reachable. The open turn began
// with the same board unless its player has spent points.
func Build(b Board) (*Position, error) {
	p := start(b.Size, rulesOf(b.Rules))
	s := &p.state
	for _, square := range p.allSquares() {
		s.board[square.cell()] = 0
	}
	s.own, s.single, s.locked, s.master = [2]set{}, set{}, s.walls, [2]cell{nowhere, nowhere}
	for square, t := range b.Towers {
		if !p.contains(square) {
			return nil, fmt.Errorf("%v is not on the board", square)
		}
		tower := pawn(uint8(t.Owner-1)) - 1 + piece(t.Height)
		if t.Master {
			if s.master[t.Owner-1] != nowhere {
				return nil, fmt.Errorf("seat %d has two masters", t.Owner)
			}
			tower |= masterBit
		}
		s.put(square.cell(), tower)
	}
	for _, square := range b.Locked {
		s.locked.add(square.cell())
	}
	for i, n := range b.Reserve {
		s.reserve[i] = uint8(n)
	}
	s.mover = uint8(b.Mover - 1)
	s.beginTurn()
	s.points = uint8(b.Points)
	s.budget = uint8(max(b.Budget, b.Points))
	s.acted = s.budget != s.points || b.Moved
	if s.acted {
		s.before = [cells]piece{} // unlike every board, so that ending the turn is no pass
	}
	s.moved, s.passed = b.Moved, b.Passed
	p.history = (*history)(nil).add(s)
	p.turns = 2
	if s.master[0] == nowhere || s.master[1] == nowhere {
		s.ending = Master
	}
	return p, nil
}

// Actions returns every action that can be written, on the largest board.
func Actions() []Action {
	out := []Action{{kind: End}}
	for n := uint8(1); n <= 12; n++ {
		out = append(out, Action{kind: Import, count: n})
	}
	for a := range maxSize * maxSize {
		for b := range maxSize * maxSize {
			from, to := Square{a % maxSize, a / maxSize}.cell(), Square{b % maxSize, b / maxSize}.cell()
			out = append(out, Action{kind: Move, from: from, to: to}, Action{kind: TakeOut, from: from, to: to})
		}
	}
	return out
}
