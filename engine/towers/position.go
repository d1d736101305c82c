package towers

import (
	"encoding/binary"
	"math/bits"

	"castellan/engine"
)

// Position is a position of the game. It never changes.
type Position struct {
	state State
	past  *past // the positions between turns up to now
	turns int
}

var _ engine.Position = (*Position)(nil)

// Tower is what stands on a square: pawns of one player. The zero value is an
// empty square.
type Tower struct {
	Owner  engine.Seat
	Height int  // 1 for a single pawn
	Master bool // the master is one of the pawns
}

// start is the position at the start.
func start(size int, r rules) *Position {
	p := &Position{state: newState(size, r)}
	p.past = p.past.with(&p.state)
	return p
}

// State is a copy of the board to play in.
func (p *Position) State() State { return p.state }

// Size is the number of squares along an edge.
func (p *Position) Size() int { return int(p.state.size) }

// Rules is the names of the specific rules in force, in the order of the rules
// page.
func (p *Position) Rules() []string { return p.state.rules.names() }

// holds reports whether the square is on the board.
func (p *Position) holds(s Square) bool {
	return s.X >= 0 && s.Y >= 0 && s.X < p.Size() && s.Y < p.Size()
}

// At is what stands on the square; nothing where it is not on the board.
func (p *Position) At(s Square) Tower {
	if !p.holds(s) {
		return Tower{}
	}
	at := p.state.board[s.cell()]
	if at == 0 {
		return Tower{}
	}
	return Tower{Owner: engine.Seat(at.player() + 1), Height: at.height(), Master: at.isMaster()}
}

// Locked reports whether nothing can move from, onto or out of the square until
// the end of the turn.
func (p *Position) Locked(s Square) bool { return p.holds(s) && p.state.locked.has(s.cell()) }

// Master is where the master of the seat, 1 or 2, stands; ok is false when it
// has been taken.
func (p *Position) Master(seat engine.Seat) (at Square, ok bool) {
	c := p.state.master[seat-1]
	if c == nowhere {
		return Square{}, false
	}
	return c.square(), true
}

// Reserve is the number of pawns that the seat, 1 or 2, has in reserve.
func (p *Position) Reserve(seat engine.Seat) int { return int(p.state.reserve[seat-1]) }

// Points is the move points that are left of the open turn, and how many there
// were at its start.
func (p *Position) MovePoints() (left, of int) { return int(p.state.points), int(p.state.budget) }

// Seat is whose action is next, or Nobody when the game is over.
func (p *Position) Seat() engine.Seat { return p.state.Seat() }

// Turns is the number of turns completed. The one that takes a master is.
func (p *Position) Turns() int { return p.turns }

// Legal is the legal actions: moves and what can be taken out, square by square
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
	a, err := parse(token)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Apply is the position after an action.
func (p *Position) Apply(action engine.Action) (engine.Position, error) {
	if why := p.why(action); !why.IsZero() {
		return nil, &engine.IllegalError{Action: action, Why: why}
	}
	next := *p
	next.state.Play(action.(Action))
	switch {
	case next.state.ending == Master:
		next.turns++
	case action.(Action).kind == End:
		next.turns++
		next.past = p.past.with(&next.state)
		if next.past.repeated && p.past.repeated && next.state.ending == Ongoing {
			next.state.ending = Repetition
		}
	}
	return &next, nil
}

// Result is who won by taking the master, or the draw and why. There are no
// scores.
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

// Hash covers what stands where, what is locked, the reserves, whose turn it is
// with how many move points and, where the rule import-first asks for it,
// whether imports are over. It leaves out how the turn began, which only
// matters to draws.
func (p *Position) Hash() uint64 {
	s := &p.state
	h := s.hash()
	h.mix(s.locked[0])
	h.mix(s.locked[1])
	closed := uint64(0)
	if s.rules&importFirst != 0 && s.moved {
		closed = 1
	}
	h.mix(uint64(s.rules)<<32 | uint64(s.size)<<16 | uint64(s.points)<<8 | closed)
	return uint64(h)
}

// hash is a running hash of 64 bits.
type hash uint64

// mix is the finaliser of SplitMix64 over a running sum.
func (h *hash) mix(v uint64) {
	x := (uint64(*h) ^ v) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	*h = hash(bits.RotateLeft64(x^x>>31, 23))
}

// hash covers what stands where, the reserves and whose turn it is.
func (s *State) hash() (h hash) {
	var row [8]byte
	for i := 0; i < cells; i += len(row) {
		for j := range row {
			row[j] = byte(s.board[i+j])
		}
		h.mix(binary.LittleEndian.Uint64(row[:]))
	}
	h.mix(uint64(s.reserve[0])<<16 | uint64(s.reserve[1])<<8 | uint64(s.mover))
	return h
}
