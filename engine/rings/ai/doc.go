// Package ai plays Rings. A move of its searches is a whole turn: a
// stone or a pass, then every conversion that it makes possible. To convert is
// never worse with two seats: it gives the player stones where the other had
// them, so that from then on he can do all that he could, and the other no more
// than before.
//
// Positions are judged circle by circle: a table, made from games of the
// program with itself, says how likely who has so many stones and rings there
// is to hold the circle in the end. The sum is the score to be expected, and
// what a lead in it is worth depends on how much of the board is empty.
//
// What is only played out at random, for plain Monte Carlo, needs no such
// account: a sketch has the stones as bits, and works out for all circles at once
// what follows from them.
package ai
