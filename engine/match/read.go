package match

import (
	"slices"
	"strings"
	"unicode"

	"castellan/engine"
)

// maxWords is the number of words of a text that can be one token: "c2 - c3".
const maxWords = 3

// Read returns a turn as people write it in canonical tokens: with commas, with
// spaces within a token or without its signs, if that means only one legal turn. If it
// means one action that is not legal, Read returns that action in its place, so that
// the reason can be told. Otherwise it returns the text.
func (m *Match) Read(seat engine.Seat, text string) string {
	if _, _, err := m.Try(seat, text, Cause{}); err == nil {
		return text
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' })
	manual := Cause{Confirms: func(engine.Seat) bool { return true }}
	var tokens []string
	for at := m; len(words) > 0; {
		a, n := readAction(at.position, words)
		if n == 0 {
			if illegal, n := readIllegal(at.position, words); n > 0 {
				return strings.Join(append(append(tokens, illegal), words[n:]...), " ")
			}
			return text
		}
		var err error
		if at, _, err = at.Try(seat, a.String(), manual); err != nil {
			return text
		}
		tokens, words = append(tokens, a.String()), words[n:]
	}
	return strings.Join(tokens, " ")
}

// readAction returns the legal action that the first n words mean; n is 0 if
// they mean none, or several.
func readAction(p engine.Position, words []string) (action engine.Action, n int) {
	if a, err := p.Parse(words[0]); err == nil {
		if _, err := p.Apply(a); err == nil {
			return a, 1
		}
	}
	legal := p.Legal()
	for n := range min(maxWords, len(words)) {
		want, found := squeeze(strings.Join(words[:n+1], "")), 0
		for _, a := range legal {
			if want != "" && squeeze(a.String()) == want {
				action, found = a, found+1
			}
		}
		if found == 1 {
			return action, n + 1
		}
	}
	return nil, 0
}

// readIllegal returns the action that the first n words mean, which is not legal, in
// canonical form: the signs between its steps are those of legal actions. n is 0 if the
// words mean none, or several.
func readIllegal(p engine.Position, words []string) (action string, n int) {
	var signs []string
	for _, a := range p.Legal() {
		steps := a.Steps()
		if len(steps) != 2 {
			continue
		}
		if rest, ok := strings.CutPrefix(a.String(), steps[0]); ok {
			if sign, ok := strings.CutSuffix(rest, steps[1]); ok && sign != "" && !slices.Contains(signs, sign) {
				signs = append(signs, sign)
			}
		}
	}
	for n := range min(maxWords, len(words)) {
		word := squeeze(strings.Join(words[:n+1], ""))
		for _, sign := range signs {
			var found []string
			for i := 1; i < len(word); i++ {
				if a, err := p.Parse(word[:i] + sign + word[i:]); err == nil {
					found = append(found, a.String())
				}
			}
			if len(found) == 1 {
				return found[0], n + 1
			}
		}
	}
	return "", 0
}

// squeeze returns the letters, digits and plus signs of a text in lower case.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
