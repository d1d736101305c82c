package towers

import (
	"encoding/binary"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
	"castellan/engine/towers/internal/board"
)

// Position is an immutable position of the game.
type Position struct {
	state board.State
	turns int
}

var _ engine.Surveyor = (*Position)(nil)

// Tower is the content of a square: pawns of one player. The zero value is an
// empty square.
type Tower struct {
	Owner  engine.Seat
	Height int  // 1 for a single pawn
	Master bool // the master is one of the pawns
}

func start(size int, r board.Rules) *Position {
	return &Position{state: *board.New(size, r)}
}

// State returns a copy of the state, for the computer players.
func (p *Position) State() *board.State {
	s := new(board.State)
	s.CopyFrom(&p.state)
	return s
}

func (p *Position) Size() int { return int(p.state.Size) }

// Rules returns the names of the specific rules in force, in the order of the
// rules page.
func (p *Position) Rules() (names []string) {
	for i, name := range ruleNames {
		if p.state.Rules>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

func (p *Position) contains(s Square) bool {
	return s.X >= 0 && s.Y >= 0 && s.X < p.Size() && s.Y < p.Size()
}

// At returns the content of a square; it is empty off the board.
func (p *Position) At(s Square) Tower {
	if !p.contains(s) {
		return Tower{}
	}
	at := p.state.Board[cellOf(s)]
	if at == 0 {
		return Tower{}
	}
	return Tower{Owner: engine.Seat(at.Player() + 1), Height: at.Height(), Master: at.IsMaster()}
}

// Locked reports whether the square is locked until the end of the turn:
// nothing moves from, onto or out of it.
func (p *Position) Locked(s Square) bool { return p.contains(s) && p.state.Locked.Has(cellOf(s)) }

// Master returns the square of the master of seat 1 or 2; ok is false if it has
// been taken.
func (p *Position) Master(seat engine.Seat) (at Square, ok bool) {
	c := p.state.Master[seat-1]
	if c == board.Nowhere {
		return Square{}, false
	}
	return squareOf(c), true
}

func (p *Position) Reserve(seat engine.Seat) int { return int(p.state.Reserve[seat-1]) }

// MovePoints returns the move points left in the open turn and those at its
// start.
func (p *Position) MovePoints() (left, of int) { return int(p.state.Points), int(p.state.Budget) }

func (p *Position) Seat() engine.Seat {
	if p.state.Ending != board.Ongoing {
		return engine.Nobody
	}
	return engine.Seat(p.state.Mover + 1)
}

// Turns returns the number of completed turns, including one that takes a
// master.
func (p *Position) Turns() int { return p.turns }

// Legal returns the legal actions: moves and pawns taken out, square by square
// from a1 along the ranks, then imports, then the end of the turn.
func (p *Position) Legal() []engine.Action {
	var room [128]board.Move
	all := board.AppendMoves(&p.state, room[:0], board.ByCell)
	out := make([]engine.Action, len(all))
	for i, m := range all {
		out[i] = ActionOf(m)
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

func (p *Position) Apply(action engine.Action) (engine.Position, error) {
	if why := p.illegalReason(action); !why.IsZero() {
		return nil, &engine.IllegalError{Action: action, Why: why}
	}
	next := &Position{state: p.state.After(action.(Action).move), turns: p.turns}
	if action.(Action).kind == End || next.state.Ending == board.Master {
		next.turns++
	}
	return next, nil
}

// Result returns the winner, or the reason for a draw. There are no scores.
func (p *Position) Result() (engine.Result, bool) {
	why := p.state.Ending
	if why == board.Ongoing {
		return engine.Result{}, false
	}
	r := engine.Result{Ranks: []int{1, 1}, Reason: why.String()}
	if why == board.Master {
		r.Winners = []engine.Seat{engine.Seat(p.state.Mover + 1)}
		r.Ranks[1-p.state.Mover] = 2
	}
	return r, true
}

// Hash covers the cells, the locks, the reserves, the player to move with the
// move points and, under the rule import-first, whether imports are over. It
// leaves out how the turn began, which matters only to draws.
func (p *Position) Hash() uint64 {
	s := &p.state
	var h grid.Hash
	var row [8]byte
	for i := 0; i < board.Cells; i += len(row) {
		for j := range row {
			row[j] = byte(s.Board[i+j])
		}
		h.Add(binary.LittleEndian.Uint64(row[:]))
	}
	h.Add(uint64(s.Reserve[0])<<16 | uint64(s.Reserve[1])<<8 | uint64(s.Mover))
	h.Add(s.Locked.Lo)
	h.Add(s.Locked.Hi)
	closed := uint64(0)
	if s.Rules&board.ImportFirst != 0 && s.Moved {
		closed = 1
	}
	h.Add(uint64(s.Rules)<<32 | uint64(s.Size)<<16 | uint64(s.Points)<<8 | closed)
	return uint64(h)
}
