package enginetest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"castellan/engine"
)

// keyShape and maxKey describe the keys of games and options.
var keyShape = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

const maxKey = 32

// maxDirect is the number of buttons that fit side by side.
const maxDirect = 5

func checkKey(key string) error {
	if !keyShape.MatchString(key) || len(key) > maxKey {
		return fmt.Errorf("the key %q is not lower case letters and hyphens, at most %d", key, maxKey)
	}
	return nil
}

// checkGame checks the keys, seats, options, texts and buttons of a game.
func (r *runner) checkGame() error {
	if err := checkKey(r.game.Key()); err != nil {
		return err
	}
	return errors.Join(checkSeats(r.game), checkSchema(r.game), r.checkTexts(), checkDirect(r.game))
}

func checkSeats(g engine.Game) error {
	fewest, most := g.Seats()
	if fewest < engine.MinSeats || most > engine.MaxSeats || fewest > most {
		return fmt.Errorf("%d to %d seats are not within %d to %d", fewest, most, engine.MinSeats, engine.MaxSeats)
	}
	for seats := fewest; seats <= most; seats++ {
		colours := g.Colours(seats)
		if len(colours) != seats {
			return fmt.Errorf("%d seats have %d colours", seats, len(colours))
		}
		for i, c := range colours {
			if c < engine.Blue || c > engine.White {
				return fmt.Errorf("seat %d of %d has no colour", i+1, seats)
			}
			if slices.Contains(colours[:i], c) {
				return fmt.Errorf("two of %d seats are %s", seats, c)
			}
		}
	}
	for _, seats := range []int{0, fewest - 1, most + 1} {
		var refused *engine.SeatsError
		if _, err := g.New(g.Options().Defaults(), seats); !errors.As(err, &refused) {
			return fmt.Errorf("method New with %d seats does not fail with an *engine.SeatsError but %v", seats, err)
		}
	}
	return nil
}

func checkSchema(g engine.Game) error {
	known := map[string]bool{}
	for _, o := range g.Options() {
		if err := checkKey(o.Key); err != nil {
			return fmt.Errorf("option: %w", err)
		}
		if known[o.Key] {
			return fmt.Errorf("two options have the key %s", o.Key)
		}
		known[o.Key] = true
		switch {
		case o.Kind == engine.Int && o.Min > o.Max:
			return fmt.Errorf("option %s has no values", o.Key)
		case (o.Kind == engine.Choice || o.Kind == engine.Set) && len(o.Choices) == 0:
			return fmt.Errorf("option %s has no choices", o.Key)
		}
		canonical, err := o.Canonical(o.Default)
		if err != nil {
			return fmt.Errorf("the default of option %s: %w", o.Key, err)
		}
		if canonical != o.Default {
			return fmt.Errorf("the default of option %s is %q, in canonical form %q", o.Key, o.Default, canonical)
		}
	}
	return nil
}

func checkDirect(g engine.Game) error {
	direct := g.Direct()
	if direct != nil && len(direct) == 0 || len(direct) > maxDirect {
		return fmt.Errorf("method Direct has %d actions, not 1 to %d", len(direct), maxDirect)
	}
	for i, a := range direct {
		if slices.Contains(direct[:i], a) {
			return fmt.Errorf("method Direct has %s twice", a)
		}
	}
	return nil
}
