// Package ai plays Trails and Towers: the search state, an evaluation by who
// reaches which squares first, the levels, a solver, and an opening book of
// solved boards.
package ai
