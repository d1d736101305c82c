package host

import (
	"slices"

	"castellan/engine/search"
)

// Level is a level at which the computer plays a game, as people know it. Matches and
// ratings are stored with its key.
type Level struct {
	Key    string  // of a search.Level, or EvenLevel
	Number int     // from 1, the weakest of its game; 0 for EvenLevel
	Rating float64 // of a search.Level; 0 for EvenLevel
}

// Ranges of levels, in which people who do not know the numbers of a game choose.
const (
	Easy   = "easy"
	Medium = "medium"
	Hard   = "hard"
	Master = "master"
)

// Ranges returns the ranges of levels, the weakest first.
func Ranges() []string { return []string{Easy, Medium, Hard, Master} }

// Range returns the range of a level other than EvenLevel. It begins at the same key in
// all games.
func (l Level) Range() string {
	reached := func(key string) bool {
		return slices.Index(search.LevelKeys, l.Key) >= slices.Index(search.LevelKeys, key)
	}
	switch {
	case reached("master"):
		return Master
	case reached("advanced"):
		return Hard
	case reached("casual"):
		return Medium
	}
	return Easy
}

func numberLevels(players search.Engine) (levels []Level) {
	for i, l := range players.Levels {
		levels = append(levels, Level{Key: l.Key, Number: i + 1, Rating: l.Rating})
	}
	return levels
}

// Levels returns the levels at which the computer plays a game, the weakest
// first.
func (h *Host) Levels(game string) []Level { return numberLevels(h.engines[game]) }

// Levels returns the levels of the game of the match, the weakest first.
func (v *View) Levels() []Level { return numberLevels(v.engine) }

// LevelChoices returns the levels at which people can choose to play a game:
// EvenLevel, then those of the computer.
func (h *Host) LevelChoices(game string) []Level {
	if levels := h.Levels(game); len(levels) > 0 {
		return append([]Level{{Key: EvenLevel}}, levels...)
	}
	return nil
}

// LevelIn returns the level in the middle of a range of a game, and whether there is
// one. EvenLevel is a range of its own.
func (h *Host) LevelIn(game, wanted string) (level Level, ok bool) {
	var in []Level
	for _, l := range h.LevelChoices(game) {
		if l.Key == wanted && wanted == EvenLevel || l.Key != EvenLevel && l.Range() == wanted {
			in = append(in, l)
		}
	}
	if len(in) == 0 {
		return Level{}, false
	}
	return in[len(in)/2], true
}
