// Package trails implements the game Trails and Towers. Two players draw trails
// over a square board; trails cross occupied squares only by jumping. A player
// wins by taking more than half of the towers or by leaving the opponent
// without a move.
//
// [Game] and [Position] are immutable. A Position wraps the mutable [State] that
// the computer players search; only trails/ai uses it.
//
// A square is named by file and rank; a1 is the lower left corner, and up is
// towards higher ranks. Blue, seat 1, starts in the upper left corner, and Red,
// seat 2, in the lower right one.
package trails
