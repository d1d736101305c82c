package search

import "math"

// Values of positions in searches of two seats: from the point of view of the
// seat whose move is next.
const (
	// MaxValue bounds what Evaluate may say.
	MaxValue = 20_000
	// won is the value of having won now; a win n moves ahead is worth n less.
	won = 30_000
	// decided is the least value of a game that is won for certain.
	decided = won - maxDepth
	// maxDepth is how many moves ahead any search looks.
	maxDepth = 250

	// Won and Decided are won and decided, for searches of one game alone.
	WinValue  = won
	ProvenWin = decided
)

// Chance is the share of the win that an advantage promises: the scale of Elo,
// on which 400 is ten to one.
func ExpectedPayoff(value int) float64 {
	switch {
	case value >= decided:
		return 1
	case value <= -decided:
		return 0
	}
	return 1 / (1 + math.Pow(10, -float64(value)/400))
}

// valueOf is the value, after the given number of moves, of a game that has
// ended with this share of the win.
func valueOf(share float64, ply int) int {
	switch {
	case share > 0.5:
		return won - ply
	case share < 0.5:
		return ply - won
	}
	return 0
}
