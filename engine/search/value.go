package search

import (
	"math"

	"castellan/engine/grid"
)

// Values of positions in two-seat searches, from the point of view of the side
// to move.
const (
	// MaxValue bounds the result of Evaluate.
	MaxValue = 20_000
	// WinValue is the value of a game won now. A win n plies ahead has n less.
	WinValue = 30_000
	// ProvenWin is the least value of a proven win.
	ProvenWin = WinValue - maxDepth
	// maxDepth is the greatest search depth in plies.
	maxDepth = 250
)

// ExpectedPayoff converts a value to the share of the win that it promises, on
// the Elo scale: an advantage of 400 is ten to one.
func ExpectedPayoff(value int) float64 {
	switch {
	case value >= ProvenWin:
		return 1
	case value <= -ProvenWin:
		return 0
	}
	return 1 / (1 + math.Pow(10, -float64(value)/400))
}

func terminalValue(payoff float64, ply int) int {
	switch {
	case payoff > 0.5:
		return WinValue - ply
	case payoff < 0.5:
		return ply - WinValue
	}
	return 0
}

// Mix hashes a number.
func Mix(x uint64) uint64 { return grid.Mix(x) }
