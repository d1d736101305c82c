package sample

import (
	"strconv"
	"strings"

	"castellan/engine"
)

const maxPiles = 4

// Action takes N counters from pile number Pile, counted from 0, or is Word.
type Action struct {
	Pile, N int
	Word    string // engine.End, engine.Pass or empty
}

var _ engine.Describer = Action{}

func (a Action) String() string {
	if a.Word != "" {
		return a.Word
	}
	return pileName(a.Pile) + strconv.Itoa(a.N)
}

func (a Action) Steps() []string {
	if a.Word != "" {
		return []string{a.Word}
	}
	return []string{pileName(a.Pile), strconv.Itoa(a.N)}
}

func (a Action) Describe(engine.Position) engine.Phrase {
	if a.Word != "" {
		return engine.Phrase{}
	}
	return texts.Phrase("sample.takes", "Count", a.N)
}

func pileName(i int) string { return string(rune('a' + i)) }

// Parse reads an action: "a2", "a" for "a1", "end" or "pass".
func (p *Position) Parse(token string) (engine.Action, error) {
	word := strings.ToLower(strings.TrimSpace(token))
	if word == engine.End || word == engine.Pass {
		return Action{Word: word}, nil
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
