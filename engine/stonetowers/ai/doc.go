// Package ai plays Stone Towers: the board as searches walk it, what
// it is worth, and the levels of players made of that.
//
// What a position is worth is a sum over its squares. What a square adds
// depends on nothing but whose it is, the level of its castle and the lead in
// influence on it, so the sum is kept up to date as influence spreads, and what
// a move will add can be told from the five squares that it touches.
package ai
