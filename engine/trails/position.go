package trails

import (
	"slices"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
)

// Position is an immutable position of the game.
type Position struct {
	state
	own   [2]board // squares occupied by each player
	tower []Square // all towers from the lower left; shared
	turns int
	last  *step // the move that led here
}

// step is a move: where it ended, and the one before it.
type step struct {
	to     cell
	before *step
}

var _ engine.Position = (*Position)(nil)

// start returns the starting position; the towers must fit.
func start(size, towers, distance int) *Position {
	p := &Position{}
	for _, o := range offsets(towers, distance) {
		p.tower = append(p.tower, Square{X: size/2 + o, Y: size/2 + o})
	}
	g := newGeometry(size)
	p.state = newState(g, p.tower)
	for i := range p.own {
		p.own[i].set(g.cell(base(size, i)))
	}
	return p
}

// State returns a copy of the state, for the computer players.
func (p *Position) State() State { return State{p.state} }

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
	if !p.geo.contains(s) {
		return engine.Nobody
	}
	c := p.geo.cell(s)
	for i := range p.own {
		if p.own[i].has(c) {
			return engine.Seat(i + 1)
		}
	}
	return engine.Nobody
}

// Path returns the squares on which the moves of seat 1 or 2 ended, in order,
// from its base on.
func (p *Position) Path(seat engine.Seat) []Square {
	var path []Square
	of := engine.Seat(2 - p.turns%2) // who made a move; the seats alternate
	for s := p.last; s != nil; s, of = s.before, 3-of {
		if of == seat {
			path = append(path, p.geo.square(s.to))
		}
	}
	path = append(path, p.Base(seat))
	slices.Reverse(path)
	return path
}

// Turns returns the number of moves so far: a turn is one move.
func (p *Position) Turns() int { return p.turns }

// Legal returns the legal directions in the order up, down, left, right.
func (p *Position) Legal() []engine.Action {
	var out []engine.Action
	for _, d := range directions {
		if p.moves.Has(d) {
			out = append(out, d)
		}
	}
	return out
}

// Parse reads a direction: up, down, left or right, their first letters or
// arrows.
func (p *Position) Parse(token string) (engine.Action, error) {
	d, err := parse(token)
	if err == nil {
		return d, nil
	}
	for _, d := range directions { // descriptions of the directions name the squares
		if to, ok := p.Target(d); ok && strings.EqualFold(to.String(), strings.TrimSpace(token)) {
			return d, nil
		}
	}
	return nil, err
}

func (p *Position) Apply(a engine.Action) (engine.Position, error) {
	d, ok := a.(Direction)
	if !ok || d >= noDirection || !p.moves.Has(d) {
		return nil, &engine.IllegalError{Action: a, Why: p.illegalReason(a)}
	}
	next := *p
	mover := p.mover
	next.play(d)
	next.turns++
	next.last = &step{next.sides[mover].head, p.last}
	for c, end := p.sides[mover].head, next.sides[mover].head; c != end; {
		c += delta[d]
		if p.field.free(c) || c == end {
			next.own[mover].set(c)
		}
	}
	return &next, nil
}

// Result returns the winner and whether they won by towers or because a player
// is stuck. There are no draws and no scores.
func (p *Position) Result() (engine.Result, bool) {
	winner, why := p.Outcome()
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
	h := grid.Hash(uint64(p.geo.size)<<8 | uint64(p.mover))
	var towers board
	for _, t := range p.tower {
		if c := p.geo.cell(t); p.field.tower(c) {
			towers.set(c)
		}
	}
	for i := range towers {
		h.Add(p.own[0][i])
		h.Add(p.own[1][i])
		h.Add(towers[i])
	}
	for _, m := range p.sides {
		h.Add(uint64(m.head)<<32 | uint64(m.last())<<16 | uint64(m.boost)<<8 | uint64(m.taken))
	}
	return uint64(h)
}
