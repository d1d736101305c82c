package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"castellan/engine"
)

type checkConfigCommand struct {
	File string `arg:"" help:"The configuration file."`
}

// Run reports the mistakes that castellan run would reject.
func (c checkConfigCommand) Run(s streams) error {
	if _, err := loadConfig(c.File); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "%s is in order.\n", c.File)
	return err
}

// maxConfig is the size limit of a configuration in bytes.
const maxConfig = 1 << 20

// mistake says what is wrong in a line, and what would be right.
type mistake struct {
	line int
	text string
}

// loadConfig reads a configuration file; without a name it returns the
// defaults. Mistakes are a *usageError.
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
	if len(mistakes) == 0 {
		return c, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s has %s:", name, count(len(mistakes), "mistake", "mistakes"))
	for _, m := range mistakes {
		fmt.Fprintf(&b, "\n  line %d: %s", m.line, m.text)
	}
	return config{}, &usageError{errors.New(b.String())}
}

// parseConfig reads a configuration over the defaults. It finds every mistake,
// in the order of the lines; text that is not TOML has one.
func parseConfig(data string) (config, []mistake) {
	c := defaultConfig()
	var sections map[string]toml.Primitive
	meta, err := toml.Decode(data, &sections)
	if err != nil {
		line, message := 1, err.Error()
		var parseError toml.ParseError
		if errors.As(err, &parseError) {
			line, message = max(parseError.Position.Line, 1), parseError.Message
		}
		return c, []mistake{{line, message}}
	}
	p := configParser{meta: meta, known: c.keys()}
	for name, value := range sections {
		p.section(name, value)
	}
	if c.URL != "" && meta.IsDefined("database", "path") {
		p.mistake(sections["database"], "url under [database] replaces path: name one of them")
	}
	switch {
	case c.Interactions != "" && c.PublicKey == nil:
		p.mistake(sections["interactions"], "address under [interactions] needs public_key there, which the developer portal shows under General Information of the application")
	case c.Interactions == "" && !c.Gateway:
		p.mistake(sections["interactions"], "gateway = false under [interactions] needs address there: otherwise the bot would receive nothing")
	}
	slices.SortFunc(p.mistakes, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.line, b.line), strings.Compare(a.text, b.text))
	})
	return c, p.mistakes
}

type configParser struct {
	meta     toml.MetaData
	known    map[string]map[string]setter
	mistakes []mistake
}

// tokenHint explains why the file must not contain the token.
const tokenHint = "the bot token does not belong here, because this file gets copied, shown and committed: " +
	"put it in the environment variable CASTELLAN_TOKEN or, alone, in the file that token_file names. " +
	"If anybody has seen this file, reset the token"

func (p *configParser) section(name string, value toml.Primitive) {
	keys, known := p.known[name]
	isTable := false
	_ = p.meta.PrimitiveDecode(value, setter(func(v any) error { _, isTable = v.(map[string]any); return nil }))
	var values map[string]toml.Primitive
	switch err := p.meta.PrimitiveDecode(value, &values); {
	case isToken(name):
		p.mistake(value, "%s", tokenHint)
	case !known && isTable:
		p.mistake(value, "there is no section [%s]%s", quotedKey(name), alternatives(p.known, name, "[%s]"))
	case !known:
		for _, section := range slices.Sorted(maps.Keys(p.known)) {
			if p.known[section][name] != nil {
				p.mistake(value, "%s stands under [%s]", name, section)
				return
			}
		}
		p.mistake(value, "there is no key %s outside of a section", quotedKey(name))
	case !isTable || err != nil:
		p.mistake(value, "%s must be a section, [%s] on a line of its own", name, name)
	default:
		for key, value := range values {
			p.key(name, keys, key, value)
		}
	}
}

func (p *configParser) key(section string, keys map[string]setter, key string, value toml.Primitive) {
	set, known := keys[key]
	switch {
	case isToken(key):
		p.mistake(value, "%s", tokenHint)
	case !known:
		p.mistake(value, "there is no key %s under [%s]%s", quotedKey(key), section, alternatives(keys, key, "%s"))
	default:
		var parseError toml.ParseError
		if err := p.meta.PrimitiveDecode(value, set); errors.As(err, &parseError) {
			p.mistake(value, "%s %s", key, parseError.Message)
		} else if err != nil {
			p.mistake(value, "%s: %v", key, err)
		}
	}
}

// isToken reports whether a key is a spelling of "token".
func isToken(key string) bool {
	key = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key))
	return slices.Contains([]string{"token", "bottoken", "discordtoken", "castellantoken"}, key)
}

// mistake records a mistake in the line of a value.
func (p *configParser) mistake(value toml.Primitive, format string, args ...any) {
	p.mistakes = append(p.mistakes, mistake{p.line(value), fmt.Sprintf(format, args...)})
}

// line returns the line of a value. The library gives lines in its errors only,
// so the value is decoded by a setter that refuses everything.
func (p *configParser) line(value toml.Primitive) int {
	var found toml.ParseError
	refuse := setter(func(any) error { return errors.New("refused") })
	if errors.As(p.meta.PrimitiveDecode(value, refuse), &found) && found.Position.Line > 0 {
		return found.Position.Line
	}
	// A section that is only implied, by [a.b], has no line of its own.
	var inner map[string]toml.Primitive
	if p.meta.PrimitiveDecode(value, &inner) != nil || len(inner) == 0 {
		return 1
	}
	var lines []int
	for _, v := range inner {
		lines = append(lines, p.line(v))
	}
	return slices.Min(lines)
}

// alternatives suggests the known key that is most similar to an unknown one, or
// lists all of them.
func alternatives[V any](known map[string]V, key, format string) string {
	names := slices.Sorted(maps.Keys(known))
	if near := nearest(names, key); near != "" {
		return "; did you mean " + fmt.Sprintf(format, near) + "?"
	}
	for i, name := range names {
		names[i] = fmt.Sprintf(format, name)
	}
	return "; there is " + strings.Join(names, ", ")
}

// quotedKey quotes an unknown key in a message.
func quotedKey(key string) string {
	if len(key) > 60 {
		key = key[:60] + "…"
	}
	return fmt.Sprintf("%q", key)
}

// nearest returns the word that is most similar to a text, or "" if none is.
func nearest(words []string, text string) string {
	return strings.Join(engine.Nearest(words, text, 1), "")
}
