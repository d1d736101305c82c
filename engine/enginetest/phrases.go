package enginetest

import (
	"fmt"
	"strings"
	"text/template"
	"unicode/utf8"

	"castellan/engine"
)

func parseTemplate(name, text string) (*template.Template, error) {
	return template.New(name).Option("missingkey=error").Parse(text)
}

// checkPhrase looks whether a phrase has its text in the catalogue and can be
// put into English, in both plural forms, with the phrases among its arguments.
func (r *runner) checkPhrase(p engine.Phrase) error {
	if p.ID != "" {
		known, ok := r.texts[p.ID]
		if !ok {
			return fmt.Errorf("the phrase %s is not in Texts", p.ID)
		}
		if known != p.Text {
			return fmt.Errorf("the phrase %s says something else than Texts", p.ID)
		}
	}
	for name, arg := range p.Args {
		if inner, ok := arg.(engine.Phrase); ok {
			if err := r.checkPhrase(inner); err != nil {
				return fmt.Errorf("argument %s of %s: %w", name, p.ID, err)
			}
		}
	}
	for _, form := range []string{p.Text.One, p.Text.Other} {
		if !strings.Contains(form, "{{") {
			continue
		}
		t, err := parseTemplate(p.ID, form)
		if err != nil {
			return fmt.Errorf("the phrase %s: %w", p.ID, err)
		}
		if err := t.Execute(&strings.Builder{}, map[string]any(p.Args)); err != nil {
			return fmt.Errorf("the phrase %s: %w", p.ID, err)
		}
	}
	return nil
}

// checkLine looks at a phrase that is one line without markup.
func (r *runner) checkLine(p engine.Phrase) error {
	if err := r.checkPhrase(p); err != nil {
		return err
	}
	text := p.String()
	if strings.ContainsAny(text, "\r\n") {
		return fmt.Errorf("%q is more than one line", text)
	}
	for _, mark := range []string{"**", "__", "~~", "||", "`", "<@", "<#", "<t:"} {
		if strings.Contains(text, mark) {
			return fmt.Errorf("%q has markup: %s", text, mark)
		}
	}
	return nil
}

// checkSentence looks at a phrase that is a whole sentence of the catalogue.
func (r *runner) checkSentence(p engine.Phrase) error {
	if p.ID == "" {
		return fmt.Errorf("the sentence %q has no key of the catalogue", p)
	}
	if err := r.checkLine(p); err != nil {
		return err
	}
	text := p.String()
	if last, _ := utf8.DecodeLastRuneInString(text); !strings.ContainsRune(".!?", last) {
		return fmt.Errorf("%q is no whole sentence", text)
	}
	return nil
}
