package trails

import (
	"maps"

	"castellan/engine"
)

// Key is the key of the game.
const Key = "trails"

// Limits and defaults of the options, from the rules page.
const (
	leastSize, mostSize         = 5, 21
	leastTowers, mostTowers     = 1, 9
	leastDistance, mostDistance = 0, 3
)

// Game is the rules of Trails and Towers. The zero value is ready.
type Game struct{}

var _ engine.Game = Game{}

// Key is "trails".
func (Game) Key() string { return Key }

// Rules is 1, the first version.
func (Game) Version() int { return 1 }

// Seats is two: Blue and Red.
func (Game) Seats() (least, most int) { return 2, 2 }

// Colours is blue for seat 1 and red for seat 2.
func (Game) Colours(int) []engine.Colour { return []engine.Colour{engine.Blue, engine.Red} }

// Options is the size of the board, the number of towers and how many squares
// lie between them.
func (Game) Options() engine.Schema {
	return engine.Schema{
		{Key: "size", Kind: engine.Int, Default: "11", Min: leastSize, Max: mostSize, Step: 2},
		{Key: "towers", Kind: engine.Int, Default: "3", Min: leastTowers, Max: mostTowers},
		{Key: "distance", Kind: engine.Int, Default: "1", Min: leastDistance, Max: mostDistance},
	}
}

// New is the position at the start. Towers that do not all fit on the board
// give an *engine.OptionError.
func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	size, towers, distance := options.Int("size"), options.Int("towers"), options.Int("distance")
	if !fits(size, towers, distance) {
		return nil, &engine.OptionError{Why: unfit(size, towers, distance)}
	}
	return start(size, towers, distance), nil
}

// unfit says what would be right instead of towers that do not fit.
func unfit(size, towers, distance int) engine.Phrase {
	most := leastTowers
	for most < mostTowers && fits(size, most+1, distance) {
		most++
	}
	wide := size
	for wide <= mostSize && !fits(wide, towers, distance) {
		wide += 2
	}
	if wide > mostSize {
		return texts.Phrase("trails.unfit.any", "Towers", towers, "Distance", distance, "Size", size, "Count", most)
	}
	return texts.Phrase("trails.unfit", "Towers", towers, "Distance", distance, "Size", size, "Count", most, "Wide", wide)
}

// Direct is the four directions: left, up, down, right.
func (Game) Direct() []engine.Action { return []engine.Action{Left, Up, Down, Right} }

// Texts is everything that the game says, in English.
func (Game) Texts() engine.Texts {
	out := maps.Clone(texts)
	maps.Copy(out, rulebook)
	return out
}
