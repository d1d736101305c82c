package enginetest

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
	"unicode/utf8"

	"castellan/engine"
)

// pairedMarks are the marks of Discord's markdown that come in pairs.
var pairedMarks = []string{"**", "__", "~~", "||", "`"}

// template parses a text, once.
func (r *runner) template(text string) (*template.Template, error) {
	if t, ok := r.templates[text]; ok {
		return t, nil
	}
	t, err := template.New("").Option("missingkey=error").Parse(text)
	if err == nil {
		r.templates[text] = t
	}
	return t, err
}

// checkTexts checks that the texts which every game must have are there, that
// all are templates, and that the newest version has them too.
func (r *runner) checkTexts() error {
	prefix := r.game.Key() + "."
	required := []string{prefix + "name", prefix + "tagline"}
	for _, o := range r.game.Options() {
		required = append(required, prefix+"option."+o.Key)
	}
	for _, key := range required {
		if _, ok := r.texts[key]; !ok {
			return fmt.Errorf("there is no text %s", key)
		}
	}
	newest := r.newest.Texts()
	for key, text := range r.texts {
		if !strings.HasPrefix(key, prefix) {
			return fmt.Errorf("the text %s does not start with the key of the game", key)
		}
		if strings.TrimSpace(text.Other) == "" {
			return fmt.Errorf("the text %s is empty", key)
		}
		for _, form := range []string{text.One, text.Other} {
			if _, err := r.template(form); err != nil {
				return fmt.Errorf("the text %s is not a template: %w", key, err)
			}
		}
		if newest[key] != text {
			return fmt.Errorf("the newest version does not have the text %s, or has another", key)
		}
	}
	return nil
}

// checkPhrase checks that the text of a phrase is among the game's texts and
// that both plural forms can be printed, including phrases among the arguments.
func (r *runner) checkPhrase(p engine.Phrase) error {
	if p.ID != "" {
		text, ok := r.texts[p.ID]
		if !ok {
			return fmt.Errorf("the phrase %s is not in Texts", p.ID)
		}
		if text != p.Text {
			return fmt.Errorf("the phrase %s differs from Texts", p.ID)
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
		t, err := r.template(form)
		if err == nil {
			err = t.Execute(&strings.Builder{}, map[string]any(p.Args))
		}
		if err != nil {
			return fmt.Errorf("the phrase %s: %w", p.ID, err)
		}
	}
	return nil
}

// checkLine checks a phrase that is one line without markup.
func (r *runner) checkLine(p engine.Phrase) error {
	if err := r.checkPhrase(p); err != nil {
		return err
	}
	text := p.String()
	if strings.ContainsAny(text, "\r\n") {
		return fmt.Errorf("%q is more than one line", text)
	}
	for _, mark := range append([]string{"<@", "<#", "<t:"}, pairedMarks...) {
		if strings.Contains(text, mark) {
			return fmt.Errorf("%q has markup: %s", text, mark)
		}
	}
	return nil
}

// checkSentence checks a phrase that is a whole sentence with a key.
func (r *runner) checkSentence(p engine.Phrase) error {
	if p.ID == "" {
		return fmt.Errorf("the sentence %q has no key", p)
	}
	if err := r.checkLine(p); err != nil {
		return err
	}
	if text := p.String(); text == "" || !strings.Contains(".!?", text[len(text)-1:]) {
		return fmt.Errorf("%q is not a whole sentence", text)
	}
	return nil
}

// checkRulebook checks that the rulebook begins with the idea of the game and
// that each page has its texts, no longer than a phone can show, and a picture.
func (r *runner) checkRulebook() error {
	pages := r.game.Rulebook()
	if len(pages) < engine.MinPages {
		return fmt.Errorf("the rulebook has %d pages, fewer than %d", len(pages), engine.MinPages)
	}
	prefix := r.game.Key() + ".rules."
	idea := prefix + "idea"
	if id := pages[0].Title.ID; id != idea && id != fmt.Sprintf("%s-%d", idea, r.game.Version()) {
		return fmt.Errorf("page 1 of the rulebook is %s, not %s", id, idea)
	}
	titles := map[string]int{}
	for i, p := range pages {
		if err := r.checkPage(prefix, p); err != nil {
			return fmt.Errorf("page %d of the rulebook: %w", i+1, err)
		}
		if first, dup := titles[p.Title.String()]; dup {
			return fmt.Errorf("pages %d and %d of the rulebook have the same title %q", first, i+1, p.Title)
		}
		titles[p.Title.String()] = i + 1
	}
	return nil
}

func (r *runner) checkPage(prefix string, p engine.Page) error {
	if !strings.HasPrefix(p.Title.ID, prefix) || p.Text.ID != p.Title.ID+".text" {
		return fmt.Errorf("its texts are %q and %q, not %s<page> and %s<page>.text", p.Title.ID, p.Text.ID, prefix, prefix)
	}
	if err := r.checkLine(p.Title); err != nil {
		return fmt.Errorf("title: %w", err)
	}
	if err := checkLength(p.Title, engine.MaxPageTitle); err != nil {
		return fmt.Errorf("title: %w", err)
	}
	if err := r.checkMarkdown(p.Text); err != nil {
		return fmt.Errorf("text: %w", err)
	}
	shown, err := p.Illustrate(r.game)
	if err != nil {
		return fmt.Errorf("it cannot be shown: %w", err)
	}
	if _, over := shown.Position.Result(); over && (p.Legal || p.Picked != "") {
		return errors.New("it marks legal actions after the game is over")
	}
	return nil
}

// checkLength checks that a phrase has from 1 to limit characters.
func checkLength(p engine.Phrase, limit int) error {
	if n := utf8.RuneCountInString(p.String()); n < 1 || n > limit {
		return fmt.Errorf("it has %d characters, not 1 to %d", n, limit)
	}
	return nil
}

// checkMarkdown checks a text in Discord's markdown: marks come in pairs, and it
// mentions nobody.
func (r *runner) checkMarkdown(p engine.Phrase) error {
	if err := r.checkPhrase(p); err != nil {
		return err
	}
	if err := checkLength(p, engine.MaxPageText); err != nil {
		return err
	}
	text := p.String()
	if strings.TrimSpace(text) != text {
		return errors.New("there is white space around it")
	}
	for _, mark := range pairedMarks {
		if strings.Count(text, mark)%2 != 0 {
			return fmt.Errorf("a %s has no partner", mark)
		}
	}
	for _, bad := range []string{"<@", "<#", "<t:", "@everyone", "@here", "\r", "\n\n\n"} {
		if strings.Contains(text, bad) {
			return fmt.Errorf("it has %q", bad)
		}
	}
	return nil
}
