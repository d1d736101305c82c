package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"castellan/engine"
)

// Suite is how thoroughly a game is played. The zero value is a good choice.
type Suite struct {
	Games      int      // for each set of options; 5 if zero, 1 under the race detector
	MaxActions int      // after which a game is broken off; 2,000 if zero
	Seed       uint64   // of everything random; 1 if zero
	Options    []string // sets of options to play by, "size=5 towers=3"; chosen from the schema if empty
}

// Run runs a game through the conformance suite: what castellan/engine
// promises of every game, tried by random play over several options and all
// numbers of seats. The first promise that is not kept fails the test, with the
// options, seats and actions that lead there.
func Run(t T, g engine.Game) {
	t.Helper()
	Suite{}.Run(t, g)
}

// Run is the function Run with choices.
func (s Suite) Run(t T, g engine.Game) {
	t.Helper()
	if s.Games == 0 {
		s.Games = 5
		if RaceEnabled {
			s.Games = 1
		}
	}
	if s.MaxActions == 0 {
		s.MaxActions = 2000
	}
	if s.Seed == 0 {
		s.Seed = 1
	}
	r := &runner{
		suite:  s,
		game:   g,
		random: rand.New(rand.NewPCG(s.Seed, 0)),
		seen:   map[string]engine.Action{},
	}
	if err := caught(r.run); err != nil {
		t.Fatalf("%s: %v", r.where(), err)
		return
	}
	t.Logf("%s: %d positions of %d games, %d of them played to the end; %d illegal actions refused; %d retirements",
		g.Key(), r.positions, r.games, r.ended, r.refused, r.retirements)
}

// runner is one run of the suite.
type runner struct {
	suite  Suite
	game   engine.Game
	random *rand.Rand
	texts  engine.Texts

	options engine.Options // of the game that is being played
	seats   int
	log     []entry

	// seen is every legal action met so far, by token; order keeps the choice
	// of one the same for the same seed.
	seen  map[string]engine.Action
	order []string
	// scored is whether results have scores, once one was seen.
	scored *bool

	positions, games, ended, refused, retirements int
}

// entry is what was done to reach a position: an action, or a retirement.
type entry struct {
	token   string
	retired engine.Seat
}

func (e entry) String() string {
	if e.retired != engine.Nobody {
		return fmt.Sprintf("[seat %d retires]", e.retired)
	}
	return e.token
}

// where says which game is being played and how it came here.
func (r *runner) where() string {
	if r.seats == 0 {
		return r.game.Key()
	}
	parts := make([]string, len(r.log))
	for i, e := range r.log {
		parts[i] = e.String()
	}
	return fmt.Sprintf("%s with %s, %d seats, after %q", r.game.Key(), r.options, r.seats, strings.Join(parts, " "))
}

// caught turns a panic of the game into an error.
func caught(do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panics: %v", v)
		}
	}()
	return do()
}

func (r *runner) run() error {
	if err := checkGame(r.game); err != nil {
		return err
	}
	r.texts = r.game.Texts()
	sets, err := r.optionSets()
	if err != nil {
		return err
	}
	least, most := r.game.Seats()
	for i, options := range sets {
		if RaceEnabled && i%3 != 0 {
			continue // what goes on at once is the same in all
		}
		// All numbers of seats with the first options, one with each of the rest.
		from, to := least, most
		if i > 0 {
			from = least + r.random.IntN(most-least+1)
			to = from
		}
		for seats := from; seats <= to; seats++ {
			if err := r.playSet(options, seats); err != nil {
				return err
			}
		}
	}
	r.seats = 0
	if err := r.checkCoverage(); err != nil {
		return err
	}
	return r.checkRulebook()
}

// playSet plays all games with the same options and seats.
func (r *runner) playSet(options engine.Options, seats int) error {
	start, err := r.game.New(options, seats)
	if err != nil {
		return r.checkRefused(options, seats, err)
	}
	byHash := map[uint64]string{}
	for n := range r.suite.Games {
		if err := r.play(options, seats, start, false, byHash); err != nil {
			return err
		}
		if _, ok := start.(engine.Retirer); ok && seats > 2 && n%2 == 0 {
			// Who has retired is part of the position, so the hashes still tell
			// positions apart.
			if err := r.play(options, seats, start, true, byHash); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkCoverage fails where the run was too small to say anything.
func (r *runner) checkCoverage() error {
	switch {
	case r.ended == 0:
		return fmt.Errorf("none of %d games reached its end: nothing is known of results", r.games)
	case r.refused == 0:
		return fmt.Errorf("no illegal action was met: nothing is known of refusals")
	}
	for _, a := range r.game.Direct() {
		if _, ok := r.seen[a.String()]; !ok {
			return fmt.Errorf("the game’s Direct has %s, which was never legal", a)
		}
	}
	return nil
}
