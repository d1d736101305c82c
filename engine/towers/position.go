package towers

import (
	"encoding/binary"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
)

// Position is an immutable position of the game.
type Position struct {
	state   State
	history *history // the positions between turns so far
	turns   int
}

var _ engine.Surveyor = (*Position)(nil)

// Tower is the content of a square: pawns of one player. The zero value is an
// empty square.
type Tower struct {
	Owner  engine.Seat
	Height int  // 1 for a single pawn
	Master bool // the master is one of the pawns
}

// start returns the starting position.
func start(size int, r rules) *Position {
	p := &Position{state: newState(size, r)}
	p.history = p.history.add(&p.state)
	return p
}

// State returns a copy of the mutable board.
func (p *Position) State() State { return p.state }

// Size returns the number of squares along an edge.
func (p *Position) Size() int { return int(p.state.size) }

// Rules returns the names of the specific rules in force, in the order of the
// rules page.
func (p *Position) Rules() []string { return p.state.rules.names() }

// contains reports whether the square is on the board.
func (p *Position) contains(s Square) bool {
	return s.X >= 0 && s.Y >= 0 && s.X < p.Size() && s.Y < p.Size()
}

// At returns the content of a square; it is empty off the board.
func (p *Position) At(s Square) Tower {
	if !p.contains(s) {
		return Tower{}
	}
	at := p.state.board[s.cell()]
	if at == 0 {
		return Tower{}
	}
	return Tower{Owner: engine.Seat(at.player() + 1), Height: at.height(), Master: at.isMaster()}
}

// Locked reports whether the square is locked until the end of the turn:
// nothing moves from, onto or out of it.
func (p *Position) Locked(s Square) bool { return p.contains(s) && p.state.locked.has(s.cell()) }

// Master returns the square of the master of seat 1 or 2; ok is false if it has
// been taken.
func (p *Position) Master(seat engine.Seat) (at Square, ok bool) {
	c := p.state.master[seat-1]
	if c == nowhere {
		return Square{}, false
	}
	return c.square(), true
}

// Reserve returns the number of pawns that the seat, 1 or 2, has in reserve.
func (p *Position) Reserve(seat engine.Seat) int { return int(p.state.reserve[seat-1]) }

// MovePoints returns the move points left in the open turn and those at its
// start.
func (p *Position) MovePoints() (left, of int) { return int(p.state.points), int(p.state.budget) }

// Seat returns the seat to act, or Nobody when the game is over.
func (p *Position) Seat() engine.Seat { return p.state.Seat() }

// Turns returns the number of completed turns, including one that takes a
// master.
func (p *Position) Turns() int { return p.turns }

// Legal returns the legal actions: moves and pawns taken out, square by square
// from a1 along the ranks, then imports, then the end of the turn.
func (p *Position) Legal() []engine.Action {
	var room [128]Action
	all := p.state.AppendLegal(room[:0])
	out := make([]engine.Action, len(all))
	for i, a := range all {
		out[i] = a
	}
	return out
}

// Parse reads an action: b2-b4, e1/f1, +2 or end.
func (p *Position) Parse(token string) (engine.Action, error) {
	if a, ok := scanAction(strings.ToLower(strings.TrimSpace(token))); ok {
		return a, nil
	}
	return nil, &engine.NotationError{Token: token, Why: texts.Phrase("towers.notation", "Token", token, "Examples", p.examples())}
}

// Apply returns the position after an action.
func (p *Position) Apply(action engine.Action) (engine.Position, error) {
	if why := p.illegalReason(action); !why.IsZero() {
		return nil, &engine.IllegalError{Action: action, Why: why}
	}
	next := *p
	next.state.Play(action.(Action))
	switch {
	case next.state.ending == Master:
		next.turns++
	case action.(Action).kind == End:
		next.turns++
		next.history = p.history.add(&next.state)
		if next.history.repeated && p.history.repeated && next.state.ending == Ongoing {
			next.state.ending = Repetition
		}
	}
	return &next, nil
}

// Result returns the winner, or the reason for a draw. There are no scores.
func (p *Position) Result() (engine.Result, bool) {
	winner, why := p.state.Outcome()
	if why == Ongoing {
		return engine.Result{}, false
	}
	r := engine.Result{Ranks: []int{1, 1}, Reason: why.String()}
	if winner != engine.Nobody {
		r.Winners = []engine.Seat{winner}
		r.Ranks[2-winner] = 2
	}
	return r, true
}

// Hash covers the cells, the locks, the reserves, the player to move with the
// move points and, under the rule import-first, whether imports are over. It
// leaves out how the turn began, which matters only to draws.
func (p *Position) Hash() uint64 {
	s := &p.state
	h := s.hash()
	h.Add(s.locked[0])
	h.Add(s.locked[1])
	closed := uint64(0)
	if s.rules&importFirst != 0 && s.moved {
		closed = 1
	}
	h.Add(uint64(s.rules)<<32 | uint64(s.size)<<16 | uint64(s.points)<<8 | closed)
	return uint64(h)
}

// hash covers the cells, the reserves and the player to move.
func (s *State) hash() (h grid.Hash) {
	var row [8]byte
	for i := 0; i < cells; i += len(row) {
		for j := range row {
			row[j] = byte(s.board[i+j])
		}
		h.Add(binary.LittleEndian.Uint64(row[:]))
	}
	h.Add(uint64(s.reserve[0])<<16 | uint64(s.reserve[1])<<8 | uint64(s.mover))
	return h
}
