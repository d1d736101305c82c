package message

import (
	"slices"
	"strings"
	"unicode/utf8"

	"castellan/engine"
)

// The picker lets a person choose an action step by step. It works for every game,
// because it uses only the steps of actions.
//
// A path records the choices so far: each picked step followed by stepEnd, and
// the beginning of the next step if there were too many to choose from. An
// action is picked when all its steps are.

// stepEnd follows each picked step in a path. No step contains it.
const stepEnd = "~"

func actionPath(a engine.Action) string { return strings.Join(a.Steps(), stepEnd) + stepEnd }

type choice struct {
	path   string        // the path after this choice
	step   string        // the step, or its beginning
	action engine.Action // the action that it completes, nil if there is more to choose
}

// isFormality reports whether an action ends or passes a turn. Those have
// buttons of their own.
func isFormality(a engine.Action) bool {
	s := a.String()
	return s == engine.End || s == engine.Pass
}

// IsPath reports whether a path leads to a legal action.
func IsPath(legal []engine.Action, path string) bool {
	return path == "" || len(choices(legal, path, 1)) > 0
}

// PickedAction returns the legal action that a path names, if it names one.
func PickedAction(legal []engine.Action, path string) (engine.Action, bool) {
	for _, a := range legal {
		if actionPath(a) == path {
			return a, true
		}
	}
	return nil, false
}

// PickedSteps returns the whole steps of a path.
func PickedSteps(path string) []string {
	steps := strings.Split(path, stepEnd)
	return steps[:len(steps)-1]
}

// choices returns the choices after a path: the next step of every legal action
// that begins with it, except forced actions, or the beginnings of those steps if
// there are more than limit. It is empty if no action begins with the path.
func choices(legal []engine.Action, from string, limit int) []choice {
	var next []choice
	seen := map[string]bool{}
	for _, a := range legal {
		p := actionPath(a)
		if isFormality(a) || !strings.HasPrefix(p, from) || p == from {
			continue
		}
		to := from + p[len(from):][:strings.Index(p[len(from):], stepEnd)+len(stepEnd)]
		if seen[to] {
			continue
		}
		seen[to] = true
		c := choice{path: to, step: lastStep(to)}
		if to == p {
			c.action = a
		}
		next = append(next, c)
	}
	if len(next) > limit {
		return prefixes(next, from)
	}
	for i := range next {
		if a, ok := onlyAction(legal, next[i].path); ok && next[i].action == nil {
			next[i] = choice{path: actionPath(a), step: a.String(), action: a} // a step with a single choice is skipped
		}
	}
	return next
}

// BegunPath returns the path of a text that is the first step of legal actions,
// empty if it is none.
func BegunPath(legal []engine.Action, text string) string {
	for _, a := range legal {
		if step := a.Steps()[0]; strings.EqualFold(step, text) && IsPath(legal, step+stepEnd) {
			return step + stepEnd
		}
	}
	return ""
}

// firstChoices returns the first choices of a turn if there are few enough for
// the public board: whole steps, none of which plays anything.
func firstChoices(legal []engine.Action) []choice {
	all := choices(legal, "", maxPickerButtons)
	for i, c := range all {
		if c.action != nil {
			all[i].path = c.action.Steps()[0] + stepEnd
			all[i].step = c.action.Steps()[0]
		}
		if len(all) > maxPickerButtons || !IsPath(legal, all[i].path) || !strings.HasSuffix(all[i].path, stepEnd) {
			return nil
		}
	}
	return all
}

func onlyAction(legal []engine.Action, path string) (only engine.Action, ok bool) {
	for _, a := range legal {
		if strings.HasPrefix(actionPath(a), path) {
			if ok {
				return nil, false
			}
			only, ok = a, true
		}
	}
	return only, ok
}

// MovedPath precedes the path of a piece that has just been moved. A panel with
// such a path offers to move the piece on, besides the choices of the first step.
// No step begins with a dot.
const MovedPath = ".on/"

// PathAfter returns the path with which the panel is shown after an action, so that
// the piece that has just been moved can move on without being picked again.
func PathAfter(legal []engine.Action, played engine.Action) string {
	steps := played.Steps()
	if path := steps[len(steps)-1] + stepEnd; len(steps) > 1 && len(choices(legal, path, 1)) > 0 {
		return MovedPath + path
	}
	return ""
}

// panelChoices returns the choices of a panel. Those of the piece that has just
// been moved come first, if there is room for both.
func panelChoices(legal []engine.Action, path, moved string) []choice {
	all := choices(legal, path, maxPickerButtons)
	if moved == "" || path != "" {
		return all
	}
	var on []choice
	for _, c := range choices(legal, moved, maxPickerButtons) {
		if c.action != nil {
			c.step = c.action.String()
		}
		on = append(on, c)
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(c choice) bool { return strings.HasPrefix(c.path, moved) })
	if len(on)+len(rest) > maxPickerButtons {
		return all
	}
	return append(on, rest...)
}

// prefixes groups choices by the next letter of their steps, or by as many
// letters as it takes to tell them apart.
func prefixes(all []choice, from string) []choice {
	for letters := 1; ; letters++ {
		var out []choice
		for _, c := range all {
			prefix := firstRunes(c.path[len(from):], letters)
			if strings.HasSuffix(prefix, stepEnd) {
				out = append(out, c) // a step that is as short as the prefix
				continue
			}
			to := from + prefix
			if !slices.ContainsFunc(out, func(o choice) bool { return o.path == to }) {
				out = append(out, choice{path: to, step: lastStep(to)})
			}
		}
		if len(out) > 1 {
			return out
		}
	}
}

func firstRunes(s string, n int) string {
	end := 0
	for ; n > 0 && end < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end]
}

// lastStep returns the last step of a path, whole or begun.
func lastStep(path string) string {
	path = strings.TrimSuffix(path, stepEnd)
	return path[strings.LastIndex(path, stepEnd)+1:]
}
