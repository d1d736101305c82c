// Package engine defines the contract between a game and what hosts, draws and
// plays it.
//
// A [Game] is one version of the rules of a game: it knows its options and how
// a match starts. A [Position] is immutable: it lists the legal actions, parses
// an [Action] from text and applies it, which gives a new position. A turn is
// one or more actions by one seat. A text for people is a [Phrase]: a key of
// the catalogue, its arguments and the English text.
//
// A forced action is the end of a turn or a pass that is the only legal action; see
// [ForcedAction].
//
// The package and the games below it do no I/O, read no clock, draw nothing
// and take all randomness from a seed that they are given. Every game passes
// the suite in castellan/engine/enginetest.
package engine
