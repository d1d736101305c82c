package trails

import (
	"math/bits"
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

// directions lists the directions in the order of Position.Legal.
var directions = [...]Direction{Up, Down, Left, Right}

var tokens = [...]string{Up: "up", Down: "down", Left: "left", Right: "right"}

// spellings maps the tokens, short forms and arrows, without the variation
// selectors that telephone keyboards add to an arrow.
var spellings = map[string]Direction{
	"up": Up, "u": Up, "↑": Up, "⬆": Up,
	"down": Down, "d": Down, "↓": Down, "⬇": Down,
	"left": Left, "l": Left, "←": Left, "⬅": Left,
	"right": Right, "r": Right, "→": Right, "➡": Right,
}

// variationSelectors removes the selectors of text and emoji form (U+FE0E,
// U+FE0F).
var variationSelectors = strings.NewReplacer("\ufe0e", "", "\ufe0f", "")

// String returns the token: up, down, left or right.
func (d Direction) String() string {
	if int(d) >= len(tokens) {
		return "nowhere"
	}
	return tokens[d]
}

// Steps returns the token alone: a direction is one choice.
func (d Direction) Steps() []string { return []string{d.String()} }

// parse reads a direction in any spelling.
func parse(token string) (Direction, error) {
	word := variationSelectors.Replace(strings.ToLower(strings.TrimSpace(token)))
	d, ok := spellings[word]
	if !ok {
		return 0, &engine.NotationError{Token: token, Why: texts.Phrase("trails.notation", "Token", token)}
	}
	return d, nil
}

// Moves is a set of directions: bits 0 to 3 are right, down, left and up.
type Moves uint8

// The set of each direction alone.
const (
	toRight Moves = 1 << iota
	toDown
	toLeft
	toUp
)

var bitOf = [4]Moves{Up: toUp, Down: toDown, Left: toLeft, Right: toRight}

// members lists the members of every set.
var members = func() (t [16][4]Direction) {
	order := [4]Direction{Right, Down, Left, Up}
	for set := range t {
		n := 0
		for i, d := range order {
			if set>>i&1 != 0 {
				t[set][n] = d
				n++
			}
		}
	}
	return t
}()

// Len returns the number of directions in the set.
func (m Moves) Len() int { return bits.OnesCount8(uint8(m & 15)) }

// At returns direction number k of the set, from 0 to Len-1.
func (m Moves) At(k int) Direction { return members[m&15][k&3] }

// Pick returns a member of the set, each with the same chance if n is drawn
// evenly from 0 to 11: 12 is divisible by every possible number of members. The
// range of n does not depend on the set, so that a playout can draw it early.
func (m Moves) Pick(n int) Direction { return picks[m&15][n&15] }

// picks repeats the members of every set.
var picks = func() (t [16][16]Direction) {
	for set := range t {
		for n := range 12 {
			if count := Moves(set).Len(); count > 0 {
				t[set][n] = members[set][n%count]
			}
		}
	}
	return t
}()

// Has reports whether the direction is in the set.
func (m Moves) Has(d Direction) bool { return m&bitOf[d&3] != 0 }
