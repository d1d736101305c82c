package rings

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"castellan/engine"
)

// Position is a position of the game. It never changes.
type Position struct {
	state   State
	seats   int
	retired [engine.MaxSeats]uint8 // by seat: 1 for who retired first, then 2 and so on
	turns   int
}

var _ engine.Retirer = (*Position)(nil)

func start(side, seats int) *Position {
	return &Position{state: newState(newGeometry(side), seats), seats: seats}
}

// State is a copy of the board to play and take back moves in.
func (p *Position) State() State { return p.state }

// Move is the number that the State has for an action; ok is false where the
// board has no such point or circle.
func (p *Position) Move(a Action) (m Move, ok bool) { return p.state.geo.move(a) }

// Action is the action of a move that is legal in the State.
func (p *Position) Action(m Move) Action { return p.state.geo.action(m) }

// Side is the number of circles along an edge of the board.
func (p *Position) Side() int { return p.state.geo.side }

// Seats is the number of seats, those that have retired included.
func (p *Position) Seats() int { return p.seats }

// Points is all points of the board, by column, then row. The caller may keep
// and change the slice.
func (p *Position) Points() []Point { return slices.Clone(p.state.geo.points) }

// Circles is all full circles in the order of their numbers. The caller may
// keep and change the slice.
func (p *Position) Circles() []Circle { return slices.Clone(p.state.geo.circles) }

// Owner is whose stone lies on the point, or Nobody; also Nobody where the
// board has no such point.
func (p *Position) Owner(at Point) engine.Seat {
	i, ok := p.state.geo.index[at]
	if !ok {
		return engine.Nobody
	}
	return engine.Seat(p.state.stone[i] &^ safe)
}

// Safe reports whether a stone lies on the point that belongs to a ring.
func (p *Position) Safe(at Point) bool {
	i, ok := p.state.geo.index[at]
	return ok && p.state.stone[i]&safe != 0
}

// tally is what is known of circle number n; nothing where there is none.
func (p *Position) tally(n int) tally {
	if n < 1 || n > len(p.state.geo.circles) {
		return 0
	}
	return p.state.circle[n-1]
}

// Influence is the influence of a seat on circle number n: its stones there
// and its rings among the neighbours.
func (p *Position) Influence(n int, seat engine.Seat) int {
	if seat < 1 || int(seat) > p.seats {
		return 0
	}
	return p.tally(n).influence(uint8(seat))
}

// Majority is who has the majority on circle number n, or Nobody.
func (p *Position) Majority(n int) engine.Seat { return engine.Seat(p.tally(n).status().holder()) }

// Ring is whose ring circle number n is, or Nobody. He has the majority there.
func (p *Position) Ring(n int) engine.Seat {
	if !p.tally(n).ring() {
		return engine.Nobody
	}
	return engine.Seat(p.state.stone[p.state.geo.around[n-1].points[0]] &^ safe)
}

// Converting reports whether the seat to act has placed a stone or passed, and
// so may convert circles or end the turn.
func (p *Position) Converting() bool { return p.state.converting }

// Score is the number of circles on which the seat has the majority.
func (p *Position) Score(seat engine.Seat) int { return p.state.Score(seat) }

// Passed reports whether the seat has passed in the unbroken sequence of
// passes up to now; the pass of an open turn counts. Who has retired has not.
func (p *Position) Passed(seat engine.Seat) bool { return p.state.passed>>seat&1 != 0 }

// Retired reports whether the seat has left.
func (p *Position) Retired(seat engine.Seat) bool {
	return seat >= 1 && int(seat) <= p.seats && p.retired[seat-1] != 0
}

// Empty is the number of points without a stone.
func (p *Position) EmptyCount() int { return int(p.state.left) }

// Convertible is the circles that the seat to act can convert now, by number.
func (p *Position) Convertible() []int {
	if p.state.ending != Ongoing || !p.state.converting {
		return nil
	}
	var out []int
	for rest := p.state.open[p.state.mover]; !rest.empty(); {
		out = append(out, int(rest.pop())+1)
	}
	return out
}

// Seat is whose action is next, or Nobody when the game is over.
func (p *Position) Seat() engine.Seat { return p.state.Seat() }

// Turns is the number of turns completed; a retirement completes none.
func (p *Position) Turns() int { return p.turns }

// Legal is the empty points by column, then row, and pass; or the circles that
// can be converted, by number, and end.
func (p *Position) Legal() []engine.Action {
	n := p.state.LegalCount()
	if n == 0 {
		return nil
	}
	out := make([]engine.Action, n)
	for k := range out {
		out[k] = p.state.geo.action(p.state.NthLegal(k))
	}
	return out
}

// Parse reads an action: a point, M11, the number of a circle, 45, pass or end.
func (p *Position) Parse(token string) (engine.Action, error) {
	a, ok := parse(token)
	if !ok {
		return nil, &engine.NotationError{Token: token, Why: p.notation("rings.notation", token)}
	}
	return a, nil
}

// Apply is the position after an action.
func (p *Position) Apply(action engine.Action) (engine.Position, error) {
	a, ok := action.(Action)
	var m Move
	if ok {
		m, ok = p.state.geo.move(a)
	}
	if !ok || !p.state.Legal(m) {
		return nil, &engine.IllegalError{Action: action, Why: p.why(action)}
	}
	next := *p
	next.state.Make(m)
	if m == moveEnd {
		next.turns++
	}
	return &next, nil
}

// Hash covers the stones, whose action is next and of which kind, who has
// passed in the unbroken sequence, and who has retired in which order.
func (p *Position) Hash() uint64 {
	h := uint64(p.state.geo.side)<<8 | uint64(p.seats)
	mix := func(v uint64) { // the finaliser of SplitMix64 over a running sum
		h = (h ^ v) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h = bits.RotateLeft64(h^h>>31, 23)
	}
	for i := 0; i < len(p.state.geo.points); i += 8 {
		mix(binary.LittleEndian.Uint64(p.state.stone[i:]))
	}
	turn := uint64(p.state.mover) | uint64(p.state.passed)<<8 | uint64(p.state.ending)<<16
	if p.state.converting {
		turn |= 1 << 24
	}
	for _, r := range p.retired {
		turn = turn<<4 | uint64(r)
	}
	mix(turn)
	return h
}
