package enginetest

import (
	"errors"
	"regexp"
	"slices"

	"castellan/engine"
)

// keyShape and maxKey describe the keys of games and options.
var keyShape = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

const maxKey = 32

// maxDirect is the number of buttons that fit side by side.
const maxDirect = 5

func checkKey(key string) {
	Require(keyShape.MatchString(key) && len(key) <= maxKey, "the key %q is not lower case letters and hyphens, at most %d", key, maxKey)
}

// checkGame checks the key, seats, options, texts and buttons of a game.
func (r *runner) checkGame() {
	checkKey(r.game.Key())
	checkSeats(r.game)
	checkSchema(r.game)
	r.checkTexts()
	direct := r.game.Direct()
	Require((direct == nil || len(direct) > 0) && len(direct) <= maxDirect, "method Direct has %d actions, not 1 to %d", len(direct), maxDirect)
	for i, a := range direct {
		Require(!slices.Contains(direct[:i], a), "method Direct has %s twice", a)
	}
}

func checkSeats(g engine.Game) {
	fewest, most := g.Seats()
	Require(engine.MinSeats <= fewest && fewest <= most && most <= engine.MaxSeats, "%d to %d seats are not within %d to %d", fewest, most, engine.MinSeats, engine.MaxSeats)
	for seats := fewest; seats <= most; seats++ {
		colours := g.Colours(seats)
		Require(len(colours) == seats, "%d seats have %d colours", seats, len(colours))
		for i, c := range colours {
			Require(c >= engine.Blue && c <= engine.Wedge, "seat %d of %d has no colour", i+1, seats)
			Require(!slices.Contains(colours[:i], c), "two of %d seats are %s", seats, c)
		}
	}
	for _, seats := range []int{0, fewest - 1, most + 1} {
		_, err := g.New(g.Options().Defaults(), seats)
		var refused *engine.SeatsError
		Require(errors.As(err, &refused), "method New with %d seats does not fail with an *engine.SeatsError but %v", seats, err)
	}
}

func checkSchema(g engine.Game) {
	known := map[string]bool{}
	for _, o := range g.Options() {
		checkKey(o.Key)
		Require(!known[o.Key], "two options have the key %s", o.Key)
		known[o.Key] = true
		Require(o.Kind != engine.Int || o.Min <= o.Max, "option %s has no values", o.Key)
		Require(o.Kind != engine.Choice && o.Kind != engine.Set || len(o.Choices) > 0, "option %s has no choices", o.Key)
		for name, value := range map[string]string{"default": o.Default, "first value": o.First} {
			if value == "" && name != "default" {
				continue
			}
			canonical, err := o.Canonical(value)
			Require(err == nil, "the %s of option %s: %v", name, o.Key, err)
			Require(canonical == value, "the %s of option %s is %q, in canonical form %q", name, o.Key, value, canonical)
		}
	}
}
