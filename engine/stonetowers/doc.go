// Package stonetowers implements the game Stone Towers. Two players build and
// fortify castles on a board of squares. A castle has influence on its square
// and the four neighbours. A square belongs to the player with more influence
// on it; a castle of the other player there is destroyed, which may bring down
// others. After a fixed number of turns the player with more squares wins.
//
// [Game] and [Position] are immutable. A Position wraps a [State], which makes and
// takes back moves; only searches and other packages below castellan/engine use it.
//
// A square is named by file and rank; a1 is the lower left corner. Red, seat 1,
// moves first. Blue is seat 2.
package stonetowers
