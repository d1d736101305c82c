package engine

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of an option.
type Kind uint8

// The kinds of options, with their text forms.
const (
	Int    Kind = iota + 1 // decimal: "11"
	Bool                   // "true" or "false"
	Choice                 // one of Option.Choices: "standard"
	Set                    // any subset of Option.Choices joined by "+", in their order; empty: "none"
)

// Option describes one option of a match. Its label is in the game's Texts.
type Option struct {
	Key     string // lower case letters and hyphens, at most 32 characters
	Kind    Kind
	Default string // in canonical text form
	// First is the value for a person's first match of the game, in canonical text form,
	// if that should be shorter or easier than with the default.
	First string
	// Min, Max and Step bound an Int. Step 0 means 1; Step 2 with Min 5 means
	// odd numbers from 5.
	Min, Max, Step int
	// Choices are the values of a Choice or the members of a Set.
	Choices []string
	// Standard holds the values, in canonical text form, with which a match can
	// be rated. Nil means all.
	Standard []string
}

// None is the text form of an empty set.
const None = "none"

// Ints returns the values of an Int in ascending order.
func (o Option) Ints() []int {
	step := max(o.Step, 1)
	var v []int
	for n := o.Min; n <= o.Max; n += step {
		v = append(v, n)
	}
	return v
}

// Canonical returns the canonical text form of a value. It fails with an
// *OptionError.
func (o Option) Canonical(value string) (string, error) {
	value = strings.ToLower(strings.TrimSpace(value))
	switch o.Kind {
	case Int:
		n, err := strconv.Atoi(value)
		if err != nil || n < o.Min || n > o.Max || (n-o.Min)%max(o.Step, 1) != 0 {
			return "", o.invalid(value)
		}
		return strconv.Itoa(n), nil
	case Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return "", o.invalid(value)
		}
		return strconv.FormatBool(b), nil
	case Choice:
		if !slices.Contains(o.Choices, value) {
			return "", o.invalid(value)
		}
		return value, nil
	case Set:
		if value == None || value == "" {
			return None, nil
		}
		members := strings.Split(value, "+")
		for _, c := range members {
			if !slices.Contains(o.Choices, c) {
				return "", o.invalid(c)
			}
		}
		var in []string
		for _, c := range o.Choices {
			if slices.Contains(members, c) {
				in = append(in, c)
			}
		}
		return strings.Join(in, "+"), nil
	}
	return "", fmt.Errorf("engine: option %s has no kind", o.Key)
}

//go:embed texts.toml
var optionTextsFile string

var optionTexts = MustTexts(optionTextsFile)

// OptionTexts returns the texts of this package's option errors.
func OptionTexts() Texts { return optionTexts }

//go:embed texts.*.toml
var translations embed.FS

// Translations returns the translations of OptionTexts, as Translated describes.
func Translations() fs.FS { return translations }

func (o Option) invalid(value string) error {
	var why Phrase
	switch {
	case o.Kind == Int && o.Step <= 1:
		why = optionTexts.Phrase("option.range", "Option", o.Key, "Least", o.Min, "Most", o.Max, "Value", value)
	case o.Kind == Int:
		var all []string
		for _, n := range o.Ints() {
			all = append(all, strconv.Itoa(n))
		}
		why = optionTexts.Phrase("option.step", "Option", o.Key, "Values", strings.Join(all, ", "), "Value", value)
	case o.Kind == Bool:
		why = optionTexts.Phrase("option.bool", "Option", o.Key, "Value", value)
	default:
		why = optionTexts.Phrase("option.step", "Option", o.Key, "Values", strings.Join(o.Choices, ", "), "Value", value)
	}
	return &OptionError{Option: o.Key, Why: why}
}

// Schema lists the options of a game.
type Schema []Option

func (s Schema) Lookup(key string) (Option, bool) {
	for _, o := range s {
		if o.Key == key {
			return o, true
		}
	}
	return Option{}, false
}

// Options checks values, given by key in text form, and fills in the defaults.
// It fails with an *OptionError.
func (s Schema) Options(values map[string]string) (Options, error) {
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if _, ok := s.Lookup(k); !ok {
			var all []string
			for _, o := range s {
				all = append(all, o.Key)
			}
			return Options{}, &OptionError{Option: k, Why: optionTexts.Phrase("option.name", "Option", k, "Values", strings.Join(all, ", "))}
		}
	}
	out := Options{schema: s, values: make([]string, len(s))}
	for i, o := range s {
		v, ok := values[o.Key]
		if !ok {
			v = o.Default
		}
		c, err := o.Canonical(v)
		if err != nil {
			return Options{}, err
		}
		out.values[i] = c
	}
	return out, nil
}

func (s Schema) Defaults() Options {
	o, err := s.Options(nil)
	if err != nil {
		panic("engine: a default is not valid: " + err.Error())
	}
	return o
}

// Parse reads options in the form that String prints: "size=11 towers=3".
// Those left out take their defaults.
func (s Schema) Parse(text string) (Options, error) {
	values := map[string]string{}
	for _, f := range strings.Fields(text) {
		k, v, ok := strings.Cut(f, "=")
		if !ok {
			return Options{}, fmt.Errorf("options are written key=value, not %q", f)
		}
		values[k] = v
	}
	return s.Options(values)
}

// Options holds a valid value for every option of a game. It is immutable and
// made by a Schema.
type Options struct {
	schema Schema
	values []string // canonical, in the order of schema
}

// String returns all options in the order of the schema:
// "size=11 towers=3 distance=1".
func (o Options) String() string {
	parts := make([]string, len(o.values))
	for i, v := range o.values {
		parts[i] = o.schema[i].Key + "=" + v
	}
	return strings.Join(parts, " ")
}

// Text returns the text form of an option. Like the methods below, it panics if
// there is no option with that key and kind.
func (o Options) Text(key string) string {
	for i, s := range o.schema {
		if s.Key == key {
			return o.values[i]
		}
	}
	panic("engine: no option " + key)
}

// Standard reports whether every option has a standard value, so that a match
// with them can be rated.
func (o Options) Standard() bool {
	for i, s := range o.schema {
		if s.Standard != nil && !slices.Contains(s.Standard, o.values[i]) {
			return false
		}
	}
	return true
}

func (o Options) Int(key string) int {
	n, err := strconv.Atoi(o.Text(key))
	if err != nil {
		panic("engine: option " + key + " is no int")
	}
	return n
}

func (o Options) Bool(key string) bool { return o.Text(key) == "true" }

// Set returns the members of a Set in the order of the choices.
func (o Options) Set(key string) []string {
	v := o.Text(key)
	if v == None {
		return nil
	}
	return strings.Split(v, "+")
}
