package catalogue

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"castellan/engine"
	"castellan/engine/record"
)

//go:embed *.toml
var files embed.FS

// Catalogue holds the texts in all languages. It is safe for concurrent use.
type Catalogue struct {
	bundle *i18n.Bundle
	keys   map[string]bool
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
	return c, nil
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
	for _, tag := range c.bundle.LanguageTags() {
		all = append(all, tag.String())
	}
	return all
}

// Printer returns a printer for the first of the locales, such as "en-US" or
// "de", that the catalogue has, or for English.
func (c *Catalogue) Printer(locales ...string) *Printer {
	tags := c.bundle.LanguageTags()
	_, i := language.MatchStrings(language.NewMatcher(tags), locales...)
	return &Printer{catalogue: c, language: tags[i].String(), localizer: i18n.NewLocalizer(c.bundle, locales...)}
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
// engine.Phrase is formatted in the same language. If the key or an argument is
// missing, T returns the key in angle brackets, for which tests look.
func (p *Printer) T(key string, args ...any) string {
	data := make(map[string]any, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		data[fmt.Sprint(args[i])] = args[i+1]
	}
	return p.text(key, data, func() string { return "⟨" + key + "⟩" })
}

// Say returns a phrase of the engine as text.
func (p *Printer) Say(phrase engine.Phrase) string {
	if !p.catalogue.Has(phrase.ID) {
		return phrase.String()
	}
	return p.text(phrase.ID, phrase.Args, phrase.String)
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
		lines[i] = p.Say(ph)
	}
	return strings.Join(lines, "\n")
}

func (p *Printer) text(key string, args map[string]any, otherwise func() string) string {
	data := make(map[string]any, len(args))
	for k, v := range args {
		if phrase, ok := v.(engine.Phrase); ok {
			v = p.Say(phrase)
		}
		data[k] = v
	}
	// Even with an error, go-i18n returns the best text it has: English if the
	// translation lacks the key, the plural if there is no other form.
	s, _ := p.localizer.Localize(&i18n.LocalizeConfig{MessageID: key, TemplateData: data, PluralCount: data["Count"]})
	if s == "" || strings.Contains(s, "<no value>") {
		return otherwise()
	}
	return s
}
