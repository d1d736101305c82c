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
	// Rooted permits moves to depend on the distance from the root and to leave
	// actions out. Otherwise the same position must have the same moves, and
	// if moves are single actions all that are legal.
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
	if err := enginetest.Catch(func() { r.run(positions) }); err != nil {
		t.Fatalf("%s, position %d, after %q: %v", b.Game.Key(), r.from, r.log, err)
	}
	t.Logf("%s: %d positions of %d games, %d moves made and taken back, %d decisions",
		b.Game.Key(), r.positions, r.games, r.moves, r.decisions)
}

// require panics unless a promise holds; Suite.Run reports it.
func require(holds bool, format string, args ...any) { enginetest.Require(holds, format, args...) }

type runner struct {
	suite  Suite
	engine search.Engine
	random *rand.Rand
	log    []string // actions since the given position
	from   int      // number of that position, from 1

	positions, games, moves, decisions int
}

func (r *runner) run(positions []engine.Position) {
	r.checkEngine()
	if len(positions) == 0 {
		for _, g := range engine.Versions(r.engine.Game) {
			least, most := g.Seats()
			for seats := least; seats <= most; seats++ {
				p, err := g.New(g.Options().Defaults(), seats)
				require(err == nil, "%v", err)
				positions = append(positions, p)
			}
		}
	}
	r.from = 1
	r.checkPlayouts(positions[0])
	for i, p := range positions {
		for range r.suite.Games {
			r.from, r.log = i+1, nil
			r.games++
			r.game(p)
		}
	}
}

func (r *runner) state(p engine.Position) search.State {
	s, err := r.engine.State(p)
	require(err == nil, "making a state: %v", err)
	return s
}

// game plays at random by the moves of a state. It checks the state at every
// step and asks the players now and then.
func (r *runner) game(p engine.Position) {
	s := r.state(p)
	asked := 0
	for step := 0; ; step++ {
		r.positions++
		r.checkState(p, s, step == 0)
		if p.Seat() == engine.Nobody {
			r.checkOver(p)
			return
		}
		if asked < r.suite.Decisions && r.random.IntN(6) == 0 {
			asked++
			for _, n := range r.players() {
				err := enginetest.Catch(func() { r.checkPlayer(p, s.Seats(), n) })
				require(err == nil, "%s: %v", n.name, err)
			}
		}
		if step == r.suite.Actions {
			return
		}
		moves := s.Moves(nil)
		m := moves[r.random.IntN(len(moves))]
		actions := s.Actions(m)
		p = play(p, fmt.Sprintf("the move %d", m), actions)
		for _, a := range actions {
			r.log = append(r.log, a.String())
		}
		s.Make(m)
	}
}

// play applies actions, which must be legal.
func play(p engine.Position, what string, actions []engine.Action) engine.Position {
	for _, a := range actions {
		next, err := p.Apply(a)
		require(err == nil, "%s, %v, is not legal: %v", what, actions, err)
		p = next
	}
	return p
}
