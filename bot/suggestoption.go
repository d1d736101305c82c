package bot

import (
	"context"
	"slices"
	"strings"

	"castellan/bot/discord"
	"castellan/engine"
)

// maxSuggestion is the longest value that Discord takes.
const maxSuggestion = 100

// suggestOption completes an option that is a set: what is chosen already,
// with one more member behind a plus sign.
func (b *Bot) suggestOption(_ context.Context, r *Request) (Response, error) {
	g, ok := b.games.Lookup(r.values["game"])
	if !ok {
		return Suggest(nil), nil
	}
	o, ok := g.Options().Lookup(r.values["option"])
	if !ok || o.Kind != engine.Set {
		return Suggest(nil), nil
	}
	return Suggest(setChoices(r, g, o, r.text(o.Key))), nil
}

// setChoices is the members that can be added to a set as it is written, each
// as the whole set with what the member means, and the empty set at the start.
func setChoices(r *Request, g engine.Game, o engine.Option, written string) []discord.Choice {
	line, _, _ := strings.Cut(strings.ToLower(written), strings.TrimSpace(remark))
	members := strings.Split(strings.ReplaceAll(line, " ", ""), "+")
	begun := members[len(members)-1]
	members = members[:len(members)-1]
	if slices.Contains(o.Choices, begun) {
		members, begun = append(members, begun), ""
	}
	for _, m := range members {
		if !slices.Contains(o.Choices, m) {
			return nil
		}
	}
	var choices []discord.Choice
	add := func(value, meaning string) {
		if len(value) <= maxSuggestion {
			choices = append(choices, discord.Choice{Name: value + meaning, Value: value})
		}
	}
	switch {
	case len(members) > 0 && begun == "":
		add(strings.Join(members, "+"), "")
	case len(members) == 0 && strings.HasPrefix(engine.None, begun):
		add(engine.None, "")
	}
	for _, c := range o.Choices {
		if strings.HasPrefix(c, begun) && !slices.Contains(members, c) {
			meaning := ""
			if key := g.Key() + ".option." + o.Key + "." + c; g.Texts()[key] != (engine.Text{}) {
				meaning = remark + r.Say.Say(g.Texts().Phrase(key))
			}
			add(strings.Join(append(slices.Clone(members), c), "+"), meaning)
		}
	}
	return choices[:min(len(choices), maxChoices)]
}
