package bot

import (
	"slices"
	"strings"
	"unicode/utf8"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/engine"
)

// more stands behind a first step that is suggested by itself.
const more = "…"

// suggestions completes a turn as far as it is written: every legal action
// after the complete tokens that begins with the last one. The value of a
// choice is the whole line, its name the line with words. Where there are more
// than Discord shows, the beginnings of the actions' steps are suggested
// first. It is empty where the complete tokens are not legal.
func suggestions(say *catalogue.Printer, p engine.Position, written string) []discord.Choice {
	line, _, _ := strings.Cut(written, strings.TrimSpace(remark))
	tokens := strings.Fields(line)
	last := ""
	if len(tokens) > 0 && !strings.HasSuffix(line, " ") {
		// A first step comes back with the dots that it was shown with.
		last = strings.TrimSuffix(strings.ToLower(tokens[len(tokens)-1]), more)
		tokens = tokens[:len(tokens)-1]
	}
	seat, turns := p.Seat(), p.Turns()
	var done []string
	for _, t := range tokens {
		a, err := p.Parse(t)
		if err != nil {
			return nil
		}
		if p, err = p.Apply(a); err != nil {
			return nil
		}
		done = append(done, a.String())
	}
	if p.Seat() != seat || p.Turns() != turns {
		return nil
	}
	before := ""
	if len(done) > 0 {
		before = strings.Join(done, " ") + " "
	}
	legal := begin(p, last)
	if len(legal) > maxChoices {
		if steps := firstSteps(legal, before); len(steps) > 1 {
			return steps
		}
		legal = legal[:maxChoices] // the step is written already
	}
	var choices []discord.Choice
	for _, a := range legal {
		value := before + a.String()
		if utf8.RuneCountInString(value) > maxValue {
			continue
		}
		choices = append(choices, discord.Choice{Name: inWords(say, p, a, value), Value: value})
	}
	return choices
}

// begin is the legal actions whose token begins with a text; where none does,
// those nearest to it, and the one that it is a short form of.
func begin(p engine.Position, text string) []engine.Action {
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

func inWords(say *catalogue.Printer, p engine.Position, a engine.Action, line string) string {
	if m, ok := a.(engine.Describer); ok {
		if words := say.Say(m.Describe(p)); words != "" {
			return line + remark + words
		}
	}
	return line
}

// firstSteps is the different first steps of actions, as they begin the
// actions' tokens.
func firstSteps(legal []engine.Action, before string) []discord.Choice {
	var choices []discord.Choice
	seen := map[string]bool{}
	for _, a := range legal {
		step, token := a.Steps()[0], a.String()
		at := strings.Index(token, step)
		if at < 0 {
			continue
		}
		start := token[:at+len(step)]
		if seen[start] || utf8.RuneCountInString(before+start) > maxValue {
			continue
		}
		seen[start] = true
		choices = append(choices, discord.Choice{Name: before + start + more, Value: before + start})
		if len(choices) == maxChoices {
			break
		}
	}
	return choices
}
