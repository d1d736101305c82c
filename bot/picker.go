package bot

import (
	"slices"
	"strings"
	"unicode/utf8"

	"castellan/engine"
)

// The picker is how a person names an action by one choice after another. It
// serves every game: it knows an action only by its steps.
//
// How far they have come is a text: the steps that are picked, each with the
// separator behind it, and the beginning of the next one where there were too
// many to choose from. An action is picked when its steps are.

// stepEnd stands behind each step that is picked. No step contains it.
const stepEnd = "~"

// path is the text of an action whose steps are all picked.
func path(a engine.Action) string { return strings.Join(a.Steps(), stepEnd) + stepEnd }

// pick is one choice of the picker.
type pick struct {
	path   string        // how far one has come then
	step   string        // the step, or its beginning
	action engine.Action // that is picked then, nil where more is to be chosen
}

// formal reports whether an action is a formality, which has a button of its
// own.
func formal(a engine.Action) bool { s := a.String(); return s == engine.End || s == engine.Pass }

// picks is the choices from a path on: the next step of every legal action
// that begins so, formalities left out, or the beginnings of the steps where
// there are more than most. It is empty where no action begins so.
func picks(legal []engine.Action, from string, most int) []pick {
	var next []pick
	seen := map[string]bool{}
	for _, a := range legal {
		p := path(a)
		if formal(a) || !strings.HasPrefix(p, from) || p == from {
			continue
		}
		to := from + p[len(from):][:strings.Index(p[len(from):], stepEnd)+len(stepEnd)]
		if seen[to] {
			continue
		}
		seen[to] = true
		one := pick{path: to, step: lastStep(to)}
		if to == p {
			one.action = a
		}
		next = append(next, one)
	}
	if len(next) <= most {
		return next
	}
	return beginnings(next, from)
}

// beginnings groups choices by the next letter of their steps, or by as many
// as it takes to tell them apart.
func beginnings(all []pick, from string) []pick {
	for extra := 1; ; extra++ {
		var out []pick
		for _, p := range all {
			begin := firstRunes(p.path[len(from):], extra)
			if strings.HasSuffix(begin, stepEnd) {
				out = append(out, p) // a step so short that it is named whole
				continue
			}
			to := from + begin
			if !slices.ContainsFunc(out, func(o pick) bool { return o.path == to }) {
				out = append(out, pick{path: to, step: lastStep(to)})
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

// lastStep is the last step of a path, whole or begun.
func lastStep(path string) string {
	path = strings.TrimSuffix(path, stepEnd)
	return path[strings.LastIndex(path, stepEnd)+1:]
}

// pickedSteps is the whole steps of a path.
func pickedSteps(path string) []string {
	steps := strings.Split(path, stepEnd)
	return steps[:len(steps)-1]
}

// picked is the legal action that a path names, if it names one.
func picked(legal []engine.Action, at string) (engine.Action, bool) {
	for _, a := range legal {
		if path(a) == at {
			return a, true
		}
	}
	return nil, false
}
