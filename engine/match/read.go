package match

import (
	"strings"
	"unicode"

	"castellan/engine"
)

// maxWords is the number of words of a text that can be one token: "c2 - c3".
const maxWords = 3

// Read returns a turn as people write it in canonical tokens: with commas, with
// spaces within a token or without its signs, if that means only one legal turn.
// Otherwise it returns the text.
func (m *Match) Read(seat engine.Seat, text string) string {
	if _, _, err := m.Try(seat, text, Moment{}); err == nil {
		return text
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' })
	manual := Moment{Confirms: func(engine.Seat) bool { return true }}
	var tokens []string
	for at := m; len(words) > 0; {
		a, n := readAction(at.position, words)
		if n == 0 {
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

// squeeze returns the letters, digits and plus signs of a text in lower case.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
