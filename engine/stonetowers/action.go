package stonetowers

import (
	"strconv"
	"strings"

	"castellan/engine"
)

// Kind is what an action does.
type Kind uint8

// The kinds of actions.
const (
	Build   Kind = iota + 1 // a castle of level 1 on a square without one
	Fortify                 // one's own castle by one level
	Pass                    // where neither is possible anywhere
)

// Action is an action, and a whole turn. Square is the zero Square for a pass.
type Action struct {
	Kind   Kind
	Square Square
}

var (
	_ engine.Action    = Action{}
	_ engine.Describer = Action{}
)

// String is the token: "d4" builds, "d4+" fortifies, and "pass".
func (a Action) String() string { return strings.Join(a.Steps(), "") }

// Steps is the file, then the rank: "d" and "4" build, "d" and "4+" fortify. A
// pass is one step.
func (a Action) Steps() []string {
	file, rank := string(rune('a'+a.Square.X)), strconv.Itoa(a.Square.Y+1)
	switch a.Kind {
	case Build:
		return []string{file, rank}
	case Fortify:
		return []string{file, rank + "+"}
	}
	return []string{engine.Pass}
}

// Parse reads an action: "d4", "d4+" or "pass". A bare square on which the
// seat to act has a castle fortifies it.
func (p *Position) Parse(token string) (engine.Action, error) {
	word := strings.ToLower(strings.TrimSpace(token))
	if word == engine.Pass {
		return Action{Kind: Pass}, nil
	}
	name, fortify := strings.CutSuffix(word, "+")
	square, ok := parseSquare(name)
	if !ok {
		return nil, &engine.NotationError{Token: token, Why: texts.Phrase("stone-towers.notation", "Token", token)}
	}
	if fortify || p.Level(square) > 0 && p.Owner(square) == p.Seat() {
		return Action{Fortify, square}, nil
	}
	return Action{Build, square}, nil
}
