package sample

import (
	"strconv"
	"strings"

	"castellan/engine"
)

// maxPiles is the largest number of piles.
const maxPiles = 4

// Action is to take N counters of pile number Pile, from 0, or a Formality.
type Action struct {
	Pile, N   int
	Formality string // engine.End, engine.Pass or empty
}

var _ engine.Describer = Action{}

// String is "a2", "end" or "pass".
func (a Action) String() string {
	if a.Formality != "" {
		return a.Formality
	}
	return pileName(a.Pile) + strconv.Itoa(a.N)
}

// Steps is the pile, then the number: "a", "2".
func (a Action) Steps() []string {
	if a.Formality != "" {
		return []string{a.Formality}
	}
	return []string{pileName(a.Pile), strconv.Itoa(a.N)}
}

// In is "takes 2 counters", and empty for a formality.
func (a Action) Describe(engine.Position) engine.Phrase {
	if a.Formality != "" {
		return engine.Phrase{}
	}
	return texts.Phrase("sample.takes", "Count", a.N)
}

func pileName(i int) string { return string(rune('a' + i)) }

// Parse reads an action: "a2", "a" for "a1", "end" or "pass".
func (p *Position) Parse(token string) (engine.Action, error) {
	word := strings.ToLower(strings.TrimSpace(token))
	if word == engine.End || word == engine.Pass {
		return Action{Formality: word}, nil
	}
	bad := &engine.NotationError{Token: token, Why: texts.Phrase("sample.notation", "Token", token)}
	if word == "" || word[0] < 'a' || word[0] >= 'a'+maxPiles {
		return nil, bad
	}
	a := Action{Pile: int(word[0] - 'a'), N: 1}
	if number := word[1:]; number != "" {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > 99 || strconv.Itoa(n) != number {
			return nil, bad
		}
		a.N = n
	}
	return a, nil
}
