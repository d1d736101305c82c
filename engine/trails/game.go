package trails

import (
	"embed"
	"io/fs"
	"maps"

	"castellan/engine"
)

const Key = "trails"

// Limits and defaults of the options, from the rules page.
const (
	minSize, maxSize         = 5, 21
	minTowers, maxTowers     = 1, 9
	minDistance, maxDistance = 0, 3
)

// Game implements the rules. The zero value is ready to use.
type Game struct{}

var _ engine.Translated = Game{}

func (Game) Key() string { return Key }

func (Game) Version() int { return 1 }

// Decisive says that no match ends in a draw.
func (Game) Decisive() {}

func (Game) Seats() (least, most int) { return 2, 2 }

// Colours returns blue for seat 1 and red for seat 2.
func (Game) Colours(int) []engine.Colour { return []engine.Colour{engine.Blue, engine.Red} }

func (Game) Options() engine.Schema {
	return engine.Schema{
		{Key: "size", Kind: engine.Int, Default: "11", Min: minSize, Max: maxSize, Step: 2, Standard: []string{"9", "11", "13"}},
		{Key: "towers", Kind: engine.Int, Default: "3", Min: minTowers, Max: maxTowers, Standard: []string{"3", "5"}},
		{Key: "distance", Kind: engine.Int, Default: "1", Min: minDistance, Max: maxDistance},
	}
}

// New returns the starting position. It returns an *engine.OptionError if the
// towers do not all fit on the board.
func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	size, towers, distance := options.Int("size"), options.Int("towers"), options.Int("distance")
	if !fits(size, towers, distance) {
		return nil, &engine.OptionError{Why: fitAdvice(size, towers, distance)}
	}
	return start(size, towers, distance), nil
}

// fitAdvice says which options would fit instead.
func fitAdvice(size, towers, distance int) engine.Phrase {
	most := minTowers
	for most < maxTowers && fits(size, most+1, distance) {
		most++
	}
	wide := size
	for wide <= maxSize && !fits(wide, towers, distance) {
		wide += 2
	}
	if wide > maxSize {
		return texts.Phrase("trails.unfit.any", "Towers", towers, "Distance", distance, "Size", size, "Count", most)
	}
	return texts.Phrase("trails.unfit", "Towers", towers, "Distance", distance, "Size", size, "Count", most, "Wide", wide)
}

// UsualTurns returns the median of random games: 23 on 9 by 9, 33 on 11 by 11.
func (Game) UsualTurns(options engine.Options, _ int) int {
	return 3 * options.Int("size")
}

func (Game) Direct() []engine.Action { return []engine.Action{Left, Up, Down, Right} }

func (Game) Texts() engine.Texts { return maps.Clone(texts) }

//go:embed texts.toml
var textsFile string

// texts is never changed; Game.Texts returns copies.
var texts = engine.MustTexts(textsFile)

func (Game) Translations() fs.FS { return translations }

//go:embed texts.*.toml
var translations embed.FS
