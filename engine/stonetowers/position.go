package stonetowers

import (
	"math/bits"

	"castellan/engine"
)

// Position is a position of the game. It never changes.
type Position struct{ state State }

var _ engine.Position = (*Position)(nil)

// State is a copy of the board to play and take back moves in.
func (p *Position) State() State { return p.state }

// Width is the number of files.
func (p *Position) Width() int { return p.state.geo.width }

// Height is the number of ranks.
func (p *Position) Height() int { return p.state.geo.height }

// TurnsEach is how many turns each player has in the whole game.
func (p *Position) TurnsPerPlayer() int { return int(p.state.total) / 2 }

// Played is how many turns a player has played; a pass is one.
func (p *Position) TurnsPlayed(seat engine.Seat) int {
	if seat == red {
		return (int(p.state.played) + 1) / 2
	}
	return int(p.state.played) / 2
}

// Owner is whose square it is, or Nobody. Squares off the board are nobody's.
func (p *Position) Owner(s Square) engine.Seat {
	if !p.state.geo.holds(s) {
		return engine.Nobody
	}
	c := p.state.geo.cell(s)
	for i, seat := range []engine.Seat{red, blue} {
		if !p.state.foreign[i].has(c) {
			return seat
		}
	}
	return engine.Nobody
}

// Level is the level of the castle on a square, from 1 to 3, or 0 for none.
func (p *Position) Level(s Square) int {
	if !p.state.geo.holds(s) {
		return 0
	}
	return int(p.state.level(p.state.geo.cell(s)))
}

// Influence is the sum of the levels of a player's castles on the square and
// on its neighbours, at most 15.
func (p *Position) Influence(seat engine.Seat, s Square) int {
	sum := 0
	for _, n := range [...]Square{s, {s.X, s.Y + 1}, {s.X, s.Y - 1}, {s.X - 1, s.Y}, {s.X + 1, s.Y}} {
		if p.Owner(n) == seat {
			sum += p.Level(n)
		}
	}
	return sum
}

// Squares is how many squares a player owns: his score.
func (p *Position) SquareCount(seat engine.Seat) int {
	if seat != red && seat != blue {
		return 0
	}
	return p.state.SquareCounts()[seat-1]
}

// Castles is how many castles a player has.
func (p *Position) CastleCount(seat engine.Seat) int {
	if seat != red && seat != blue {
		return 0
	}
	n, s := 0, &p.state
	for i := range s.geo.used {
		n += bits.OnesCount64((s.one[i] | s.two[i]) &^ s.foreign[seat-1][i])
	}
	return n
}

// Seat is whose turn it is, or Nobody when the game is over.
func (p *Position) Seat() engine.Seat { return p.state.Seat() }

// Turns is the number of turns played so far: a turn is one action.
func (p *Position) Turns() int { return int(p.state.played) }

// Legal is the legal actions by file, then by rank: a1, a2+, b3. A pass stands
// alone.
func (p *Position) Legal() []engine.Action {
	moves := p.state.Moves()
	out := make([]engine.Action, moves.Len())
	for k := range out {
		out[k] = p.state.Action(moves.At(k))
	}
	return out
}

// move is a legal action as a move; ok is false where it is not legal.
func (p *Position) move(a Action) (m Move, ok bool) {
	if a.Kind != Pass {
		if !p.state.geo.holds(a.Square) {
			return 0, false
		}
		m = p.state.geo.cell(a.Square)
	}
	moves := p.state.Moves()
	return m, moves.Has(m) && p.state.Action(m) == a
}

// Apply is the position after an action and all that follows from it.
func (p *Position) Apply(action engine.Action) (engine.Position, error) {
	a, ok := action.(Action)
	if !ok {
		return nil, &engine.IllegalError{Action: action, Why: foreign(action)}
	}
	m, ok := p.move(a)
	if !ok {
		return nil, &engine.IllegalError{Action: a, Why: p.why(a)}
	}
	next := *p
	next.state.Play(m)
	return &next, nil
}

// Result is who owns more squares after the last turn; equal is a draw.
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

// Hash covers who owns what, the levels of the castles, and how many turns are
// played and how many there are.
func (p *Position) Hash() uint64 {
	s := &p.state
	h := uint64(s.geo.width)<<48 | uint64(s.geo.height)<<32 | uint64(s.total)<<16 | uint64(s.played)
	mix := func(v uint64) { // the finaliser of SplitMix64 over a running sum
		h = (h ^ v) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h = bits.RotateLeft64(h^h>>31, 23)
	}
	for i := range s.geo.used {
		mix(s.foreign[0][i])
		mix(s.foreign[1][i])
		mix(s.one[i])
		mix(s.two[i])
	}
	return h
}
