package searchtest

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
)

// Suite sets how thorough the checks are. The zero value is a good choice.
type Suite struct {
	Games     int    // random games from each position; 2 if zero
	Actions   int    // greatest length of a game; 300 if zero
	Decisions int    // positions of each game that the players are asked about; 3 if zero
	Nodes     int64  // greatest node limit of a player; 100 if zero
	Seed      uint64 // of every random choice; 1 if zero
	// Allocates permits the state to allocate.
	Allocates bool
	// Rooted permits moves to depend on the distance from the root.
	// Otherwise the same position must have the same moves.
	Rooted bool
}

// Run checks an engine in random games from the positions, or if there are none
// from the start with default options for every number of seats. The first
// violation fails the test and names the actions that lead to it.
func Run(t enginetest.T, b search.Engine, positions ...engine.Position) {
	t.Helper()
	Suite{}.Run(t, b, positions...)
}

// Run is the function Run with choices.
func (s Suite) Run(t enginetest.T, b search.Engine, positions ...engine.Position) {
	t.Helper()
	s.Games, s.Actions, s.Decisions = cmp.Or(s.Games, 2), cmp.Or(s.Actions, 300), cmp.Or(s.Decisions, 3)
	s.Nodes, s.Seed = cmp.Or(s.Nodes, 100), cmp.Or(s.Seed, 1)
	r := &runner{suite: s, engine: b, random: rand.New(rand.NewPCG(s.Seed, 0))}
	if err := enginetest.CatchPanic(func() error { return r.run(positions) }); err != nil {
		t.Fatalf("%s: %v", r.where(), err)
		return
	}
	t.Logf("%s: %d positions of %d games, %d moves made and taken back, %d decisions",
		b.Game.Key(), r.positions, r.games, r.moves, r.decisions)
}

// runner is one run of the suite.
type runner struct {
	suite  Suite
	engine search.Engine
	random *rand.Rand
	log    []string // actions since the given position
	from   int      // number of that position, from 1

	positions, games, moves, decisions int
}

// where describes how the current position came about.
func (r *runner) where() string {
	return fmt.Sprintf("%s, position %d, after %q", r.engine.Game.Key(), r.from, r.log)
}

func (r *runner) run(positions []engine.Position) error {
	if err := r.checkEngine(); err != nil {
		return err
	}
	if len(positions) == 0 {
		for _, g := range engine.Versions(r.engine.Game) {
			least, most := g.Seats()
			for seats := least; seats <= most; seats++ {
				p, err := g.New(g.Options().Defaults(), seats)
				if err != nil {
					return err
				}
				positions = append(positions, p)
			}
		}
	}
	for i, p := range positions {
		for range r.suite.Games {
			r.from, r.log = i+1, nil
			r.games++
			if err := r.game(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// game plays at random by the moves of a state. It checks the state at every
// step and asks the players now and then.
func (r *runner) game(p engine.Position) error {
	s, err := r.engine.State(p)
	if err != nil {
		return err
	}
	asked := 0
	for step := 0; ; step++ {
		r.positions++
		if err := r.checkState(p, s, step == 0); err != nil {
			return err
		}
		if p.Seat() == engine.Nobody {
			return r.checkOver(p)
		}
		if asked < r.suite.Decisions && r.random.IntN(6) == 0 {
			asked++
			if err := r.checkPlayers(p); err != nil {
				return err
			}
		}
		if step == r.suite.Actions {
			return nil
		}
		if p, err = r.step(p, s); err != nil {
			return err
		}
	}
}

// step makes a random move in position and state.
func (r *runner) step(p engine.Position, s search.State) (engine.Position, error) {
	moves := s.Moves(nil)
	m := moves[r.random.IntN(len(moves))]
	for _, a := range s.Actions(m) {
		q, err := p.Apply(a)
		if err != nil {
			return nil, fmt.Errorf("the move %d is not legal: %w", m, err)
		}
		p = q
		r.log = append(r.log, a.String())
	}
	s.Make(m)
	return p, nil
}
