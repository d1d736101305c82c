package enginetest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"castellan/engine"
)

// randomOptionSets is the number of random sets of options to play.
const randomOptionSets = 4

// optionSets returns the sets of options to play: those of the suite, or else
// the defaults, each option at its extremes, and some at random.
func (r *runner) optionSets() (sets []engine.Options, err error) {
	schema := r.game.Options()
	known := map[string]bool{}
	add := func(values map[string]string) error {
		o, err := schema.Options(values)
		if err != nil {
			return fmt.Errorf("options %v: %w", values, err)
		}
		if !known[o.String()] {
			known[o.String()] = true
			sets = append(sets, o)
		}
		return nil
	}
	for _, text := range r.suite.Options {
		o, err := schema.Parse(text)
		if err != nil && r.game.Version() < r.newest.Version() {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("options %q of the suite: %w", text, err)
		}
		sets = append(sets, o)
	}
	if len(sets) > 0 {
		return sets, nil
	}
	if err := add(nil); err != nil {
		return nil, err
	}
	for _, option := range schema {
		for _, v := range extremes(option) {
			if err := add(map[string]string{option.Key: v}); err != nil {
				return nil, err
			}
		}
	}
	for range randomOptionSets {
		values := map[string]string{}
		for _, option := range schema {
			values[option.Key] = r.randomValue(option)
		}
		if err := add(values); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// extremes returns the values at the limits of an option.
func extremes(o engine.Option) []string {
	switch o.Kind {
	case engine.Int:
		ints := o.Ints()
		return []string{strconv.Itoa(ints[0]), strconv.Itoa(ints[len(ints)-1])}
	case engine.Bool:
		return []string{"false", "true"}
	case engine.Choice:
		return o.Choices
	case engine.Set:
		return append([]string{engine.None, strings.Join(o.Choices, "+")}, o.Choices...)
	}
	return nil
}

func (r *runner) randomValue(o engine.Option) string {
	switch o.Kind {
	case engine.Int:
		ints := o.Ints()
		return strconv.Itoa(ints[r.random.IntN(len(ints))])
	case engine.Bool:
		return strconv.FormatBool(r.random.IntN(2) == 0)
	case engine.Choice:
		return o.Choices[r.random.IntN(len(o.Choices))]
	}
	var members []string
	for _, c := range o.Choices {
		if r.random.IntN(2) == 0 {
			members = append(members, c)
		}
	}
	return strings.Join(members, "+") // empty reads as engine.None
}

// checkRefusedOptions checks the error of New for options: an
// *engine.OptionError with a sentence, and never for the defaults.
func (r *runner) checkRefusedOptions(options engine.Options, seats int, err error) error {
	var refused *engine.OptionError
	if !errors.As(err, &refused) {
		return fmt.Errorf("method New with %s and %d seats does not fail with an *engine.OptionError: %w", options, seats, err)
	}
	if options.String() == r.game.Options().Defaults().String() {
		return fmt.Errorf("method New refuses the default options: %w", err)
	}
	if err := r.checkSentence(refused.Why); err != nil {
		return fmt.Errorf("method New with %s: %w", options, err)
	}
	return nil
}
