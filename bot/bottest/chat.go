package bottest

import (
	"math/rand/v2"
	"strings"

	"castellan/bot/sandbox/api"
	"castellan/engine"
)

// Each visits the components of a message, containers before their contents.
func Each(m api.Message, visit func(api.Component)) {
	var walk func([]api.Component)
	walk = func(all []api.Component) {
		for _, c := range all {
			visit(c)
			walk(c.Components)
		}
	}
	walk(m.Components)
}

// Text returns everything that a message says, a component a line.
func Text(m api.Message) string {
	var parts []string
	Each(m, func(c api.Component) {
		if c.Type == api.ComponentTextDisplay {
			parts = append(parts, c.Content)
		}
	})
	return strings.Join(append(parts, m.Content), "\n")
}

// Find returns the custom ID of the first enabled component whose custom ID
// contains part, or "".
func Find(m api.Message, part string) (custom string) {
	Each(m, func(c api.Component) {
		if custom == "" && !c.Disabled && strings.Contains(c.CustomID, part) {
			custom = c.CustomID
		}
	})
	return custom
}

// Target returns the choices of a panel that lead to an action, as custom IDs and
// options write them.
func Target(a engine.Action) string { return strings.Join(a.Steps(), "~") + "~" }

// NextChoice returns the button of a panel, or the menu and its option, that leads
// furthest towards a target, and the choices that have then been made. All are "" if
// nothing leads there.
func NextChoice(panel api.Message, target string) (custom, value, reached string) {
	better := func(path string) bool { return strings.HasPrefix(target, path) && len(path) > len(reached) }
	Each(panel, func(c api.Component) {
		if i := strings.Index(c.CustomID, "/pick/"); i >= 0 && c.Type == api.ComponentButton {
			if _, path, _ := strings.Cut(c.CustomID[i+len("/pick/"):], "/"); better(path) {
				custom, value, reached = c.CustomID, "", path
			}
		}
		for _, o := range c.Options {
			if better(o.Value) {
				custom, value, reached = c.CustomID, o.Value, o.Value
			}
		}
	})
	return custom, value, reached
}

// RandomTurn returns the rest of a random turn, without an end that is played
// automatically. It avoids passing, so that matches progress.
func RandomTurn(r *rand.Rand, p engine.Position) (turn []engine.Action) {
	for turns := p.Turns(); ; {
		if f, ok := engine.ForcedAction(p); ok && len(turn) > 0 && f.String() == engine.End {
			return turn
		}
		legal := p.Legal()
		a := legal[r.IntN(len(legal))]
		if len(legal) > 1 && (a.String() == engine.Pass || a.String() == engine.End && len(turn) == 0) {
			continue
		}
		next, err := p.Apply(a)
		if err != nil {
			panic(err) // a legal action
		}
		turn, p = append(turn, a), next
		if p.Turns() != turns || len(p.Legal()) == 0 {
			return turn
		}
	}
}

// Written returns a turn as people type it.
func Written(turn []engine.Action) string {
	var tokens []string
	for _, a := range turn {
		tokens = append(tokens, a.String())
	}
	return strings.Join(tokens, " ")
}
