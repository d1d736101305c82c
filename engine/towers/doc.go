// Package towers implements the game Towers. Two players move, build and take
// towers of pawns on a square board. The player who takes the opponent's master
// wins.
//
// [Game] and [Position] are immutable. A Position wraps the mutable state that
// the computer players search, which is in internal/board.
//
// A turn consists of any number of actions that the move points allow, and the
// end: "b2-b4" moves a whole tower, "e1/f1" takes one pawn out of a tower, "+2"
// imports two pawns from the reserve onto the master, and "end" ends the turn,
// or passes if it is the only action. There are no other spellings. "+2" is one
// action and leads to the same position as "+1 +1".
//
// A square is named by file and rank; a1 is the lower left corner. Blue, seat
// 1, starts at the bottom, and Red, seat 2, at the top.
package towers
