package trails

import (
	"math/bits"

	"castellan/engine"
)

// Position is a position of the game. It never changes.
type Position struct {
	state State
	own   [2]board // squares occupied by each player
	tower []Square // all towers from the lower left, shared
	turns int
}

var _ engine.Position = (*Position)(nil)

// start is the position at the start; the towers must fit.
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

// State is a copy of the board to play and take back moves in.
func (p *Position) State() State { return p.state }

// Size is the number of squares along an edge.
func (p *Position) Size() int { return p.state.geo.size }

// Towers is all towers along the diagonal, from the lower left. The caller may
// keep and change the slice.
func (p *Position) Towers() []Tower {
	out := make([]Tower, len(p.tower))
	for i, s := range p.tower {
		out[i] = Tower{Square: s, Owner: p.Owner(s)}
	}
	return out
}

// Owner is who occupies the square, with a trail, a base or a taken tower, or
// Nobody; also Nobody for a square that is not on the board.
func (p *Position) Owner(s Square) engine.Seat {
	if !p.state.geo.holds(s) {
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

// side is a player, who must be seat 1 or 2.
func (p *Position) side(seat engine.Seat) *side { return &p.state.sides[seat-1] }

// Head is the square that the seat, 1 or 2, occupied last.
func (p *Position) Head(seat engine.Seat) Square {
	return p.state.geo.square(p.side(seat).head)
}

// Base is the corner in which the seat, 1 or 2, started.
func (p *Position) Base(seat engine.Seat) Square { return base(p.Size(), int(seat)-1) }

// Boost is the boost of the seat, 1 or 2, after its last move.
func (p *Position) Boost(seat engine.Seat) int { return int(p.side(seat).boost) }

// Last is the direction of the last move of the seat, 1 or 2; ok is false
// before its first move.
func (p *Position) LastDirection(seat engine.Seat) (d Direction, ok bool) {
	if d = p.side(seat).last(); d == none {
		return 0, false
	}
	return d, true
}

// Taken is how many towers the seat, 1 or 2, has taken.
func (p *Position) Taken(seat engine.Seat) int { return int(p.side(seat).taken) }

// Needed is how many towers win: more than half of them.
func (p *Position) TowersToWin() int { return int(p.state.need) }

// Reach is where the seat to act would arrive; ok is false where the direction
// is not legal.
func (p *Position) Target(d Direction) (target Square, ok bool) {
	if d >= none || !p.state.moves.Has(d) {
		return Square{}, false
	}
	return p.state.geo.square(p.state.target(d)), true
}

// target is the cell that a legal move reaches.
func (s *State) target(d Direction) cell {
	m := &s.sides[s.mover&1]
	if m.last() == d {
		return m.ahead.to
	}
	return m.head + delta[d]
}

// Seat is whose turn it is, or Nobody when the game is over.
func (p *Position) Seat() engine.Seat { return p.state.Seat() }

// Turns is the number of moves so far: a turn is one move.
func (p *Position) Turns() int { return p.turns }

// Legal is the legal directions in the order up, down, left, right.
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

// Apply is the position after a move.
func (p *Position) Apply(a engine.Action) (engine.Position, error) {
	d, ok := a.(Direction)
	if !ok || d >= none || !p.state.moves.Has(d) {
		return nil, &engine.IllegalError{Action: a, Why: p.why(a)}
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

// Result is who won and whether by towers, because the opponent is stuck or
// because the loser is. There is no draw, and there are no scores.
func (p *Position) Result() (engine.Result, bool) {
	winner, why := p.state.Outcome()
	if why == Ongoing {
		return engine.Result{}, false
	}
	ranks := []int{2, 2}
	ranks[winner-1] = 1
	return engine.Result{Winners: []engine.Seat{winner}, Ranks: ranks, Reason: why.String()}, true
}

// Hash covers who occupies what, the free towers, both heads with their last
// directions and boosts, and whose turn it is.
func (p *Position) Hash() uint64 {
	h := uint64(p.state.geo.size)<<8 | uint64(p.state.mover)
	mix := func(v uint64) { // the finaliser of SplitMix64 over a running sum
		h = (h ^ v) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h = bits.RotateLeft64(h^h>>31, 23)
	}
	var towers board
	for _, t := range p.tower {
		if c := p.state.geo.cell(t); p.state.field.tower(c) {
			towers.set(c)
		}
	}
	for i := range towers {
		mix(p.own[0][i])
		mix(p.own[1][i])
		mix(towers[i])
	}
	for _, m := range p.state.sides {
		mix(uint64(m.head)<<32 | uint64(m.last())<<16 | uint64(m.boost)<<8 | uint64(m.taken))
	}
	return h
}
