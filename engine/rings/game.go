package rings

import (
	"maps"

	"castellan/engine"
)

// Key is the key of the game.
const Key = "rings"

// Limits of the option, from the rules page.
const leastSide, mostSide = 3, 6

// Game is the rules of Rings. The zero value is ready.
type Game struct{}

var _ engine.Game = Game{}

// Key is "rings".
func (Game) Key() string { return Key }

// Rules is 1, the first version.
func (Game) Version() int { return 1 }

// Seats is two to six.
func (Game) Seats() (least, most int) { return engine.MinSeats, engine.MaxSeats }

// Colours is blue, red, gold, green, violet and white, in the order of seats.
func (Game) Colours(seats int) []engine.Colour {
	out := make([]engine.Colour, seats)
	for i := range out {
		out[i] = colour(uint8(i + 1))
	}
	return out
}

func colour(seat uint8) engine.Colour { return engine.Blue + engine.Colour(seat-1) }

// Options is the number of circles along an edge of the board.
func (Game) Options() engine.Schema {
	return engine.Schema{{Key: "side", Kind: engine.Int, Default: "6", Min: leastSide, Max: mostSide}}
}

// New is the position at the start.
func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	return start(options.Int("side"), seats), nil
}

// Direct is nil: a turn is more than one action.
func (Game) Direct() []engine.Action { return nil }

// Texts is everything that the game says, in English.
func (Game) Texts() engine.Texts {
	out := maps.Clone(texts)
	maps.Copy(out, rulebook)
	return out
}
