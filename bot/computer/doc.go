// Package computer schedules the computer players: which match or hint is
// computed next, how many at a time, and what happens if one fails.
//
// Matches that wait for a computer are found in the store: at the start, at
// every run of the reconciler, and whenever an interaction has been answered.
// Only what is in progress and what has failed is kept in memory.
package computer
