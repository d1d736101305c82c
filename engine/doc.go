// Package engine is the contract of a game: what the host, the pictures and
// the computer players ask of it, and nothing more.
//
// A [Game] knows its options and how a match of it starts. A [Position] is a
// value that never changes: it lists the legal actions of the moment, parses
// one from text and applies one, which gives a new position. A turn is one or
// more actions by one seat. Sentences for people are [Phrase] values: an
// identifier of the catalogue, its arguments and the English text.
//
// The package and the games below it do no I/O, read no clock, draw nothing
// and use no randomness that is not seeded by an argument. Every game passes
// the suite in castellan/engine/enginetest.
package engine
