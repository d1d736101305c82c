// Package rating tells how strong players are from the results of their
// matches: Glicko-2, and its companion for tables of three and more.
//
// Everything is by Mark Glickman, "Example of the Glicko-2 system"
// (http://www.glicko.net/glicko/glicko2.pdf), called the paper below. What it
// leaves open is decided here: a rating period is one match, and deviations
// grow with the time between two ([Rating.After]); a table of n counts as one
// match, in which each player meets each other with a weight of 1/(n-1)
// ([Table]). docs/decisions/0008-ratings.md has the reasons.
//
// The package is pure: no clock, no store. The same results in the same order
// give the same ratings.
package rating
