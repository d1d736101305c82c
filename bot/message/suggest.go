package message

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
)

// Suggestions of /move and of options that are sets.

const (
	// descriptionMark separates a suggested value from its description. Many
	// clients send back the line as it is shown, so values are read up to it.
	descriptionMark = " · "
)

// TrimDescription removes the description from a suggestion that a client sent
// back as it was shown.
func TrimDescription(s string) string {
	value, _, _ := strings.Cut(s, strings.TrimSpace(descriptionMark))
	return strings.TrimSpace(value)
}

// illegalMark follows the mark of a description that says why a turn cannot be
// played.
const illegalMark = "✗ "

// TurnSuggestions completes a turn that a seat is typing. The value of a
// suggestion is the whole line, which is legal when it is sent. If there are more
// suggestions than Discord shows, they are spread over the board. If the typed
// line cannot be played, the only suggestion is that line with the reason, and
// never another turn.
func TurnSuggestions(say *catalogue.Printer, v *host.View, seat engine.Seat, typed string) []discord.Choice {
	m := v.Match
	line, _, _ := strings.Cut(typed, strings.TrimSpace(descriptionMark))
	if read := m.Read(seat, line); read != line {
		line = read // in canonical form, if it is a turn
	}
	tokens := strings.Fields(line)
	begun := "" // the token that is being typed
	before := tokens
	if len(tokens) > 0 && !strings.HasSuffix(line, " ") {
		begun, before = tokens[len(tokens)-1], tokens[:len(tokens)-1]
	}
	at, done, err := playTokens(m, seat, before)
	line = strings.Join(tokens, " ")
	if err != nil {
		return []discord.Choice{unplayable(say, v, line, err)}
	}
	var whole []discord.Choice // what is typed, if it consists of whole tokens
	prefix := ""
	if len(done) > 0 {
		prefix = strings.Join(done, " ") + " "
		if begun == "" {
			whole = append(whole, discord.Choice{Name: strings.TrimSpace(prefix), Value: strings.TrimSpace(prefix)})
		}
	}
	if at.Open().Number != m.Open().Number || at.Seat() != seat { // the turn is complete
		if begun == "" {
			return limitChoices(say, whole)
		}
		return []discord.Choice{unplayable(say, v, line, &match.TokenError{Token: begun, Err: match.ErrTurnOver})}
	}

	p := at.Position()
	exact, err := p.Parse(begun)
	_, illegal := errors.AsType[*engine.IllegalError](tryAction(p, exact, err))
	switch {
	case begun == "":
	case err == nil && illegal:
		_, _, err = playTokens(m, seat, tokens)
		whole = append(whole, unplayable(say, v, line, err))
	case err == nil:
		whole = append(whole, suggestion(say, v, at, prefix, exact))
	}
	var longer []engine.Action
	for _, a := range p.Legal() {
		if s := a.String(); strings.HasPrefix(strings.ToLower(s), strings.ToLower(begun)) && (begun == "" || err != nil || a != exact) {
			longer = append(longer, a)
		}
	}
	for _, a := range engine.Spread(p, longer, discord.MaxChoices-len(whole)) {
		whole = append(whole, suggestion(say, v, at, prefix, a))
	}
	if len(whole) == 0 {
		return []discord.Choice{unplayable(say, v, line, err)}
	}
	return limitChoices(say, whole)
}

// Notice returns the only suggestion if there is no turn to suggest. Its name is the
// typed text and why, and its value the typed text.
func Notice(why, typed string) []discord.Choice {
	name := strings.TrimSpace(TrimDescription(typed) + descriptionMark + strings.NewReplacer("**", "", "`", "").Replace(why))
	value := discord.Truncate(strings.TrimSpace(typed), discord.MaxChoiceValue)
	if value == "" {
		value = strings.TrimSpace(descriptionMark)
	}
	return []discord.Choice{{Name: name, Value: value}}
}

// playTokens plays the beginning of a turn without the forced actions behind it.
// It returns the match after it and the canonical tokens.
func playTokens(m *match.Match, seat engine.Seat, tokens []string) (after *match.Match, played []string, err error) {
	if len(tokens) == 0 {
		return m, nil, nil
	}
	entries, err := m.Act(seat, strings.Join(tokens, " "), match.Cause{Confirms: func(engine.Seat) bool { return true }})
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if e.Seat == seat {
			played = append(played, e.Text)
		}
	}
	after, err = m.With(entries...)
	return after, played, err
}

// tryAction returns why an action that was read cannot be played.
func tryAction(p engine.Position, a engine.Action, err error) error {
	if err == nil {
		_, err = p.Apply(a)
	}
	return err
}

// suggestion returns a turn whose last action is legal in a match, with what
// that action does.
func suggestion(say *catalogue.Printer, v *host.View, m *match.Match, before string, a engine.Action) discord.Choice {
	value, text := before+a.String(), ""
	if d, ok := a.(engine.Describer); ok {
		text = say.Text(d.Describe(m.Position()))
	}
	if risk := riskOf(v, m, a); risk != match.NoRisk {
		text = strings.TrimSuffix(riskMark+" "+riskNote(say, v, risk)+descriptionMark+text, descriptionMark)
	}
	if text != "" {
		text = descriptionMark + text
	}
	return discord.Choice{Name: value + text, Value: value}
}

// Described returns a suggestion with a description.
func Described(value, text string) discord.Choice {
	return discord.Choice{Name: value + descriptionMark + text, Value: value}
}

// IsRefused reports whether a suggestion of TurnSuggestions says why what is typed
// cannot be played.
func IsRefused(c discord.Choice) bool { return strings.Contains(c.Name, descriptionMark+illegalMark) }

// unplayable returns a line as it was typed, with the reason why it cannot be
// played.
func unplayable(say *catalogue.Printer, v *host.View, line string, err error) discord.Choice {
	c := Described(line, illegalMark+whyNot(say, v, err))
	c.Value = discord.Truncate(line, discord.MaxChoiceValue)
	return c
}

// whyNot says in plain text why a turn cannot be played, with the players' names.
func whyNot(say *catalogue.Printer, v *host.View, err error) string {
	var notation *engine.NotationError
	var illegal *engine.IllegalError
	var token *match.TokenError
	switch {
	case errors.As(err, &illegal):
		return say.Text(illegal.Why.Named(seatNames(say, v, PlainName)))
	case errors.As(err, &notation):
		return say.Text(notation.Why)
	case errors.As(err, &token):
		return say.T("error.extra", "Token", token.Token)
	}
	return ""
}

// limitChoices leaves out values that are too long: a value that was cut would
// be another turn.
func limitChoices(say *catalogue.Printer, choices []discord.Choice) []discord.Choice {
	choices = slices.DeleteFunc(choices, func(c discord.Choice) bool {
		return utf8.RuneCountInString(c.Value.(string)) > discord.MaxChoiceValue
	})
	if len(choices) == 0 {
		return Notice(say.T("suggest.long"), "")
	}
	return choices
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
			description = descriptionMark + say.Text(g.Texts().Phrase(key))
		}
		add(strings.Join(append(slices.Clone(members), c), "+"), description)
	}
	return suggestions[:min(len(suggestions), discord.MaxChoices)]
}

// TokenSuggestions completes the last token of a turn with actions that are legal in
// some position.
func TokenSuggestions(legal []engine.Action, typed, prefix string) (all []discord.Choice) {
	begun := typed[strings.LastIndex(typed, " ")+1:]
	before := typed[:len(typed)-len(begun)]
	for _, a := range legal {
		if token := a.String(); len(all) < discord.MaxChoices && strings.HasPrefix(token, strings.ToLower(begun)) {
			all = append(all, discord.Choice{Name: before + token, Value: before + token})
		}
	}
	return PrefixChoices(all, prefix)
}

// PrefixChoices puts a text before the suggested values, without those that become
// too long.
func PrefixChoices(choices []discord.Choice, prefix string) (all []discord.Choice) {
	for _, c := range choices {
		value, ok := c.Value.(string)
		if c.Name, c.Value = prefix+c.Name, prefix+value; ok && utf8.RuneCountInString(prefix+value) <= discord.MaxChoiceValue {
			all = append(all, c)
		}
	}
	return all
}
