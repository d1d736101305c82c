package ai

import (
	"fmt"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// State is the search state: that of the rules, and as sets of cells what the
// evaluation looks at. A move holds a direction and its destination, so that the
// same number means the same end of a trail everywhere.
type State struct {
	trails.State
	geo    *geometry
	free   board
	tower  board        // not yet taken
	filled uint64       // hash of free and tower
	avoid  trails.Moves // left out by Moves at the root
	made   []undo
}

// undo holds the values that Unmake restores.
type undo struct {
	state  trails.State
	free   board
	tower  board
	filled uint64
}

var (
	_ search.Evaluator = (*State)(nil)
	_ search.Playouter = (*State)(nil)
)

// New returns the search state of a position. It fails for positions of other
// games.
func New(p engine.Position) (*State, error) {
	t, ok := p.(*trails.Position)
	if !ok {
		return nil, fmt.Errorf("trails/ai: a position of %s is needed, not a %T", trails.Key, p)
	}
	g := newGeometry(t.Size())
	s := &State{State: t.State(), geo: g}
	s.filled = search.Mix(uint64(g.size)<<40 | uint64(t.TowersToWin())<<50)
	for _, tower := range t.Towers() {
		if tower.Owner == engine.Nobody {
			s.tower.set(g.cell(tower.Square))
		}
	}
	for c := range cell(g.cells) {
		switch {
		case s.tower.has(c):
			s.filled ^= g.rook[c]
		case t.Owner(trails.Square{X: int(c) % g.size, Y: int(c) / g.size}) == engine.Nobody:
			s.free.set(c)
		default:
			s.filled ^= g.fill[c]
		}
	}
	return s, nil
}

// newState is New with the type that search.Engine needs.
func newState(p engine.Position) (search.State, error) {
	s, err := New(p)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *State) Seat() int { return int(s.State.Seat()) - 1 }

func (s *State) Seats() int { return 2 }

// winner returns the winner, counted from 0, or -1 while the game goes on.
func (s *State) winner() int {
	seat, _ := s.Outcome()
	return int(seat) - 1
}

func (s *State) head(seat engine.Seat) cell { return s.geo.cell(s.Head(seat)) }

// Moves appends the legal moves, one that takes a tower first.
func (s *State) Moves(to []search.Move) []search.Move {
	legal := s.LegalMoves()
	if len(s.made) == 0 {
		legal &^= s.avoid
	}
	last, moved := s.LastDirection(s.State.Seat())
	straight := moved && legal.Has(last)
	begin := len(to)
	if straight {
		to = append(to, s.move(last))
	}
	for d := range trails.Direction(directions) {
		if legal.Has(d) && (!straight || d != last) {
			to = append(to, s.move(d))
		}
	}
	if straight && !s.tower.has(cell(to[begin]>>2)) {
		// A run without a tower fills more squares than a turn, and
		// comes last.
		run := to[begin]
		copy(to[begin:], to[begin+1:])
		to[len(to)-1] = run
	}
	return to
}

func (s *State) move(d trails.Direction) search.Move {
	target, _ := s.Target(d)
	return search.Move(s.geo.cell(target))<<2 | search.Move(d)
}

// Make plays one of the moves, of which it looks at the direction alone.
func (s *State) Make(m search.Move) {
	d := trails.Direction(m & 3)
	s.made = append(s.made, undo{s.State, s.free, s.tower, s.filled})
	mover := s.State.Seat()
	c := s.head(mover)
	s.Play(d)
	for to := s.head(mover); c != to; {
		c += s.geo.step[d]
		switch {
		case s.free.has(c):
			s.free.drop(c)
			s.filled ^= s.geo.fill[c]
		case c == to: // a tower
			s.tower.drop(c)
			s.filled ^= s.geo.rook[c] ^ s.geo.fill[c]
		}
	}
}

func (s *State) Unmake() {
	u := &s.made[len(s.made)-1]
	s.made = s.made[:len(s.made)-1]
	s.State, s.free, s.tower, s.filled = u.state, u.free, u.tower, u.filled
}

// Hash covers what can still matter. A direction in which a player can never
// run again is like any other, because squares never become free.
func (s *State) Hash() uint64 {
	mover := s.Mover()
	h := s.filled ^ uint64(mover-1)*0x9e3779b97f4a7c15
	for seat := engine.Seat(1); seat <= 2; seat++ {
		head := s.head(seat)
		run := uint64(directions) // none
		if d, moved := s.LastDirection(seat); moved {
			switch {
			case s.MovesOf(seat).Has(d):
				run = uint64(d) | (uint64(s.Boost(seat))+1)<<3
			case s.geo.inner[d][1].has(head) && s.free.has(head+s.geo.step[d]):
				run = uint64(d)
			}
		}
		h ^= search.Mix(uint64(head) | run<<10 | uint64(s.Taken(seat))<<20 | uint64(seat)<<30)
	}
	return h
}

func (s *State) Payoffs(values []float64) { payoffs(&s.State, values) }

func payoffs(s *trails.State, values []float64) {
	winner, _ := s.Outcome()
	values[0], values[1] = float64(2-winner), float64(winner-1)
}

func (s *State) Playout(random *rand.PCG, values []float64) {
	c := s.State
	var draw uint64
	for left := 0; c.LegalMoves() != 0; left-- {
		if left == 0 { // one number is good for many moves
			draw, left = random.Uint64(), 8
		}
		n := draw >> 32 * 12 >> 32
		draw = draw<<7 | draw>>57
		c.Play(c.LegalMoves().Pick(int(n)))
	}
	payoffs(&c, values)
}

func (s *State) Actions(m search.Move) []engine.Action {
	return []engine.Action{trails.Direction(m & 3)}
}
