package towers

import (
	"embed"
	"io/fs"
	"maps"

	"castellan/engine"
)

// Key is the key of the game.
const Key = "towers"

// Limits of the size of the board, from the rules page; the smallest is the
// default.
const minSize, maxSize = 5, 10

// Game implements the rules. The zero value is ready to use.
type Game struct{}

var _ engine.Translated = Game{}

// Key returns "towers".
func (Game) Key() string { return Key }

// Version returns 1, the first version.
func (Game) Version() int { return 1 }

// Seats returns two: Blue and Red.
func (Game) Seats() (least, most int) { return 2, 2 }

// Colours returns blue for seat 1, at the bottom, and red for seat 2.
func (Game) Colours(int) []engine.Colour { return []engine.Colour{engine.Blue, engine.Red} }

// Options returns the schema of the options: the size of the board and the
// specific rules in force.
func (Game) Options() engine.Schema {
	return engine.Schema{
		{Key: "size", Kind: engine.Int, Default: "5", Min: minSize, Max: maxSize, Standard: []string{"5", "8"}},
		{Key: "rules", Kind: engine.Set, Default: engine.None, Choices: ruleNames[:]},
	}
}

// New returns the starting position.
func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	return start(options.Int("size"), rulesOf(options.Set("rules"))), nil
}

// Direct returns nil: a turn is several actions.
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
