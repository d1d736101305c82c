package rings

import (
	"encoding/binary"
	"fmt"
	"slices"

	"castellan/engine"
	"castellan/engine/grid"
)

// Position is an immutable position of the game.
type Position struct {
	state   State
	seats   int
	retired [engine.MaxSeats]uint8 // by seat: 1 for the first to retire, then 2 and so on
	turns   int
}

var (
	_ engine.Retirer  = (*Position)(nil)
	_ engine.Surveyor = (*Position)(nil)
)

func start(side, seats int) *Position {
	return &Position{state: newState(newGeometry(side), seats), seats: seats}
}

// State returns a copy of the mutable board.
func (p *Position) State() State { return p.state }

// Move returns the move of an action; ok is false if the board has no such
// point or circle.
func (p *Position) Move(a Action) (m Move, ok bool) { return p.state.geo.move(a) }

func (p *Position) Action(m Move) Action { return p.state.geo.action(m) }

// Side returns the number of circles along an edge of the board.
func (p *Position) Side() int { return p.state.geo.side }

// Seats returns the number of seats, including retired ones.
func (p *Position) Seats() int { return p.seats }

// Points returns all points of the board, by column, then row. The caller may
// keep and change the slice.
func (p *Position) Points() []Point { return slices.Clone(p.state.geo.points) }

// Circles returns all full circles in the order of their numbers. The caller
// may keep and change the slice.
func (p *Position) Circles() []Circle { return slices.Clone(p.state.geo.circles) }

// Owner returns the seat whose stone lies on the point. It returns Nobody for
// an empty point and for one that the board does not have.
func (p *Position) Owner(at Point) engine.Seat {
	i, ok := p.state.geo.index[at]
	if !ok {
		return engine.Nobody
	}
	return engine.Seat(p.state.stones[i] &^ safe)
}

// Safe reports whether the stone on the point belongs to a ring.
func (p *Position) Safe(at Point) bool {
	i, ok := p.state.geo.index[at]
	return ok && p.state.stones[i]&safe != 0
}

// tally returns the tally of circle number n, or 0 if there is no such circle.
func (p *Position) tally(n int) Tally {
	if n < 1 || n > len(p.state.geo.circles) {
		return 0
	}
	return p.state.tallies[n-1]
}

// Influence returns the influence of a seat on circle number n: its stones
// there and its rings among the neighbours.
func (p *Position) Influence(n int, seat engine.Seat) int {
	if seat < 1 || int(seat) > p.seats {
		return 0
	}
	return p.tally(n).influence(uint8(seat))
}

// Majority returns the seat that has the majority on circle number n, or
// Nobody.
func (p *Position) Majority(n int) engine.Seat { return engine.Seat(p.tally(n).status().holder()) }

// Ring returns the seat that owns the ring on circle number n, or Nobody. The
// owner has the majority there.
func (p *Position) Ring(n int) engine.Seat {
	if !p.tally(n).Ring() {
		return engine.Nobody
	}
	return engine.Seat(p.state.stones[p.state.geo.neighbourhoods[n-1].points[0]] &^ safe)
}

// Converting reports whether the seat to act has placed a stone or passed, so
// that it can convert circles or end the turn.
func (p *Position) Converting() bool { return p.state.converting }

// Score returns the number of circles on which the seat has the majority.
func (p *Position) Score(seat engine.Seat) int { return p.state.Score(seat) }

// Passed reports whether the seat has passed in the unbroken sequence of
// passes, including the pass of an open turn. A retired seat has not.
func (p *Position) Passed(seat engine.Seat) bool { return p.state.passed>>seat&1 != 0 }

func (p *Position) Retired(seat engine.Seat) bool {
	return seat >= 1 && int(seat) <= p.seats && p.retired[seat-1] != 0
}

// EmptyCount returns the number of points without a stone.
func (p *Position) EmptyCount() int { return int(p.state.emptyCount) }

// Convertible returns the circles that the seat to act can convert now, by
// number.
func (p *Position) Convertible() []int {
	if p.state.ending != Ongoing || !p.state.converting {
		return nil
	}
	var out []int
	for rest := p.state.convertible[p.state.mover]; !rest.empty(); {
		out = append(out, int(rest.pop())+1)
	}
	return out
}

func (p *Position) Seat() engine.Seat { return p.state.Seat() }

// Turns returns the number of turns completed; a retirement completes none.
func (p *Position) Turns() int { return p.turns }

// Legal returns the legal actions: the empty points by column, then row, and
// pass; or the convertible circles by number, and end.
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
	a, ok := parseAction(token)
	if !ok {
		return nil, &engine.NotationError{Token: token, Why: p.notation("rings.notation", token)}
	}
	return a, nil
}

func (p *Position) Apply(action engine.Action) (engine.Position, error) {
	a, ok := action.(Action)
	var m Move
	if ok {
		m, ok = p.state.geo.move(a)
	}
	if !ok || !p.state.Legal(m) {
		return nil, &engine.IllegalError{Action: action, Why: p.illegalReason(action)}
	}
	next := *p
	next.state.Play(m)
	if m == moveEnd {
		next.turns++
	}
	return &next, nil
}

// Hash covers the stones, the seat to act and its phase, the seats that have
// passed in the unbroken sequence, and the retired seats in their order.
func (p *Position) Hash() uint64 {
	h := grid.Hash(uint64(p.state.geo.side)<<8 | uint64(p.seats))
	for i := 0; i < len(p.state.geo.points); i += 8 {
		h.Add(binary.LittleEndian.Uint64(p.state.stones[i:]))
	}
	turn := uint64(p.state.mover) | uint64(p.state.passed)<<8 | uint64(p.state.ending)<<16
	if p.state.converting {
		turn |= 1 << 24
	}
	for _, r := range p.retired {
		turn = turn<<4 | uint64(r)
	}
	h.Add(turn)
	return uint64(h)
}

// RetireError says why a seat cannot retire.
type RetireError struct {
	Seat engine.Seat
	Why  engine.Phrase
}

func (e *RetireError) Error() string { return e.Why.String() }

// Retire returns the position after a seat has left, at the start of a turn.
// Its stones stay and its turns are skipped. It fails with a *RetireError.
func (p *Position) Retire(seat engine.Seat) (engine.Position, error) {
	fail := func(id string) (engine.Position, error) {
		return nil, &RetireError{seat, texts.Phrase(id, "Seat", fmt.Sprint(int(seat)))}
	}
	switch {
	case p.state.ending != Ongoing:
		return fail("rings.retire.over")
	case seat < 1 || int(seat) > p.seats:
		return fail("rings.retire.nobody")
	case p.Retired(seat):
		return fail("rings.retire.twice")
	case p.state.converting:
		return fail("rings.retire.open")
	}
	next := *p
	next.retired[seat-1] = slices.Max(p.retired[:]) + 1
	next.state.retireSeat(uint8(seat))
	return &next, nil
}

// Result ranks the seats that were still playing by score, and below them the
// retired seats, the last to retire first. Seats that tie for the first rank
// share the win.
func (p *Position) Result() (engine.Result, bool) {
	if p.state.ending == Ongoing {
		return engine.Result{}, false
	}
	r := engine.Result{Reason: p.state.ending.String()}
	for i := range p.seats {
		rank := 1
		for j := range p.seats {
			if p.ranksAbove(j, i) {
				rank++
			}
		}
		r.Ranks = append(r.Ranks, rank)
		r.Scores = append(r.Scores, int(p.state.scores[i+1]))
		if rank == 1 {
			r.Winners = append(r.Winners, engine.Seat(i+1))
		}
	}
	return r, true
}

// ranksAbove reports whether the seat with index i ranks above the one with
// index j.
func (p *Position) ranksAbove(i, j int) bool {
	a, b := p.retired[i], p.retired[j]
	switch {
	case a == 0 && b == 0:
		return p.state.scores[i+1] > p.state.scores[j+1]
	case a == 0 || b == 0:
		return a == 0
	}
	return a > b
}
