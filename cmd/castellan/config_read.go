package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"castellan/engine"
)

// maxConfig is the size of a configuration in bytes: far above any real one.
const maxConfig = 1 << 20

// configError is every mistake in a configuration.
type configError struct {
	file     string
	mistakes []mistake
}

// mistake is what is wrong in a line, and what would be right.
type mistake struct {
	line int
	text string
}

func (e *configError) Error() string {
	var b strings.Builder
	switch len(e.mistakes) {
	case 1:
		fmt.Fprintf(&b, "%s has a mistake:", e.file)
	default:
		fmt.Fprintf(&b, "%s has %d mistakes:", e.file, len(e.mistakes))
	}
	for _, m := range e.mistakes {
		fmt.Fprintf(&b, "\n  line %d: %s", m.line, m.text)
	}
	return b.String()
}

// loadConfig reads a configuration file; no name gives the defaults. Mistakes
// are a *usageError.
func loadConfig(name string) (config, error) {
	if name == "" {
		return defaultConfig(), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return config{}, &usageError{fmt.Errorf("opening the configuration: %w", err)}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return config{}, fmt.Errorf("reading the configuration: %w", err)
	}
	if len(data) > maxConfig {
		return config{}, &usageError{fmt.Errorf("%s is no configuration: it has more than %d bytes", name, maxConfig)}
	}
	c, mistakes := parseConfig(string(data))
	if len(mistakes) > 0 {
		return config{}, &usageError{&configError{name, mistakes}}
	}
	return c, nil
}

// parseConfig reads a configuration over the defaults. It finds every mistake,
// in the order of the lines, except that a text that is no TOML has only one.
func parseConfig(data string) (config, []mistake) {
	p := configParser{config: defaultConfig()}
	var sections map[string]toml.Primitive
	var err error
	if p.meta, err = toml.Decode(data, &sections); err != nil {
		line := 1
		message := err.Error()
		var wrong toml.ParseError
		if errors.As(err, &wrong) {
			line, message = max(wrong.Position.Line, 1), wrong.Message
		}
		return p.config, []mistake{{line, message}}
	}
	known := keysOf(reflect.ValueOf(&p.config).Elem())
	for name, section := range sections {
		p.section(name, section, known)
	}
	slices.SortFunc(p.mistakes, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.line, b.line), strings.Compare(a.text, b.text))
	})
	return p.config, p.mistakes
}

// configParser is a configuration as far as it has been read.
type configParser struct {
	config   config
	meta     toml.MetaData
	mistakes []mistake
}

// keysOf is the fields of a struct by their key.
func keysOf(v reflect.Value) map[string]reflect.Value {
	out := make(map[string]reflect.Value, v.NumField())
	for i := range v.NumField() {
		out[v.Type().Field(i).Tag.Get("toml")] = v.Field(i)
	}
	return out
}

// names is the keys of a section, or the sections, in order.
func names(of map[string]reflect.Value) []string {
	var all []string
	for name := range of {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// tokenHint says why the token is not taken, whoever writes it where.
const tokenHint = "the bot token does not belong here, because this file gets copied, shown and committed: " +
	"put it in the environment variable CASTELLAN_TOKEN or, alone, in the file that token_file names. " +
	"If anybody has seen this file, reset the token"

func (p *configParser) section(name string, value toml.Primitive, known map[string]reflect.Value) {
	fields, ok := known[name]
	var form tableness
	if err := p.meta.PrimitiveDecode(value, &form); err != nil {
		p.wrong(value, "%s: %v", shownKey(name), err)
		return
	}
	table := bool(form)
	switch {
	case isToken(name):
		p.wrong(value, "%s", tokenHint)
		return
	case !ok && !table:
		for _, section := range names(known) {
			if _, ok := keysOf(known[section])[name]; ok {
				p.wrong(value, "%s stands under [%s]", name, section)
				return
			}
		}
		p.wrong(value, "there is no key %s outside of a section", shownKey(name))
		return
	case !ok:
		p.wrong(value, "there is no section [%s]%s", shownKey(name), instead(names(known), name, "[%s]"))
		return
	case !table:
		p.wrong(value, "%s must be a section, [%s] on a line of its own", name, name)
		return
	}
	var values map[string]toml.Primitive
	if err := p.meta.PrimitiveDecode(value, &values); err != nil {
		p.wrong(value, "%s must be a section: %v", name, err)
		return
	}
	keys := keysOf(fields)
	for key, value := range values {
		field, ok := keys[key]
		switch {
		case ok:
			var wrong toml.ParseError
			if err := p.meta.PrimitiveDecode(value, field.Addr().Interface()); errors.As(err, &wrong) {
				p.wrong(value, "%s %s", key, wrong.Message)
			} else if err != nil {
				p.wrong(value, "%s: %v", key, err)
			}
		case isToken(key):
			p.wrong(value, "%s", tokenHint)
		default:
			p.wrong(value, "there is no key %s under [%s]%s", shownKey(key), name, instead(names(keys), key, "%s"))
		}
	}
}

// isToken reports whether a key means the token itself.
func isToken(key string) bool {
	key = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key))
	return key == "token" || key == "bottoken" || key == "discordtoken" || key == "castellantoken"
}

// wrong notes a mistake in the line of a value.
func (p *configParser) wrong(value toml.Primitive, format string, args ...any) {
	p.mistakes = append(p.mistakes, mistake{p.lineOf(value), fmt.Sprintf(format, args...)})
}

// lineOf is the line of a value. The library tells lines by its errors alone,
// so a value is decoded into one that refuses everything.
func (p *configParser) lineOf(value toml.Primitive) int {
	var found toml.ParseError
	if errors.As(p.meta.PrimitiveDecode(value, refusal{}), &found) && found.Position.Line > 0 {
		return found.Position.Line
	}
	// Sections that are only implied, by [a.b], have no line of their own.
	var inner map[string]toml.Primitive
	if p.meta.PrimitiveDecode(value, &inner) != nil {
		return 1
	}
	line := 0
	for _, v := range inner {
		if n := p.lineOf(v); line == 0 || n < line {
			line = n
		}
	}
	return max(line, 1)
}

// tableness is whether a value is a table. The library's own MetaData.Type does
// not know tables that are only implied, by a.b = 1.
type tableness bool

// UnmarshalTOML implements toml.Unmarshaler.
func (t *tableness) UnmarshalTOML(v any) error {
	_, table := v.(map[string]any)
	*t = tableness(table)
	return nil
}

// refusal is a value that nothing can be decoded into.
type refusal struct{}

var errRefused = errors.New("refused")

// UnmarshalTOML implements toml.Unmarshaler.
func (refusal) UnmarshalTOML(any) error { return errRefused }

// instead is what would be right in place of an unknown key.
func instead(known []string, key, form string) string {
	if near := nearest(known, key); near != "" {
		return "; did you mean " + fmt.Sprintf(form, near) + "?"
	}
	var all []string
	for _, k := range known {
		all = append(all, fmt.Sprintf(form, k))
	}
	return "; there is " + strings.Join(all, ", ")
}

// shownKey is a foreign key in a message.
func shownKey(key string) string {
	if len(key) > 60 {
		key = key[:60] + "…"
	}
	return fmt.Sprintf("%q", key)
}

// nearest is the word that a text may have been meant for, or none.
func nearest(words []string, text string) string {
	var all []engine.Action
	for _, w := range words {
		all = append(all, word(w))
	}
	if near := engine.Nearest(all, text, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

// word is a word of the configuration, to be compared with what was typed as
// the words of a game are.
type word string

func (w word) String() string { return string(w) }

// Steps implements engine.Action.
func (w word) Steps() []string { return []string{string(w)} }
