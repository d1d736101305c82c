package stonetowers

import (
	"embed"
	"io/fs"
	"maps"

	"castellan/engine"
)

const Key = "stone-towers"

// Limits of the options, from the rules page.
const (
	minEdge, maxEdge   = 4, 16
	minTurns, maxTurns = 5, 100
)

const maxLevel = 3

const (
	red  engine.Seat = 1
	blue engine.Seat = 2
)

// Game implements the rules. The zero value is ready to use.
type Game struct{}

var _ engine.Translated = Game{}

func (Game) Key() string { return Key }

func (Game) Version() int { return 1 }

func (Game) Seats() (least, most int) { return 2, 2 }

func (Game) Colours(int) []engine.Colour { return []engine.Colour{engine.Red, engine.Blue} }

// Options returns the schema of the options: width and height of the board, and
// the turns of each player. 10 turns make a short game, 20 a standard one, 40 a
// long one.
func (Game) Options() engine.Schema {
	return engine.Schema{
		{Key: "width", Kind: engine.Int, Default: "8", Min: minEdge, Max: maxEdge, Standard: []string{"8"}},
		{Key: "height", Kind: engine.Int, Default: "8", Min: minEdge, Max: maxEdge, Standard: []string{"8"}},
		{Key: "turns", Kind: engine.Int, Default: "20", Min: minTurns, Max: maxTurns, Standard: []string{"10", "20", "40"}},
	}
}

func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	board := newBoard(options.Int("width"), options.Int("height"))
	return &Position{newState(board, options.Int("turns"))}, nil
}

func (Game) UsualTurns(options engine.Options, _ int) int {
	return 2 * options.Int("turns")
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
