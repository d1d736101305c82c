package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"castellan/engine"
)

// T is the part of *testing.T that the suite needs, so that its own tests can
// record its failures.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // does not return
	Skipf(format string, args ...any)  // does not return
}

var _ T = (*testing.T)(nil)

// Suite says how much of a game is played. The zero value is a good choice.
type Suite struct {
	Games      int    // for each set of options; 5 if zero, 1 under the race detector
	MaxActions int    // of a game, which is then abandoned; 2,000 if zero
	Seed       uint64 // of all randomness; 1 if zero
	// Options are the sets of options to play, "size=5 towers=3"; chosen from
	// the schema if empty. Earlier versions leave out those they do not have.
	Options []string
}

// Run checks that a game keeps the promises of castellan/engine, in every
// version of its rules, by playing random games over several sets of options
// and all numbers of seats. The first broken promise fails the test, with the
// options, seats and actions that lead to it.
func Run(t T, g engine.Game) {
	t.Helper()
	Suite{}.Run(t, g)
}

// Run does what the function Run does, as s says.
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
	if err := engine.CheckVersions(g); err != nil {
		t.Fatalf("%v", err)
		return
	}
	for _, version := range engine.Versions(g) {
		r := &runner{
			suite:  s,
			game:   version,
			newest: g,
			random: rand.New(rand.NewPCG(s.Seed, 0)),
			seen:   map[string]engine.Action{},
		}
		if err := catchPanic(r.run); err != nil {
			t.Fatalf("%s: %v", r.where(), err)
			return
		}
		t.Logf("%s: %d positions in %d games, %d of them played to the end; %d illegal actions refused; %d retirements",
			r.name(), r.positions, r.games, r.ended, r.refused, r.retirements)
	}
}

// runner runs the suite on one version of a game.
type runner struct {
	suite  Suite
	game   engine.Game
	newest engine.Game
	random *rand.Rand
	texts  engine.Texts

	options engine.Options // of the game that is being played
	seats   int
	log     []event

	// seen is every legal action met so far, by token; order keeps the choice
	// of one the same for the same seed.
	seen  map[string]engine.Action
	order []string
	// scored is whether results have scores, once one was seen.
	scored *bool

	positions, games, ended, refused, retirements int
}

// entry is what was done to reach a position: an action, or a retirement.
type event struct {
	token   string
	retired engine.Seat
}

func (e event) String() string {
	if e.retired != engine.Nobody {
		return fmt.Sprintf("[seat %d retires]", e.retired)
	}
	return e.token
}

// name returns the key and the version of the game.
func (r *runner) name() string { return fmt.Sprintf("%s version %d", r.game.Key(), r.game.Version()) }

// where returns what leads to the position that is checked.
func (r *runner) where() string {
	if r.seats == 0 {
		return r.name()
	}
	parts := make([]string, len(r.log))
	for i, e := range r.log {
		parts[i] = e.String()
	}
	return fmt.Sprintf("%s with %s, %d seats, after %q", r.name(), r.options, r.seats, strings.Join(parts, " "))
}

// caught turns a panic of the game into an error.
func catchPanic(do func() error) (err error) {
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
	if err := r.checkNewestTexts(); err != nil {
		return err
	}
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
			if err := r.playOptions(options, seats); err != nil {
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

// checkNewestTexts checks that the newest version has the texts of this one.
func (r *runner) checkNewestTexts() error {
	newest := r.newest.Texts()
	for key, text := range r.texts {
		if newest[key] != text {
			return fmt.Errorf("the newest version has another text %s, or none", key)
		}
	}
	return nil
}

// playOptions plays all games with the same options and seats.
func (r *runner) playOptions(options engine.Options, seats int) error {
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
