// Package arena plays tournaments between computer players and estimates who is
// stronger, with confidence intervals.
//
// A contest is between two players, or among a line-up of as many as there are
// seats. It is played in sets: a random opening is played once in every seating
// of the contest, so that luck with the opening and the seat cancels out.
// Statistics are over sets, because the games of a set depend on each other.
//
// The same [Terms] give the same games in any order and on any number of
// threads, unless a player is limited by time. A stopped run can therefore be
// resumed with the games that are left.
package arena
