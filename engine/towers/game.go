package towers

import (
	"embed"
	"io/fs"
	"maps"

	"castellan/engine"
	"castellan/engine/towers/internal/board"
)

const Key = "towers"

// minSize is the size of the smallest board, and the default.
const minSize = 5

// Game implements the rules. The zero value is ready to use.
type Game struct{}

var _ engine.Translated = Game{}

func (Game) Key() string { return Key }

func (Game) Version() int { return 1 }

func (Game) Seats() (least, most int) { return 2, 2 }

// Colours returns blue for seat 1, at the bottom, and red for seat 2.
func (Game) Colours(int) []engine.Colour { return []engine.Colour{engine.Blue, engine.Red} }

func (Game) Options() engine.Schema {
	return engine.Schema{
		{Key: "size", Kind: engine.Int, Default: "5", Min: minSize, Max: board.MaxSize, Standard: []string{"5", "8"}},
		{Key: "rules", Kind: engine.Set, Default: engine.None, Choices: ruleNames[:]},
	}
}

func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	return start(options.Int("size"), rulesOf(options.Set("rules"))), nil
}

// UsualTurns returns the median of random games: 26 on 5 by 5, 43 on 8 by 8.
func (Game) UsualTurns(options engine.Options, _ int) int {
	return 5 * options.Int("size")
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
