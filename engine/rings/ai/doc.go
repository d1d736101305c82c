// Package ai plays Rings. A move of its searches is a whole turn: a stone or a
// pass and then every possible conversion. With two seats, converting is never
// worse: it replaces the opponent's stones by the player's own, which leaves
// the player at least as many options and the opponent at most as many.
//
// The evaluation is a sum over circles. A table, made from self-play, holds the
// probability that a player with so many stones and rings there holds the
// circle in the end. The sum is the expected score; the value of a lead
// depends on how much of the board is empty.
//
// The strongest level also knows combinations: a learned correction for every pair of
// neighbouring circles, and for every point with the circles around it. With two seats
// it is of the lead, with more of what each seat is expected to hold. make train
// GAME=rings fits both to games of the program against itself. It can also train the
// table of two seats from nothing, as a check of the one in use.
//
// Random playouts for plain Monte Carlo skip all of this: they keep the stones
// as bit sets and evaluate all circles at once.
package ai
