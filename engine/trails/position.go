package trails

import (
	"castellan/engine"
	"castellan/engine/grid"
)

// Position is an immutable position of the game.
type Position struct {
	state State
	own   [2]board // squares occupied by each player
	tower []Square // all towers from the lower left; shared
	turns int
}

var _ engine.Position = (*Position)(nil)

// start returns the starting position; the towers must fit.
func start(size, towers, distance int) *Position {
	p := &Position{}
	for _, o := range offsets(towers, distance) {
		p.tower = append(p.tower, Square{size/2 + o, size/2 + o})
	}
	g := newGeometry(size)
	p.state = newState(g, p.tower)
	for i := range p.own {
		p.own[i].set(g.cell(base(size, i)))
	}
	return p
}

// State returns a copy of the mutable board.
func (p *Position) State() State { return p.state }

// Size returns the number of squares along an edge.
func (p *Position) Size() int { return p.state.geo.size }

// Towers returns all towers along the diagonal, from the lower left. The caller
// may keep and change the slice.
func (p *Position) Towers() []Tower {
	out := make([]Tower, len(p.tower))
	for i, s := range p.tower {
		out[i] = Tower{Square: s, Owner: p.Owner(s)}
	}
	return out
}

// Owner returns the player who occupies a square with a trail, a base or a
// taken tower. It returns Nobody for other squares and off the board.
func (p *Position) Owner(s Square) engine.Seat {
	if !p.state.geo.contains(s) {
		return engine.Nobody
	}
	c := p.state.geo.cell(s)
	for i := range p.own {
		if p.own[i].has(c) {
			return engine.Seat(i + 1)
		}
	}
	return engine.Nobody
}

// side returns the player of seat 1 or 2.
func (p *Position) side(seat engine.Seat) *side { return &p.state.sides[seat-1] }

// Head returns the last square that seat 1 or 2 occupied.
func (p *Position) Head(seat engine.Seat) Square {
	return p.state.geo.square(p.side(seat).head)
}

// Base returns the corner in which seat 1 or 2 started.
func (p *Position) Base(seat engine.Seat) Square { return base(p.Size(), int(seat)-1) }

// Boost returns the boost of seat 1 or 2 after its last move.
func (p *Position) Boost(seat engine.Seat) int { return int(p.side(seat).boost) }

// LastDirection returns the direction of the last move of seat 1 or 2; ok is
// false before its first move.
func (p *Position) LastDirection(seat engine.Seat) (d Direction, ok bool) {
	if d = p.side(seat).last(); d == noDirection {
		return 0, false
	}
	return d, true
}

// Taken returns the number of towers that seat 1 or 2 has taken.
func (p *Position) Taken(seat engine.Seat) int { return int(p.side(seat).taken) }

// TowersToWin returns the number of towers that win: more than half of them.
func (p *Position) TowersToWin() int { return int(p.state.need) }

// Target returns the square that a move of the seat to act would reach; ok is
// false if it is illegal.
func (p *Position) Target(d Direction) (target Square, ok bool) {
	if d >= noDirection || !p.state.moves.Has(d) {
		return Square{}, false
	}
	return p.state.geo.square(p.state.target(d)), true
}

// target returns the cell that a legal move reaches.
func (s *State) target(d Direction) cell {
	m := &s.sides[s.mover&1]
	if m.last() == d {
		return m.straight.to
	}
	return m.head + delta[d]
}

// Seat returns the seat to act, or Nobody when the game is over.
func (p *Position) Seat() engine.Seat { return p.state.Seat() }

// Turns returns the number of moves so far: a turn is one move.
func (p *Position) Turns() int { return p.turns }

// Legal returns the legal directions in the order up, down, left, right.
func (p *Position) Legal() []engine.Action {
	var out []engine.Action
	for _, d := range directions {
		if p.state.moves.Has(d) {
			out = append(out, d)
		}
	}
	return out
}

// Parse reads a direction: up, down, left or right, their first letters or
// arrows.
func (p *Position) Parse(token string) (engine.Action, error) {
	d, err := parse(token)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Apply returns the position after a move.
func (p *Position) Apply(a engine.Action) (engine.Position, error) {
	d, ok := a.(Direction)
	if !ok || d >= noDirection || !p.state.moves.Has(d) {
		return nil, &engine.IllegalError{Action: a, Why: p.illegalReason(a)}
	}
	next := *p
	mover := p.state.mover
	next.state.Play(d)
	next.turns++
	for c, end := p.state.sides[mover].head, next.state.sides[mover].head; c != end; {
		c += delta[d]
		if p.state.field.free(c) || c == end {
			next.own[mover].set(c)
		}
	}
	return &next, nil
}

// Result returns the winner and whether they won by towers or because a player
// is stuck. There are no draws and no scores.
func (p *Position) Result() (engine.Result, bool) {
	winner, why := p.state.Outcome()
	if why == Ongoing {
		return engine.Result{}, false
	}
	ranks := []int{2, 2}
	ranks[winner-1] = 1
	return engine.Result{Winners: []engine.Seat{winner}, Ranks: ranks, Reason: why.String()}, true
}

// Hash covers the occupied squares, the free towers, both heads with their last
// directions and boosts, and the player to move.
func (p *Position) Hash() uint64 {
	h := grid.Hash(uint64(p.state.geo.size)<<8 | uint64(p.state.mover))
	var towers board
	for _, t := range p.tower {
		if c := p.state.geo.cell(t); p.state.field.tower(c) {
			towers.set(c)
		}
	}
	for i := range towers {
		h.Add(p.own[0][i])
		h.Add(p.own[1][i])
		h.Add(towers[i])
	}
	for _, m := range p.state.sides {
		h.Add(uint64(m.head)<<32 | uint64(m.last())<<16 | uint64(m.boost)<<8 | uint64(m.taken))
	}
	return uint64(h)
}
