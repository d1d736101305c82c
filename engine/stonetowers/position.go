package stonetowers

import (
	"math/bits"

	"castellan/engine"
	"castellan/engine/grid"
)

// Position is an immutable position of the game.
type Position struct{ state State }

var _ engine.Surveyor = (*Position)(nil)

// State returns a copy of the mutable board.
func (p *Position) State() State { return p.state }

// Width returns the number of files.
func (p *Position) Width() int { return p.state.geo.width }

// Height returns the number of ranks.
func (p *Position) Height() int { return p.state.geo.height }

// TurnsPerPlayer returns the number of turns that each player has in a game.
func (p *Position) TurnsPerPlayer() int { return int(p.state.total) / 2 }

// TurnsPlayed returns the number of turns that a seat has played, passes
// included.
func (p *Position) TurnsPlayed(seat engine.Seat) int {
	if seat == red {
		return (int(p.state.played) + 1) / 2
	}
	return int(p.state.played) / 2
}

// Owner returns the owner of a square, or Nobody. Nobody owns squares off the
// board.
func (p *Position) Owner(s Square) engine.Seat {
	if !p.state.geo.contains(s) {
		return engine.Nobody
	}
	c := p.state.geo.cell(s)
	for i, seat := range []engine.Seat{red, blue} {
		if !p.state.notOwned[i].has(c) {
			return seat
		}
	}
	return engine.Nobody
}

// Level returns the level of the castle on a square, from 1 to 3, or 0 for
// none.
func (p *Position) Level(s Square) int {
	if !p.state.geo.contains(s) {
		return 0
	}
	return int(p.state.level(p.state.geo.cell(s)))
}

// Influence returns the sum of the levels of a player's castles on the square
// and on its neighbours, at most 15.
func (p *Position) Influence(seat engine.Seat, s Square) int {
	sum := 0
	for _, n := range [...]Square{s, {s.X, s.Y + 1}, {s.X, s.Y - 1}, {s.X - 1, s.Y}, {s.X + 1, s.Y}} {
		if p.Owner(n) == seat {
			sum += p.Level(n)
		}
	}
	return sum
}

// SquareCount returns the number of squares that a seat owns: its score.
func (p *Position) SquareCount(seat engine.Seat) int {
	if seat != red && seat != blue {
		return 0
	}
	return p.state.SquareCounts()[seat-1]
}

// CastleCount returns the number of castles of a seat.
func (p *Position) CastleCount(seat engine.Seat) int {
	if seat != red && seat != blue {
		return 0
	}
	n, s := 0, &p.state
	for i := range s.geo.usedWords {
		n += bits.OnesCount64((s.levelBit0[i] | s.levelBit1[i]) &^ s.notOwned[seat-1][i])
	}
	return n
}

// Seat returns the seat to act, or Nobody when the game is over.
func (p *Position) Seat() engine.Seat { return p.state.Seat() }

// Turns returns the number of turns played so far: a turn is one action.
func (p *Position) Turns() int { return int(p.state.played) }

// Legal returns the legal actions by file, then rank: a1, a2+, b3. A pass is
// the only action where it is legal.
func (p *Position) Legal() []engine.Action {
	moves := p.state.Moves()
	out := make([]engine.Action, moves.Len())
	for k := range out {
		out[k] = p.state.Action(moves.At(k))
	}
	return out
}

// move returns the move of an action; ok is false if it is illegal.
func (p *Position) move(a Action) (m Move, ok bool) {
	if a.Kind != Pass {
		if !p.state.geo.contains(a.Square) {
			return 0, false
		}
		m = p.state.geo.cell(a.Square)
	}
	moves := p.state.Moves()
	return m, moves.Has(m) && p.state.Action(m) == a
}

// Apply returns the position after an action and all its consequences.
func (p *Position) Apply(action engine.Action) (engine.Position, error) {
	a, ok := action.(Action)
	if !ok {
		return nil, &engine.IllegalError{Action: action, Why: foreignReason(action)}
	}
	m, ok := p.move(a)
	if !ok {
		return nil, &engine.IllegalError{Action: a, Why: p.illegalReason(a)}
	}
	next := *p
	next.state.Play(m)
	return &next, nil
}

// Result returns the winner, the seat with more squares after the last turn.
// Equal numbers are a draw.
func (p *Position) Result() (engine.Result, bool) {
	if !p.state.Over() {
		return engine.Result{}, false
	}
	owned := p.state.SquareCounts()
	r := engine.Result{Ranks: []int{1, 1}, Scores: owned[:], Reason: "turns"}
	switch {
	case owned[0] > owned[1]:
		r.Winners, r.Ranks[1] = []engine.Seat{red}, 2
	case owned[0] < owned[1]:
		r.Winners, r.Ranks[0] = []engine.Seat{blue}, 2
	}
	return r, true
}

// Hash covers the owners of the squares, the levels of the castles, the turns
// played and the turns of the whole game.
func (p *Position) Hash() uint64 {
	s := &p.state
	h := grid.Hash(uint64(s.geo.width)<<48 | uint64(s.geo.height)<<32 | uint64(s.total)<<16 | uint64(s.played))
	for i := range s.geo.usedWords {
		h.Add(s.notOwned[0][i])
		h.Add(s.notOwned[1][i])
		h.Add(s.levelBit0[i])
		h.Add(s.levelBit1[i])
	}
	return uint64(h)
}
