package stonetowers

import (
	"maps"

	"castellan/engine"
)

// Key is the key of the game.
const Key = "stone-towers"

// Limits of the options, from the rules page.
const (
	leastEdge, mostEdge   = 4, 16
	leastTurns, mostTurns = 5, 100
)

// mostLevel is the level of the strongest castle.
const mostLevel = 3

// The two players.
const (
	red  engine.Seat = 1
	blue engine.Seat = 2
)

// Game is the rules of Stone Towers. The zero value is ready.
type Game struct{}

var _ engine.Game = Game{}

// Key is "stone-towers".
func (Game) Key() string { return Key }

// Rules is 1, the first version.
func (Game) Version() int { return 1 }

// Seats is two: Red and Blue.
func (Game) Seats() (least, most int) { return 2, 2 }

// Colours is red for seat 1 and blue for seat 2.
func (Game) Colours(int) []engine.Colour { return []engine.Colour{engine.Red, engine.Blue} }

// Options is the width and the height of the board and how many turns each
// player has: 10 make a short game, 20 a standard one, 40 a long one.
func (Game) Options() engine.Schema {
	return engine.Schema{
		{Key: "width", Kind: engine.Int, Default: "8", Min: leastEdge, Max: mostEdge},
		{Key: "height", Kind: engine.Int, Default: "8", Min: leastEdge, Max: mostEdge},
		{Key: "turns", Kind: engine.Int, Default: "20", Min: leastTurns, Max: mostTurns},
	}
}

// New is the position at the start: an empty board.
func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	board := newGeometry(options.Int("width"), options.Int("height"))
	return &Position{newState(board, options.Int("turns"))}, nil
}

// Direct is nil: there are far more actions than buttons.
func (Game) Direct() []engine.Action { return nil }

// Texts is everything that the game says, in English.
func (Game) Texts() engine.Texts {
	out := maps.Clone(texts)
	maps.Copy(out, rulebook)
	return out
}
