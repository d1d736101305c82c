package rings

import (
	"embed"
	"io/fs"
	"maps"

	"castellan/engine"
)

const Key = "rings"

// Limits of the option, from the rules page.
const minSide, maxSide = 3, 6

// Game implements the rules. The zero value is ready to use.
type Game struct{}

var _ engine.Translated = Game{}

func (Game) Key() string { return Key }

func (Game) Version() int { return 1 }

func (Game) Seats() (least, most int) { return engine.MinSeats, engine.MaxSeats }

func (Game) Colours(seats int) []engine.Colour {
	out := make([]engine.Colour, seats)
	for i := range out {
		out[i] = colour(uint8(i + 1))
	}
	return out
}

func colour(seat uint8) engine.Colour { return engine.Blue + engine.Colour(seat-1) }

func (Game) Options() engine.Schema {
	return engine.Schema{{Key: "side", Kind: engine.Int, Default: "6", First: "4", Min: minSide, Max: maxSide, Standard: []string{"4", "5", "6"}}}
}

func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	return start(options.Int("side"), seats), nil
}

// UsualTurns returns the number of points, each of which is filled, and the passes at
// the end.
func (Game) UsualTurns(options engine.Options, seats int) int {
	return 6*options.Int("side")*options.Int("side") + seats
}

func (Game) Direct() []engine.Action { return nil }

func (Game) Texts() engine.Texts { return maps.Clone(texts) }

//go:embed texts.toml
var textsFile string

// texts is never changed; Game.Texts returns copies.
var texts = engine.MustTexts(textsFile)

func (Game) Translations() fs.FS { return translations }

//go:embed texts.*.toml
var translations embed.FS
