package catalogue

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	texttemplate "text/template"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/nicksnyder/go-i18n/v2/i18n/template"
	"golang.org/x/text/language"

	"castellan/engine"
	"castellan/engine/record"
)

//go:embed *.toml
var files embed.FS

// Catalogue holds the texts in all languages. It is safe for concurrent use.
type Catalogue struct {
	bundle   *i18n.Bundle
	keys     map[string]bool
	matcher  language.Matcher
	printers []*Printer // one for each tag of the matcher
	report   func(key string, err error)
}

// New returns a catalogue of Castellan's own texts, the engine's and those of the
// games, in every language that they come in. A duplicate key is an error.
func New(games ...engine.Game) (*Catalogue, error) {
	c := &Catalogue{bundle: i18n.NewBundle(language.English), keys: map[string]bool{}}
	c.bundle.RegisterUnmarshalFunc("toml", toml.Unmarshal)
	own, err := c.load(files)
	if err != nil {
		return nil, err
	}
	for _, f := range own {
		for _, m := range f.Messages {
			if f.Tag == language.English {
				c.keys[m.ID] = true
			}
		}
	}
	if err := errors.Join(c.add(engine.OptionTexts(), engine.Translations()), c.add(record.Texts(), record.Translations())); err != nil {
		return nil, err
	}
	for _, g := range games {
		var translations fs.FS = embed.FS{}
		if t, ok := g.(engine.Translated); ok {
			translations = t.Translations()
		}
		if err := c.add(g.Texts(), translations); err != nil {
			return nil, fmt.Errorf("texts of %s: %w", g.Key(), err)
		}
	}
	tags := c.bundle.LanguageTags()
	c.matcher = language.NewMatcher(tags)
	for _, tag := range tags {
		c.printers = append(c.printers, &Printer{catalogue: c, language: tag.String(), localizer: i18n.NewLocalizer(c.bundle, tag.String())})
	}
	return c, nil
}

// Reporting returns the same texts, with faults passed to a function: keys that do not
// exist, and arguments that a text needs and does not get.
func (c *Catalogue) Reporting(report func(key string, err error)) *Catalogue {
	copied := *c
	copied.report, copied.printers = report, nil
	for _, p := range c.printers {
		copied.printers = append(copied.printers, &Printer{catalogue: &copied, language: p.language, localizer: p.localizer})
	}
	return &copied
}

// load reads files such as "de.toml" and "texts.de.toml".
func (c *Catalogue) load(from fs.FS) (loaded []*i18n.MessageFile, err error) {
	names, err := fs.Glob(from, "*.toml")
	if err != nil {
		return nil, fmt.Errorf("listing the texts: %w", err)
	}
	for _, name := range names {
		f, err := c.bundle.LoadMessageFileFS(from, name)
		if err != nil {
			return nil, fmt.Errorf("reading the texts of %s: %w", name, err)
		}
		loaded = append(loaded, f)
	}
	return loaded, nil
}

// add adds English texts and their translations. A translation of a text that
// does not exist in English is an error.
func (c *Catalogue) add(texts engine.Texts, translations fs.FS) error {
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if c.keys[key] {
			return fmt.Errorf("the catalogue has the key %s twice", key)
		}
		c.keys[key] = true
		t := texts[key]
		m := &i18n.Message{ID: key, One: t.One, Other: t.Other}
		if m.One == "" {
			m.One = m.Other
		}
		if err := c.bundle.AddMessages(language.English, m); err != nil {
			return fmt.Errorf("text %s: %w", key, err)
		}
	}
	loaded, err := c.load(translations)
	for _, f := range loaded {
		for _, m := range f.Messages {
			if _, ok := texts[m.ID]; !ok {
				return fmt.Errorf("%s translates %s, which does not exist in English", f.Path, m.ID)
			}
		}
	}
	return err
}

// Has reports whether the catalogue has a key.
func (c *Catalogue) Has(key string) bool { return c.keys[key] }

// Languages returns the languages that the catalogue has, English first.
func (c *Catalogue) Languages() (all []string) {
	for _, p := range c.printers {
		all = append(all, p.language)
	}
	return all
}

// Printer returns a printer for the first of the locales, such as "en-US" or
// "de", that the catalogue has, or for English.
func (c *Catalogue) Printer(locales ...string) *Printer {
	_, i := language.MatchStrings(c.matcher, locales...)
	return c.printers[i]
}

// Printer formats texts in one language. It is safe for concurrent use.
type Printer struct {
	catalogue *Catalogue
	language  string
	localizer *i18n.Localizer
}

// Language returns the language in which the printer writes, such as "pt-BR".
func (p *Printer) Language() string { return p.language }

// T returns the text of a key, with arguments given as name and value in turn.
// The argument Count selects the plural form. An argument that is an
// engine.Phrase is formatted in the same language. Faults are reported, see
// Catalogue.Reporting: "…" stands for a missing argument, and a plain sentence for a
// text that does not exist.
func (p *Printer) T(key string, args ...any) string {
	data := make(map[string]any, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		data[fmt.Sprint(args[i])] = args[i+1]
	}
	return p.text(key, data)
}

// List joins words as the language does: "Anna, Ben and Chloe".
func (p *Printer) List(words ...string) string { return p.list("list.and", words) }

// Choice joins words of which one applies: "Anna, Ben or Chloe".
func (p *Printer) Choice(words ...string) string { return p.list("list.or", words) }

func (p *Printer) list(key string, words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	rest := words[0]
	for _, word := range words[1:last] {
		rest = p.T("list.comma", "Rest", rest, "Next", word)
	}
	return p.T(key, "Rest", rest, "Last", words[last])
}

// Join puts sentences, or parts of one, behind each other as the language does: with a
// space where it has spaces. Empty ones are left out.
func (p *Printer) Join(parts ...string) (joined string) {
	for _, part := range parts {
		switch {
		case joined == "":
			joined = part
		case part != "":
			joined = p.T("list.space", "Rest", joined, "Next", part)
		}
	}
	return joined
}

// Text returns a phrase of the engine as text.
func (p *Printer) Text(phrase engine.Phrase) string {
	if !p.catalogue.Has(phrase.ID) {
		return phrase.String()
	}
	return p.text(phrase.ID, phrase.Args)
}

// Phrase returns the text with that key as a phrase, for pictures: they show it in
// English if their font lacks letters of the translation.
func (p *Printer) Phrase(key string) engine.Phrase {
	return engine.Phrase{ID: key, Text: engine.Text{Other: p.catalogue.Printer().T(key)}}
}

// Lines returns phrases as text, one per line.
func (p *Printer) Lines(phrases []engine.Phrase) string {
	lines := make([]string, len(phrases))
	for i, ph := range phrases {
		lines[i] = p.Text(ph)
	}
	return strings.Join(lines, "\n")
}

// missing is the key of the text for people in place of one that does not exist.
const missing = "error.text"

// Parsers of texts: strict fails where an argument is missing, lenient lets argument
// print something. Only a parser without functions shares what it has parsed.
var (
	strict  = &template.TextParser{Option: "missingkey=error"}
	lenient = &template.TextParser{Option: "missingkey=zero", Funcs: texttemplate.FuncMap{}}
)

// argument is a value that prints "…" if it is missing.
type argument struct{ value any }

func (a argument) String() string {
	if a.value == nil {
		return "…"
	}
	return fmt.Sprint(a.value)
}

func (p *Printer) text(key string, args map[string]any) string {
	data := make(map[string]any, len(args))
	for k, v := range args {
		if phrase, ok := v.(engine.Phrase); ok {
			v = p.Text(phrase)
		}
		data[k] = v
	}
	config := &i18n.LocalizeConfig{MessageID: key, TemplateData: data, PluralCount: data["Count"], TemplateParser: strict}
	// Even with an error, go-i18n returns the best text it has: English if the
	// translation lacks the key, the plural if there is no other form.
	s, err := p.localizer.Localize(config)
	if s != "" || err == nil {
		return s
	}
	if p.catalogue.report != nil {
		p.catalogue.report(key, err)
	}
	known := make(map[string]argument, len(data))
	for k, v := range data {
		known[k] = argument{v}
	}
	config.TemplateData, config.PluralCount, config.TemplateParser = known, nil, lenient
	if s, _ = p.localizer.Localize(config); s == "" && key != missing {
		return p.T(missing)
	}
	return s
}
