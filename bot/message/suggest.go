package message

import (
	"slices"
	"strings"
	"unicode/utf8"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/engine"
)

// Suggestions of /move and of options that are sets.

const (
	// descriptionMark separates a suggested value from its description. Many
	// clients send back the line as it is shown, so values are read up to it.
	descriptionMark = " · "
	// moreMark follows a suggested first step of several actions.
	moreMark = "…"
)

// TrimDescription removes the description from a suggestion that a client sent
// back as it was shown.
func TrimDescription(s string) string {
	value, _, _ := strings.Cut(s, strings.TrimSpace(descriptionMark))
	return strings.TrimSpace(value)
}

// TurnSuggestions completes a turn that is being typed: every legal action
// after the complete tokens that begins with the last token. The value of a
// suggestion is the whole line. If there are more than Discord shows, the first
// steps of the actions come first. There are none if the complete tokens are
// illegal.
func TurnSuggestions(say *catalogue.Printer, p engine.Position, typed string) []discord.Choice {
	line, _, _ := strings.Cut(typed, strings.TrimSpace(descriptionMark))
	tokens := strings.Fields(line)
	last := ""
	if len(tokens) > 0 && !strings.HasSuffix(line, " ") {
		last = strings.TrimSuffix(strings.ToLower(tokens[len(tokens)-1]), moreMark)
		tokens = tokens[:len(tokens)-1]
	}
	seat, turns := p.Seat(), p.Turns()
	before := ""
	for _, t := range tokens {
		a, err := p.Parse(t)
		if err != nil {
			return nil
		}
		if p, err = p.Apply(a); err != nil {
			return nil
		}
		before += a.String() + " "
	}
	if p.Seat() != seat || p.Turns() != turns {
		return nil
	}
	legal := completions(p, last)
	if len(legal) > discord.MaxChoices {
		if steps := firstSteps(legal, before); len(steps) > 1 {
			return steps
		}
		legal = legal[:discord.MaxChoices] // the step is typed already
	}
	var suggestions []discord.Choice
	for _, a := range legal {
		value := before + a.String()
		if utf8.RuneCountInString(value) > discord.MaxChoiceValue {
			continue
		}
		name := value
		if d, ok := a.(engine.Describer); ok {
			if text := say.Say(d.Describe(p)); text != "" {
				name += descriptionMark + text
			}
		}
		suggestions = append(suggestions, discord.Choice{Name: name, Value: value})
	}
	return suggestions
}

// completions returns the legal actions whose token begins with a text. If none
// does, it returns the action that the text is a short form of, or those most
// similar to it.
func completions(p engine.Position, text string) []engine.Action {
	legal := p.Legal()
	var out []engine.Action
	for _, a := range legal {
		if strings.HasPrefix(strings.ToLower(a.String()), text) {
			out = append(out, a)
		}
	}
	if len(out) > 0 {
		return out
	}
	if a, err := p.Parse(text); err == nil && slices.Contains(legal, a) {
		return []engine.Action{a}
	}
	near := engine.Nearest(legal, text, 3)
	for _, a := range legal {
		if slices.Contains(near, a.String()) {
			out = append(out, a)
		}
	}
	return out
}

// firstSteps returns the different first steps of actions, as far as the
// actions' tokens begin with them.
func firstSteps(legal []engine.Action, before string) (suggestions []discord.Choice) {
	seen := map[string]bool{}
	for _, a := range legal {
		step, token := a.Steps()[0], a.String()
		at := strings.Index(token, step)
		if at < 0 {
			continue
		}
		start := token[:at+len(step)]
		if seen[start] || utf8.RuneCountInString(before+start) > discord.MaxChoiceValue {
			continue
		}
		seen[start] = true
		suggestions = append(suggestions, discord.Choice{Name: before + start + moreMark, Value: before + start})
		if len(suggestions) == discord.MaxChoices {
			break
		}
	}
	return suggestions
}

// SetSuggestions completes an option that is a set: the members typed so far
// with one more behind a plus sign, and the empty set at the start.
func SetSuggestions(say *catalogue.Printer, g engine.Game, o engine.Option, typed string) []discord.Choice {
	line := TrimDescription(strings.ToLower(typed))
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
	var suggestions []discord.Choice
	add := func(value, description string) {
		if len(value) <= discord.MaxChoiceValue {
			suggestions = append(suggestions, discord.Choice{Name: value + description, Value: value})
		}
	}
	switch {
	case len(members) > 0 && begun == "":
		add(strings.Join(members, "+"), "")
	case len(members) == 0 && strings.HasPrefix(engine.None, begun):
		add(engine.None, "")
	}
	for _, c := range o.Choices {
		if !strings.HasPrefix(c, begun) || slices.Contains(members, c) {
			continue
		}
		description := ""
		if key := g.Key() + ".option." + o.Key + "." + c; g.Texts()[key] != (engine.Text{}) {
			description = descriptionMark + say.Say(g.Texts().Phrase(key))
		}
		add(strings.Join(append(slices.Clone(members), c), "+"), description)
	}
	return suggestions[:min(len(suggestions), discord.MaxChoices)]
}
