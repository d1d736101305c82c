// Package ai plays Stone Towers: the search state, its evaluation and the
// levels.
//
// The evaluation of all levels but the strongest is a sum over squares. A square's part depends only on its
// owner, the level of its castle and the lead in influence on it. So the sum is
// updated incrementally as influence spreads, and the five squares that a move
// touches tell its evaluation in advance.
//
// The strongest level adds up small patterns of neighbouring squares instead. Their
// weights were learned from games against itself; make train makes them again. It
// puts moves in order by the other evaluation, whose estimates are cheap.
package ai
