// Package search is the computer players: their contract, the levels that
// people choose from, and the searches that all games share. What a single game
// adds, its evaluation above all, lives in a folder of its own below this one;
// the rules know nothing of it.
//
// A search does no I/O and reads no clock: it is bounded by nodes and by its
// context, and given the same position, limits and seed it plays the same turn
// unless its context ends first.
package search
