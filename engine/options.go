package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of an option.
type Kind uint8

// The kinds of options, with their text form.
const (
	Int    Kind = iota + 1 // decimal: "11"
	Bool                   // "true" or "false"
	Choice                 // one of Option.Choices: "standard"
	Set                    // any subset of Option.Choices joined by "+", in their order; empty: "none"
)

// Option describes one thing that a match can be set to. The label and the
// help text stand in the game's Texts.
type Option struct {
	Key     string // lower case letters and hyphens, at most 32 characters
	Kind    Kind
	Default string // in text form
	// Least, Most and Step bound an Int; Step 0 means 1, and 2 with Least 5
	// means odd numbers from 5.
	Min, Max, Step int
	// Choices of a Choice or a Set.
	Choices []string
}

// None is the text form of an empty set.
const None = "none"

// Ints is the allowed values of an Int in ascending order.
func (o Option) Ints() []int {
	step := max(o.Step, 1)
	var v []int
	for n := o.Min; n <= o.Max; n += step {
		v = append(v, n)
	}
	return v
}

// Canonical is the canonical text form of a value, or an *OptionError that
// says what would be right.
func (o Option) Canonical(value string) (string, error) {
	value = strings.ToLower(strings.TrimSpace(value))
	switch o.Kind {
	case Int:
		n, err := strconv.Atoi(value)
		if err != nil || n < o.Min || n > o.Max || (n-o.Min)%max(o.Step, 1) != 0 {
			return "", o.wrong(value)
		}
		return strconv.Itoa(n), nil
	case Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return "", o.wrong(value)
		}
		return strconv.FormatBool(b), nil
	case Choice:
		if !slices.Contains(o.Choices, value) {
			return "", o.wrong(value)
		}
		return value, nil
	case Set:
		if value == None || value == "" {
			return None, nil
		}
		asked := strings.Split(value, "+")
		for _, c := range asked {
			if !slices.Contains(o.Choices, c) {
				return "", o.wrong(c)
			}
		}
		var in []string
		for _, c := range o.Choices {
			if slices.Contains(asked, c) {
				in = append(in, c)
			}
		}
		return strings.Join(in, "+"), nil
	}
	return "", fmt.Errorf("engine: option %s has no kind", o.Key)
}

var optionTexts = Texts{
	"option.range": {Other: "{{.Option}} must be a whole number from {{.Least}} to {{.Most}}, not “{{.Value}}”."},
	"option.step":  {Other: "{{.Option}} must be one of {{.Values}}, not “{{.Value}}”."},
	"option.bool":  {Other: "{{.Option}} must be true or false, not “{{.Value}}”."},
	"option.name":  {Other: "There is no option “{{.Option}}”; there is {{.Values}}."},
}

// OptionTexts is the sentences of the errors of this package.
func OptionTexts() Texts { return optionTexts }

func (o Option) wrong(value string) error {
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

// Schema is the options of a game.
type Schema []Option

// Lookup is the option of that key.
func (s Schema) Lookup(key string) (Option, bool) {
	for _, o := range s {
		if o.Key == key {
			return o, true
		}
	}
	return Option{}, false
}

// Options checks values given by key in text form and fills in the defaults.
// An unknown key or a bad value gives an *OptionError.
func (s Schema) Options(values map[string]string) (Options, error) {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
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

// Defaults is the options with nothing chosen.
func (s Schema) Defaults() Options {
	o, err := s.Options(nil)
	if err != nil {
		panic("engine: a default is not valid: " + err.Error())
	}
	return o
}

// Parse reads options from the form that String prints: "size=11 towers=3".
// Missing ones take their defaults.
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

// Options is a valid choice for every option of a game, made by Schema. It is
// immutable.
type Options struct {
	schema Schema
	values []string // canonical, in the order of schema
}

// String is the whole choice, "size=11 towers=3 distance=1", in the order of
// the schema.
func (o Options) String() string {
	parts := make([]string, len(o.values))
	for i, v := range o.values {
		parts[i] = o.schema[i].Key + "=" + v
	}
	return strings.Join(parts, " ")
}

// Text is the text form of an option. It panics, as the methods below do, on a
// key or kind that the game does not have.
func (o Options) Text(key string) string {
	for i, s := range o.schema {
		if s.Key == key {
			return o.values[i]
		}
	}
	panic("engine: no option " + key)
}

// Int is the value of an Int.
func (o Options) Int(key string) int {
	n, err := strconv.Atoi(o.Text(key))
	if err != nil {
		panic("engine: option " + key + " is no int")
	}
	return n
}

// Bool is the value of a Bool.
func (o Options) Bool(key string) bool { return o.Text(key) == "true" }

// Set is the members of a Set in the order of the choices.
func (o Options) Set(key string) []string {
	v := o.Text(key)
	if v == None {
		return nil
	}
	return strings.Split(v, "+")
}
