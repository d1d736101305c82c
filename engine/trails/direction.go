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

func (d Direction) String() string {
	if int(d) >= len(tokens) {
		return "nowhere"
	}
	return tokens[d]
}

func (d Direction) Steps() []string { return []string{d.String()} }

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

func (m Moves) Len() int { return bits.OnesCount8(uint8(m & 15)) }

// Pick returns a member of the set, each with the same chance if n is drawn
// evenly from 0 to 11: 12 is divisible by every possible number of members. The
// range of n does not depend on the set, so that a playout can draw it early.
func (m Moves) Pick(n int) Direction { return picks[m&15][n&15] }

// picks repeats the members of every set.
var picks = func() (t [16][16]Direction) {
	for set := range t {
		var members []Direction
		for _, d := range [...]Direction{Right, Down, Left, Up} {
			if Moves(set).Has(d) {
				members = append(members, d)
			}
		}
		for n := range t[set] {
			if len(members) > 0 {
				t[set][n] = members[n%len(members)]
			}
		}
	}
	return t
}()

func (m Moves) Has(d Direction) bool { return m&bitOf[d&3] != 0 }

func (m *Moves) Add(d Direction) { *m |= bitOf[d&3] }
