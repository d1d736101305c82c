package enginetest

import (
	"errors"
	"fmt"
	"strconv"

	"castellan/engine"
)

// optionSets is the options to play by: those of the suite, or the defaults,
// every option at its ends, and some at random.
func (r *runner) optionSets() ([]engine.Options, error) {
	schema := r.game.Options()
	var out []engine.Options
	known := map[string]bool{}
	add := func(o engine.Options) {
		if !known[o.String()] {
			known[o.String()] = true
			out = append(out, o)
		}
	}
	for _, text := range r.suite.Options {
		o, err := schema.Parse(text)
		if err != nil && r.game.Version() < r.newest.Version() {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("options %q of the suite: %w", text, err)
		}
		add(o)
	}
	if len(out) > 0 {
		return out, nil
	}

	add(schema.Defaults())
	for _, option := range schema {
		for _, v := range extremes(option) {
			o, err := schema.Options(map[string]string{option.Key: v})
			if err != nil {
				return nil, fmt.Errorf("option %s does not take its own value %q: %w", option.Key, v, err)
			}
			add(o)
		}
	}
	for range 4 {
		values := map[string]string{}
		for _, option := range schema {
			values[option.Key] = r.randomValue(option)
		}
		o, err := schema.Options(values)
		if err != nil {
			return nil, fmt.Errorf("options %v: %w", values, err)
		}
		add(o)
	}
	return out, nil
}

// ends is values at the limits of an option.
func extremes(o engine.Option) []string {
	switch o.Kind {
	case engine.Int:
		all := o.Ints()
		return []string{strconv.Itoa(all[0]), strconv.Itoa(all[len(all)-1])}
	case engine.Bool:
		return []string{"false", "true"}
	case engine.Choice:
		return o.Choices
	case engine.Set:
		out := []string{engine.None, all(o.Choices)}
		return append(out, o.Choices...)
	}
	return nil
}

func all(choices []string) string {
	text := ""
	for i, c := range choices {
		if i > 0 {
			text += "+"
		}
		text += c
	}
	return text
}

func (r *runner) randomValue(o engine.Option) string {
	switch o.Kind {
	case engine.Int:
		all := o.Ints()
		return strconv.Itoa(all[r.random.IntN(len(all))])
	case engine.Bool:
		return strconv.FormatBool(r.random.IntN(2) == 0)
	case engine.Choice:
		return o.Choices[r.random.IntN(len(o.Choices))]
	default:
		var in []string
		for _, c := range o.Choices {
			if r.random.IntN(2) == 0 {
				in = append(in, c)
			}
		}
		if in == nil {
			return engine.None
		}
		return all(in)
	}
}

// checkRefused looks at options that a game does not start with: only a
// combination may be refused, by an *engine.OptionError with a sentence.
func (r *runner) checkRefused(options engine.Options, seats int, err error) error {
	var refused *engine.OptionError
	if !errors.As(err, &refused) {
		return fmt.Errorf("the game’s New with %s and %d seats gives no *engine.OptionError: %w", options, seats, err)
	}
	if options.String() == r.game.Options().Defaults().String() {
		return fmt.Errorf("the game’s New refuses the defaults: %w", err)
	}
	if err := r.checkSentence(refused.Why); err != nil {
		return fmt.Errorf("the game’s New with %s: %w", options, err)
	}
	return nil
}
