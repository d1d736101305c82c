package enginetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"text/template"

	"castellan/engine"
)

// T is the part of *testing.T that the suite needs, so that its own tests can
// record its failures.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // does not return
}

var _ T = (*testing.T)(nil)

// FullVariable is the environment variable that, if set, makes suites play more
// games and check more positions.
const FullVariable = "CASTELLAN_CONFORMANCE"

// Suite says how much of a game is played. The zero value is a good choice.
type Suite struct {
	Games      int    // for each set of options; if zero 2, with FullVariable 5, under the race detector 1
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

// Run does what the function Run does, as much as s says.
func (s Suite) Run(t T, g engine.Game) {
	t.Helper()
	games, thorough := 2, 60
	switch {
	case RaceEnabled:
		games = 1
	case os.Getenv(FullVariable) != "":
		games, thorough = 5, 300
	}
	s.Games, s.MaxActions, s.Seed = cmp.Or(s.Games, games), cmp.Or(s.MaxActions, 2000), cmp.Or(s.Seed, 1)
	if err := engine.CheckVersions(g); err != nil {
		t.Fatalf("%v", err)
	}
	for _, version := range engine.Versions(g) {
		r := &runner{
			suite: s, game: version, newest: g, texts: version.Texts(),
			random: rand.New(rand.NewPCG(s.Seed, 0)), seen: map[string]engine.Action{}, firstThorough: thorough,
			templates: map[string]*template.Template{},
		}
		if err := Catch(r.run); err != nil {
			t.Fatalf("%s: %v", r.where(), err)
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
	texts  engine.Texts
	random *rand.Rand
	// firstThorough is the number of positions with each set of options that
	// get all checks. Of the others one in thoroughEvery does: on a large board
	// they take long.
	firstThorough int
	templates     map[string]*template.Template // by text

	// The game that is being played.
	options engine.Options
	seats   int
	checked int // positions with these options and seats
	log     []event

	// seen holds every legal action so far by its token. order has the tokens
	// in the order in which they came, so that a seed repeats a run.
	seen  map[string]engine.Action
	order []string
	// scored reports whether results have scores; nil before the first result.
	scored *bool

	positions, games, ended, refused, retirements int
}

func (r *runner) name() string { return fmt.Sprintf("%s version %d", r.game.Key(), r.game.Version()) }

// where describes how the position that is being checked was reached.
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

func (r *runner) run() {
	r.checkGame()
	fewest, most := r.game.Seats()
	for i, options := range r.optionSets() {
		if RaceEnabled && i%3 != 0 {
			continue // all sets are equally concurrent
		}
		// All numbers of seats with the first options, one with each other set.
		from, to := fewest, most
		if i > 0 {
			from = fewest + r.random.IntN(most-fewest+1)
			to = from
		}
		for seats := from; seats <= to; seats++ {
			r.playOptions(options, seats)
		}
	}
	r.seats = 0
	r.checkCoverage()
	r.checkRulebook()
}

func (r *runner) playOptions(options engine.Options, seats int) {
	start, err := r.game.New(options, seats)
	if err != nil {
		r.checkRefusedOptions(options, seats, err)
		return
	}
	_, canRetire := start.(engine.Retirer)
	byHash := map[uint64]string{}
	r.checked = 0
	for n := range r.suite.Games {
		r.play(options, seats, start, false, byHash)
		if canRetire && seats > 2 && n%2 == 0 {
			r.play(options, seats, start, true, byHash)
		}
	}
}

// checkCoverage fails if the run was too small to check everything.
func (r *runner) checkCoverage() {
	Require(r.ended > 0, "none of %d games reached its end: results are unchecked", r.games)
	Require(r.refused > 0, "no action was illegal: refusals are unchecked")
	for _, a := range r.game.Direct() {
		_, ok := r.seen[a.String()]
		Require(ok, "method Direct has %s, which was never legal", a)
	}
}
