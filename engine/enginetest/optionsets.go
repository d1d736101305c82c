package enginetest

import (
	"embed"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"castellan/engine"
)

const randomOptionSets = 4

// optionSets returns the sets of options to play: those of the suite, or else
// the defaults, each option at its extremes, and some at random.
func (r *runner) optionSets() (sets []engine.Options) {
	schema := r.game.Options()
	for _, text := range r.suite.Options {
		o, err := schema.Parse(text)
		if err != nil && r.game.Version() < r.newest.Version() {
			continue
		}
		Require(err == nil, "options %q of the suite: %v", text, err)
		sets = append(sets, o)
	}
	if len(sets) > 0 {
		return sets
	}
	add := func(values map[string]string) {
		o, err := schema.Options(values)
		Require(err == nil, "options %v: %v", values, err)
		if !slices.ContainsFunc(sets, func(s engine.Options) bool { return s.String() == o.String() }) {
			sets = append(sets, o)
		}
	}
	add(nil)
	for _, option := range schema {
		all := values(option)
		if option.Kind == engine.Int {
			all = []string{all[0], all[len(all)-1]}
		}
		for _, v := range all {
			add(map[string]string{option.Key: v})
		}
	}
	for range randomOptionSets {
		random := map[string]string{}
		for _, option := range schema {
			all := values(option)
			random[option.Key] = all[r.random.IntN(len(all))]
			if option.Kind == engine.Set {
				members := slices.DeleteFunc(slices.Clone(option.Choices), func(string) bool { return r.random.IntN(2) == 0 })
				random[option.Key] = strings.Join(members, "+") // empty reads as engine.None
			}
		}
		add(random)
	}
	return sets
}

// values returns the values of an option, of a set only none, all and each
// member alone.
func values(o engine.Option) (all []string) {
	switch o.Kind {
	case engine.Int:
		for _, n := range o.Ints() {
			all = append(all, strconv.Itoa(n))
		}
		return all
	case engine.Bool:
		return []string{"false", "true"}
	case engine.Set:
		return append([]string{engine.None, strings.Join(o.Choices, "+")}, o.Choices...)
	}
	return o.Choices
}

// checkRefusedOptions checks the error of New for options: an
// *engine.OptionError with a sentence, and never for the defaults.
func (r *runner) checkRefusedOptions(options engine.Options, seats int, err error) {
	var refused *engine.OptionError
	Require(errors.As(err, &refused), "method New with %s and %d seats does not fail with an *engine.OptionError: %v", options, seats, err)
	Require(options.String() != r.game.Options().Defaults().String(), "method New refuses the default options: %v", err)
	r.checkSentence(refused.Why)
}

// AllStandard returns a game all of whose options are standard, so that short
// matches are rated as well.
func AllStandard(g engine.Game) engine.Game { return allStandard{g} }

type allStandard struct{ engine.Game }

func (g allStandard) Translations() fs.FS {
	if t, ok := g.Game.(engine.Translated); ok {
		return t.Translations()
	}
	return embed.FS{}
}

func (g allStandard) Options() engine.Schema {
	options := slices.Clone(g.Game.Options())
	for i := range options {
		options[i].Standard = nil
	}
	return options
}
