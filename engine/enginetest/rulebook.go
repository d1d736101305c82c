package enginetest

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"castellan/engine"
)

// ideaPage is the name of the first page of every rulebook.
const ideaPage = "idea"

// checkRulebook looks at the pages of the rules: that each can be shown, that
// their words are there and no longer than a phone takes, and that the book
// begins with the idea of the game.
func (r *runner) checkRulebook() error {
	pages := r.game.Rulebook()
	if len(pages) < engine.MinPages {
		return fmt.Errorf("the rulebook has %d pages, fewer than %d", len(pages), engine.MinPages)
	}
	prefix := r.game.Key() + ".rules."
	titles := map[string]int{}
	for i, p := range pages {
		if err := r.checkPage(prefix, p); err != nil {
			return fmt.Errorf("page %d of the rulebook: %w", i+1, err)
		}
		if i == 0 && p.Title.ID != prefix+ideaPage {
			return fmt.Errorf("page 1 of the rulebook is %s, not %s", p.Title.ID, prefix+ideaPage)
		}
		if first, dup := titles[p.Title.String()]; dup {
			return fmt.Errorf("pages %d and %d of the rulebook are both called %q", first, i+1, p.Title)
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
	if n := utf8.RuneCountInString(p.Title.String()); n < 1 || n > engine.MaxPageTitle {
		return fmt.Errorf("the title has %d characters, not 1 to %d", n, engine.MaxPageTitle)
	}
	if err := r.checkMarkdown(p.Text); err != nil {
		return fmt.Errorf("text: %w", err)
	}
	shown, err := p.Illustrate(r.game)
	if err != nil {
		return fmt.Errorf("it cannot be shown: %w", err)
	}
	if _, over := shown.Position.Result(); over && (p.Legal || p.Picked != "") {
		return errors.New("it asks for what is legal, and the game is over")
	}
	return nil
}

// checkMarkdown looks at a text in Discord's markdown: marks come in pairs,
// and nobody is mentioned.
func (r *runner) checkMarkdown(p engine.Phrase) error {
	if err := r.checkPhrase(p); err != nil {
		return err
	}
	text := p.String()
	if n := utf8.RuneCountInString(text); n < 1 || n > engine.MaxPageText {
		return fmt.Errorf("it has %d characters, not 1 to %d", n, engine.MaxPageText)
	}
	if strings.TrimSpace(text) != text {
		return errors.New("there is white space around it")
	}
	for _, mark := range []string{"**", "__", "~~", "||", "`"} {
		if strings.Count(text, mark)%2 != 0 {
			return fmt.Errorf("a %s has no partner", mark)
		}
	}
	for _, odd := range []string{"<@", "<#", "<t:", "@everyone", "@here", "\r", "\n\n\n"} {
		if strings.Contains(text, odd) {
			return fmt.Errorf("it has %q", odd)
		}
	}
	return nil
}
