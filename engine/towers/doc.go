// Package towers is the game Towers: two players move, build and take towers
// of pawns on a square board, and whoever takes the opponent's master wins.
//
// [Game] and [Position] are the game as the host, the pictures and people see
// it: values that never change. Inside a Position is a [State], a small mutable
// board for computer players whose copy is the way to take an action back; only
// packages below castellan/engine use it.
//
// A turn is any number of actions that the player's move points allow, then
// the end: "b2-b4" moves a whole tower, "e1/f1" takes one pawn out of one, "+2"
// imports two pawns from the reserve onto the master, "end" ends the turn, and
// is a pass where nothing came before it. The tokens are the only spellings.
// "+2" is one action, and leads to the same position as "+1 +1".
//
// A square is named by file and rank, a1 is the lower left corner. Blue, seat
// 1, starts at the bottom, Red, seat 2, at the top.
package towers
