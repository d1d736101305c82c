// Package record reads and writes a match as a text file that people can read
// and keep.
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
//	Checksum: 5a4e1f00c2d84b6d9f1c3b7f0a9e2d61
//
//	; a comment goes from a semicolon to the end of its line
//	1. blue: right
//	2. red: left
//	- blue: resign
//
// The first line names the format and its version. Tags follow, one per line, in
// any order. Only Game is required. With a Checksum, the record is refused if
// anything but its comments and layout has changed since it was written. Without
// Rules the newest version of the game's rules applies, and options that are left
// out have their defaults. A match with a clock has the tag Clock, such as 1d for a
// day per turn ([match.ParseClock]); when each turn was played is left out. Then come the completed turns, numbered over all seats,
// with their actions in the notation of the rules. The other decisions stand
// between them after a hyphen: the entry kinds of castellan/engine/match, such as
// resign, claim, timeout, draw and abort. That of an organiser, who has no colour, is
// "- organiser: adjudicate 2", with the seat that wins, "draw" or "none". Actions that were taken back and a turn that is still
// open are left out. The comment "prepared" stands behind a turn that was prepared.
//
// Tags before numbered moves follow the Portable Game Notation of chess (S.
// Edwards, 1994); nothing else does.
//
// [Read] accepts files from anywhere: it limits their size, checks every action
// against the rules and refuses a result that does not follow from the turns.
package record
