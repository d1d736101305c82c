package trails

import (
	"strings"

	"castellan/engine"
)

// Direction is an action, and a whole turn: where the head goes.
type Direction uint8

// The directions. Up is towards higher ranks, Right towards later files.
const (
	Up Direction = iota
	Down
	Left
	Right
)

var (
	_ engine.Action    = Up
	_ engine.Describer = Up
)

// directions is every direction in the order of Position.Legal.
var directions = [...]Direction{Up, Down, Left, Right}

var tokens = [...]string{Up: "up", Down: "down", Left: "left", Right: "right"}

// spellings is the tokens, the short forms and the arrows, without the
// variation selectors that keyboards of telephones put behind an arrow.
var spellings = map[string]Direction{
	"up": Up, "u": Up, "↑": Up, "⬆": Up,
	"down": Down, "d": Down, "↓": Down, "⬇": Down,
	"left": Left, "l": Left, "←": Left, "⬅": Left,
	"right": Right, "r": Right, "→": Right, "➡": Right,
}

// variation removes the selectors of text and emoji form (U+FE0E, U+FE0F).
var variation = strings.NewReplacer("\ufe0e", "", "\ufe0f", "")

// String is the token: up, down, left or right.
func (d Direction) String() string {
	if int(d) >= len(tokens) {
		return "nowhere"
	}
	return tokens[d]
}

// Steps is the token alone: a direction is one choice.
func (d Direction) Steps() []string { return []string{d.String()} }

// vector is the step of one square.
func (d Direction) vector() (dx, dy int) {
	switch d {
	case Up:
		return 0, 1
	case Down:
		return 0, -1
	case Left:
		return -1, 0
	}
	return 1, 0
}

// parse reads a direction in any of its spellings.
func parse(token string) (Direction, error) {
	word := variation.Replace(strings.ToLower(strings.TrimSpace(token)))
	d, ok := spellings[word]
	if !ok {
		return 0, &engine.NotationError{Token: token, Why: texts.Phrase("trails.notation", "Token", token)}
	}
	return d, nil
}
