// Package stonetowers is the game Stone Towers: two players build castles on a
// board of squares and fortify them. A castle has influence on its own square
// and on its four neighbours; a square goes to whoever has more influence on
// it, a castle of the other player there falls, and its fall may bring down
// others. After a fixed number of turns the larger empire wins.
//
// [Game] and [Position] are the game as the host, the pictures and people see
// it: values that never change. Inside a Position is a [State], a mutable board
// of bits with make and unmake for computer players; only packages below
// castellan/engine use it.
//
// A square is named by file and rank, a1 is the lower left corner. Red, seat 1,
// moves first, Blue is seat 2.
package stonetowers
