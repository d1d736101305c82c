// Package trails is the game Trails and Towers: two players draw trails over a
// square board, never crossing an occupied square but by a jump, and whoever
// takes more than half of the towers, or leaves the other without a move, wins.
//
// [Game] and [Position] are the game as the host, the pictures and people see
// it: values that never change. Inside a Position is a [State], a mutable board
// of bits with make and unmake for computer players; only packages below
// castellan/engine use it.
//
// A square is named by file and rank, a1 is the lower left corner and up is
// towards higher ranks. Blue, seat 1, starts in the upper left corner, Red,
// seat 2, in the lower right one.
package trails
