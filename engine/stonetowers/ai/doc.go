// Package ai plays Stone Towers: the search state, its evaluation and the
// levels.
//
// The evaluation is a sum over squares. A square's part depends only on its
// owner, the level of its castle and the lead in influence on it. So the sum is
// updated incrementally as influence spreads, and the five squares that a move
// touches tell its evaluation in advance.
package ai
