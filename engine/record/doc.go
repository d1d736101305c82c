// Package record is the readable record of a match: a text file that people can
// read and keep, and that gives the same match again when it is read.
//
//	Castellan record 1
//	Game: trails
//	Rules: 1
//	Options: size=5 towers=1 distance=1
//	Seat 1 (blue): Anna
//	Seat 2 (red): "Ben \u202e"
//	Date: 2026-05-01T12:00:00Z
//	Seed: 7
//	Result: won by seat 2, by resignation
//
//	; a remark goes from a semicolon to the end of its line
//	1. blue: right
//	2. red: left
//	- blue: resign
//
// The first line names the format and its version. Tags follow, one a line, in
// any order; only Game is needed, the others have the game's defaults. Then come
// the completed turns, numbered over all seats, with their actions in the
// notation of the rules page, and between them, after a hyphen, whatever else
// decided the match: the kinds of castellan/engine/match, such as resign,
// claim and abort. What was taken back, and a turn that is still open, are nobody's
// business and are left out.
//
// The idea of tags before numbered moves is that of chess's Portable Game
// Notation (S. Edwards, 1994); nothing else is.
//
// [Read] is for files from anywhere: their size is bounded, every action is held
// against the rules, and a result that the turns do not give is refused.
package record
