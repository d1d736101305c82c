package stonetowers

import (
	"castellan/engine"
	"castellan/engine/grid"
)

// Position is an immutable position of the game.
type Position struct{ state State }

var _ engine.Surveyor = (*Position)(nil)

// State returns a copy of the mutable position, for searches.
func (p *Position) State() State { return p.state }

func (p *Position) Width() int { return p.state.width }

func (p *Position) Height() int { return p.state.height }

func (p *Position) TurnsPerPlayer() int { return int(p.state.total) / 2 }

// TurnsPlayed returns the number of turns that a seat has played, passes
// included.
func (p *Position) TurnsPlayed(seat engine.Seat) int {
	if seat == red {
		return (p.Turns() + 1) / 2
	}
	return p.Turns() / 2
}

// Owner returns the owner of a square, or Nobody. Nobody owns squares off the
// board.
func (p *Position) Owner(s Square) engine.Seat {
	if !p.state.contains(s) {
		return engine.Nobody
	}
	return engine.Seat(p.state.At[p.state.cell(s)].Owner())
}

// Level returns the level of the castle on a square, from 1 to 3, or 0 for
// none.
func (p *Position) Level(s Square) int {
	if !p.state.contains(s) {
		return 0
	}
	return p.state.At[p.state.cell(s)].Level()
}

// Influence returns the sum of the levels of a player's castles on the square
// and on its neighbours, at most 15.
func (p *Position) Influence(seat engine.Seat, s Square) int {
	sum := 0
	for _, n := range [...]Square{s, {X: s.X, Y: s.Y + 1}, {X: s.X, Y: s.Y - 1}, {X: s.X - 1, Y: s.Y}, {X: s.X + 1, Y: s.Y}} {
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
	return int(p.state.Owned[seat-1])
}

func (p *Position) CastleCount(seat engine.Seat) (n int) {
	for _, c := range p.state.Cells {
		if q := p.state.At[c]; q.Level() > 0 && engine.Seat(q.Owner()) == seat {
			n++
		}
	}
	return n
}

func (p *Position) Seat() engine.Seat { return p.state.seat() }

func (p *Position) Turns() int { return int(p.state.total - p.state.Left) }

// Legal returns the legal actions by file, then rank: a1, a2+, b3. A pass is
// the only action where it is legal.
func (p *Position) Legal() (out []engine.Action) {
	if p.state.Left == 0 {
		return nil
	}
	open := Playable(p.state.Player())
	for _, c := range p.state.Cells {
		if open[p.state.At[c]] {
			out = append(out, p.state.Action(c))
		}
	}
	if out == nil {
		out = append(out, p.state.Action(pass))
	}
	return out
}

// move returns the move of an action; ok is false if it is illegal.
func (p *Position) move(a Action) (m Cell, ok bool) {
	switch s := &p.state; {
	case s.Left == 0:
		return 0, false
	case a.Kind == Pass:
		return pass, a == s.Action(pass) && s.MustPass()
	case !s.contains(a.Square):
		return 0, false
	default:
		m = s.cell(a.Square)
		return m, Playable(s.Player())[s.At[m]] && a == s.Action(m)
	}
}

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
	if p.state.Left > 0 {
		return engine.Result{}, false
	}
	owned := [2]int{p.SquareCount(red), p.SquareCount(blue)}
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
	h := grid.Hash(uint64(s.width)<<48 | uint64(s.height)<<32 | uint64(s.total)<<16 | uint64(p.Turns()))
	for from, n := 0, int(s.Cells[len(s.Cells)-1]); from <= n; from += 64 {
		// Bit sets of 64 cells: not Red's, not Blue's, and both bits of the level.
		var sets [4]uint64
		for i, q := range s.At[from : from+64] {
			switch q.Owner() {
			case Free:
				sets[0] |= 1 << i
				sets[1] |= 1 << i
			case Red:
				sets[1] |= 1 << i
			case Blue:
				sets[0] |= 1 << i
			case Outside:
			}
			sets[2] |= uint64(q.Level()&1) << i
			sets[3] |= uint64(q.Level()>>1) << i
		}
		for _, set := range sets {
			h.Add(set)
		}
	}
	return uint64(h)
}
