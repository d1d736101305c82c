package enginetest

import (
	"fmt"
	"strings"
	"text/template"
	"unicode/utf8"

	"castellan/engine"
)

// Discord's markdown: marks that come in pairs, and the beginnings of mentions
// and times.
var (
	pairedMarks = []string{"**", "__", "~~", "||", "`"}
	mentions    = []string{"<@", "<#", "<t:"}
)

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

// maxLabel is the most characters of the texts that name the game's options and
// describe it in a line.
const maxLabel = 100

// checkTexts checks that the texts which every game must have are there, that
// labels are short, that all are templates, that the newest version has them
// too, and that the game keeps them to itself.
func (r *runner) checkTexts() {
	prefix := r.game.Key() + "."
	required := []string{prefix + "name", prefix + "tagline", prefix + "terms"}
	for _, o := range r.game.Options() {
		required = append(required, prefix+"option."+o.Key)
	}
	for _, key := range required {
		_, ok := r.texts[key]
		Require(ok, "there is no text %s", key)
	}
	r.checkPhrase(engine.Terms(r.game, r.game.Options().Defaults()))
	newest := r.newest.Texts()
	for key, text := range r.texts {
		Require(strings.HasPrefix(key, prefix), "the text %s does not start with the key of the game", key)
		Require(strings.TrimSpace(text.Other) != "", "the text %s is empty", key)
		for _, form := range []string{text.One, text.Other} {
			_, err := r.template(form)
			Require(err == nil, "the text %s is not a template: %v", key, err)
		}
		Require(newest[key] == text, "the newest version does not have the text %s, or has another", key)
		label := key == prefix+"tagline" || strings.HasPrefix(key, prefix+"option.")
		n := utf8.RuneCountInString(text.Other)
		Require(!label || n <= maxLabel, "the text %s has %d characters, more than %d", key, n, maxLabel)
	}
	clear(newest)
	Require(len(r.newest.Texts()) > 0, "a change of the texts that Texts returns reaches into the game")
}

// checkPhrase checks that the text of a phrase is among the game's texts and
// that both plural forms can be printed, including phrases among the arguments.
func (r *runner) checkPhrase(p engine.Phrase) {
	if p.ID != "" {
		text, ok := r.texts[p.ID]
		Require(ok, "the phrase %s is not in Texts", p.ID)
		Require(text == p.Text, "the phrase %s differs from Texts", p.ID)
	}
	for name, arg := range p.Args {
		if inner, ok := arg.(engine.Phrase); ok {
			err := Catch(func() { r.checkPhrase(inner) })
			Require(err == nil, "argument %s of %s: %v", name, p.ID, err)
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
		Require(err == nil, "the phrase %s: %v", p.ID, err)
	}
}

// checkLine checks a phrase that is one line without markup.
func (r *runner) checkLine(p engine.Phrase) {
	r.checkPhrase(p)
	text := p.String()
	Require(!strings.ContainsAny(text, "\r\n"), "%q is more than one line", text)
	for _, marks := range [][]string{mentions, pairedMarks} {
		for _, mark := range marks {
			Require(!strings.Contains(text, mark), "%q has markup: %s", text, mark)
		}
	}
}

// checkSentence checks a phrase that is a whole sentence with a key.
func (r *runner) checkSentence(p engine.Phrase) {
	Require(p.ID != "", "the sentence %q has no key", p)
	r.checkLine(p)
	text := p.String()
	Require(text != "" && strings.Contains(".!?", text[len(text)-1:]), "%q is not a whole sentence", text)
}

// checkRulebook checks that the rulebook begins with the idea of the game and
// that each page has its texts, no longer than a phone can show, and a picture.
func (r *runner) checkRulebook() {
	pages := r.game.Rulebook()
	Require(len(pages) >= engine.MinPages, "the rulebook has %d pages, fewer than %d", len(pages), engine.MinPages)
	prefix := r.game.Key() + ".rules."
	idea, first := prefix+"idea", pages[0].Title.ID
	Require(first == idea || first == fmt.Sprintf("%s-%d", idea, r.game.Version()), "page 1 of the rulebook is %s, not %s", first, idea)
	titles := map[string]int{}
	for i, p := range pages {
		err := Catch(func() { r.checkPage(prefix, p) })
		Require(err == nil, "page %d of the rulebook: %v", i+1, err)
		other, dup := titles[p.Title.String()]
		Require(!dup, "pages %d and %d of the rulebook have the same title %q", other, i+1, p.Title)
		titles[p.Title.String()] = i + 1
	}
}

func (r *runner) checkPage(prefix string, p engine.Page) {
	Require(strings.HasPrefix(p.Title.ID, prefix) && p.Text.ID == p.Title.ID+".text",
		"its texts are %q and %q, not %s<page> and %s<page>.text", p.Title.ID, p.Text.ID, prefix, prefix)
	r.checkLine(p.Title)
	checkLength(p.Title, engine.MaxPageTitle)
	r.checkMarkdown(p.Text)
	shown, err := p.Illustrate(r.game)
	Require(err == nil, "it cannot be shown: %v", err)
	_, over := shown.Position.Result()
	Require(!over || !p.Legal && p.Picked == "", "it marks legal actions after the game is over")
}

func checkLength(p engine.Phrase, limit int) {
	n := utf8.RuneCountInString(p.String())
	Require(n >= 1 && n <= limit, "%s has %d characters, not 1 to %d", p.ID, n, limit)
}

// checkMarkdown checks a text in Discord's markdown: marks come in pairs, and it
// mentions nobody.
func (r *runner) checkMarkdown(p engine.Phrase) {
	r.checkPhrase(p)
	checkLength(p, engine.MaxPageText)
	text := p.String()
	Require(strings.TrimSpace(text) == text, "there is white space around the text")
	for _, mark := range pairedMarks {
		Require(strings.Count(text, mark)%2 == 0, "a %s has no partner", mark)
	}
	for _, bad := range append([]string{"@everyone", "@here", "\r", "\n\n\n"}, mentions...) {
		Require(!strings.Contains(text, bad), "the text has %q", bad)
	}
}
