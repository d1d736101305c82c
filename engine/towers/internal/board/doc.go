// Package board holds the state of a game of Towers, which the rules and the
// computer players share: the cells, the turn and what the draws need, with
// Make and Unmake, the legal moves, and a Zobrist key.
package board
