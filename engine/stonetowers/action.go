package stonetowers

import (
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
)

// Kind is the kind of an action.
type Kind uint8

const (
	Build   Kind = iota + 1 // build a castle of level 1 on a square without one
	Fortify                 // raise an own castle by one level
	Pass                    // legal only if neither is possible
)

// Action is an action, and a whole turn. Square is zero for a pass.
type Action struct {
	Kind   Kind
	Square Square
}

var (
	_ engine.Action    = Action{}
	_ engine.Describer = Action{}
)

// String returns the token: "d4" builds, "d4+" fortifies, "pass" passes.
func (a Action) String() string { return strings.Join(a.Steps(), "") }

// Steps returns the file and the rank: "d" and "4" build, "d" and "4+" fortify.
// A pass is one step.
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

// letters is the number of letters that can name a file.
const letters = 26

// Parse reads an action: "d4", "d4+" or "pass". A square alone fortifies if the
// seat to act has a castle there.
func (p *Position) Parse(token string) (engine.Action, error) {
	word := strings.ToLower(strings.TrimSpace(token))
	if word == engine.Pass {
		return Action{Kind: Pass}, nil
	}
	name, fortify := strings.CutSuffix(word, "+")
	file, rank, ok := grid.ParseSquare(name, letters) // one beyond the board is refused when it is applied
	square := Square{X: file, Y: rank}
	if !ok {
		return nil, &engine.NotationError{Token: token, Why: texts.Phrase("stone-towers.notation", "Token", token)}
	}
	if fortify || p.Level(square) > 0 && p.Owner(square) == p.Seat() {
		return Action{Fortify, square}, nil
	}
	return Action{Build, square}, nil
}
