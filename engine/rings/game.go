package rings

import (
	"embed"
	"io/fs"
	"maps"

	"castellan/engine"
)

// Key is the key of the game.
const Key = "rings"

// Limits of the option, from the rules page.
const minSide, maxSide = 3, 6

// Game implements the rules. The zero value is ready to use.
type Game struct{}

var _ engine.Translated = Game{}

// Key returns "rings".
func (Game) Key() string { return Key }

// Version returns 1, the first version.
func (Game) Version() int { return 1 }

// Seats returns two to six.
func (Game) Seats() (least, most int) { return engine.MinSeats, engine.MaxSeats }

// Colours returns blue, red, gold, green, violet and white, in the order of
// seats.
func (Game) Colours(seats int) []engine.Colour {
	out := make([]engine.Colour, seats)
	for i := range out {
		out[i] = colour(uint8(i + 1))
	}
	return out
}

func colour(seat uint8) engine.Colour { return engine.Blue + engine.Colour(seat-1) }

// Options returns the schema of the options: the number of circles along an
// edge of the board.
func (Game) Options() engine.Schema {
	return engine.Schema{{Key: "side", Kind: engine.Int, Default: "6", Min: minSide, Max: maxSide, Standard: []string{"4", "5", "6"}}}
}

// New returns the starting position.
func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	return start(options.Int("side"), seats), nil
}

// Direct returns nil: a turn is more than one action.
func (Game) Direct() []engine.Action { return nil }

// Texts returns all texts of the game, in English.
func (Game) Texts() engine.Texts { return maps.Clone(texts) }

//go:embed texts.toml
var textsFile string

// texts is never changed; Game.Texts returns copies.
var texts = engine.MustTexts(textsFile)

// Translations returns the texts in other languages.
func (Game) Translations() fs.FS { return translations }

//go:embed texts.*.toml
var translations embed.FS
