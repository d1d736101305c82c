package searchtest

import (
	"fmt"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
)

// Suite is how thoroughly a brain is tried. The zero value is a good choice.
type Suite struct {
	Games     int    // played at random from each position; 2 if zero
	Actions   int    // after which a game is broken off; 300 if zero
	Decisions int    // positions of each game that the players think about; 3 if zero
	Nodes     int64  // the most that a player may visit in a thought; 100 if zero
	Seed      uint64 // of everything random; 1 if zero
	// Allocates lets the state allocate, as one that walks positions must.
	Allocates bool
	// Rooted lets the moves of a position depend on how far it is from where
	// the state was made. Otherwise they are the same by whichever way the
	// position was reached.
	Rooted bool
}

// Run tries a brain at games that go on at random from the positions, or from
// the start by the default options, for every number of seats, where there are
// none. The first promise that is not kept fails the test, with the actions
// that lead there.
func Run(t enginetest.T, b search.Engine, positions ...engine.Position) {
	t.Helper()
	Suite{}.Run(t, b, positions...)
}

// Run is the function Run with choices.
func (s Suite) Run(t enginetest.T, b search.Engine, positions ...engine.Position) {
	t.Helper()
	s.Games = orDefault(s.Games, 2)
	s.Actions = orDefault(s.Actions, 300)
	s.Decisions = orDefault(s.Decisions, 3)
	s.Nodes = orDefault(s.Nodes, 100)
	s.Seed = orDefault(s.Seed, 1)
	r := &runner{suite: s, engine: b, random: rand.New(rand.NewPCG(s.Seed, 0))}
	if err := catchPanic(func() error { return r.run(positions) }); err != nil {
		t.Fatalf("%s: %v", r.where(), err)
		return
	}
	t.Logf("%s: %d positions of %d games, %d moves made and taken back, %d thoughts",
		b.Game.Key(), r.positions, r.games, r.moves, r.decisions)
}

// or is a choice, or what stands for zero.
func orDefault[N int | int64 | uint64](choice, otherwise N) N {
	if choice == 0 {
		return otherwise
	}
	return choice
}

// runner is one run of the suite.
type runner struct {
	suite  Suite
	engine search.Engine
	random *rand.Rand
	log    []string // what was played, since the position that was given
	from   int      // which that was, from 1

	positions, games, moves, decisions int
}

// where tells what led to the position that is looked at.
func (r *runner) where() string {
	return fmt.Sprintf("%s, position %d, after %q", r.engine.Game.Key(), r.from, r.log)
}

// caught is what a function fails with, a panic too.
func catchPanic(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do()
}

func (r *runner) run(positions []engine.Position) error {
	if err := r.checkEngine(); err != nil {
		return err
	}
	if len(positions) == 0 {
		least, most := r.engine.Game.Seats()
		for seats := least; seats <= most; seats++ {
			p, err := r.engine.Game.New(r.engine.Game.Options().Defaults(), seats)
			if err != nil {
				return err
			}
			positions = append(positions, p)
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

// game goes on from a position by the moves of a state, holding the state
// against the rules at every one, and asks the players now and then.
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

// step makes one of the moves in both the game and the state.
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
