package enginetest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"castellan/engine"
)

var keyShape = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

const maxKey = 32

// checkGame looks at what a game says of itself, before any play.
func checkGame(g engine.Game) error {
	if key := g.Key(); !keyShape.MatchString(key) || len(key) > maxKey {
		return fmt.Errorf("the key %q is not lower case letters and hyphens, at most %d", key, maxKey)
	}
	if g.Version() < 1 {
		return fmt.Errorf("the version of the rules is %d, which is below 1", g.Version())
	}
	for _, check := range []func(engine.Game) error{checkSeats, checkSchema, checkTexts, checkDirect} {
		if err := check(g); err != nil {
			return err
		}
	}
	return nil
}

func checkSeats(g engine.Game) error {
	least, most := g.Seats()
	if least < engine.MinSeats || most > engine.MaxSeats || least > most {
		return fmt.Errorf("%d to %d seats are not within %d to %d", least, most, engine.MinSeats, engine.MaxSeats)
	}
	for seats := least; seats <= most; seats++ {
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
	for _, seats := range []int{0, least - 1, most + 1} {
		var refused *engine.SeatsError
		if _, err := g.New(g.Options().Defaults(), seats); !errors.As(err, &refused) {
			return fmt.Errorf("the game’s New with %d seats gives no *engine.SeatsError but %v", seats, err)
		}
	}
	return nil
}

func checkSchema(g engine.Game) error {
	var keys []string
	for _, o := range g.Options() {
		if !keyShape.MatchString(o.Key) || len(o.Key) > maxKey {
			return fmt.Errorf("the option key %q is not lower case letters and hyphens, at most %d", o.Key, maxKey)
		}
		if slices.Contains(keys, o.Key) {
			return fmt.Errorf("two options are called %s", o.Key)
		}
		keys = append(keys, o.Key)
		switch o.Kind {
		case engine.Int:
			if o.Min > o.Max {
				return fmt.Errorf("option %s has no values", o.Key)
			}
		case engine.Choice, engine.Set:
			if len(o.Choices) == 0 {
				return fmt.Errorf("option %s has no choices", o.Key)
			}
		}
		canonical, err := o.Canonical(o.Default)
		if err != nil {
			return fmt.Errorf("the default of option %s: %w", o.Key, err)
		}
		if canonical != o.Default {
			return fmt.Errorf("the default of option %s is written %q, not %q", o.Key, o.Default, canonical)
		}
	}
	return nil
}

func checkTexts(g engine.Game) error {
	texts := g.Texts()
	need := []string{g.Key() + ".name", g.Key() + ".tagline"}
	for _, o := range g.Options() {
		need = append(need, g.Key()+".option."+o.Key)
	}
	for _, key := range need {
		if _, ok := texts[key]; !ok {
			return fmt.Errorf("there is no text %s", key)
		}
	}
	for key, text := range texts {
		if !strings.HasPrefix(key, g.Key()+".") {
			return fmt.Errorf("the text %s does not begin with the key of the game", key)
		}
		if strings.TrimSpace(text.Other) == "" {
			return fmt.Errorf("the text %s is empty", key)
		}
		for _, form := range []string{text.One, text.Other} {
			if _, err := parseTemplate(key, form); err != nil {
				return fmt.Errorf("the text %s is no template: %w", key, err)
			}
		}
	}
	return nil
}

// maxDirect is how many buttons stand side by side.
const maxDirect = 5

func checkDirect(g engine.Game) error {
	direct := g.Direct()
	if direct != nil && len(direct) == 0 || len(direct) > maxDirect {
		return fmt.Errorf("the game’s Direct has %d actions, not 1 to %d", len(direct), maxDirect)
	}
	for i, a := range direct {
		if slices.Contains(direct[:i], a) {
			return fmt.Errorf("the game’s Direct has %s twice", a)
		}
	}
	return nil
}
