// Package arena matches computer players and says how sure it is of who is
// stronger.
//
// A contest is between two players, or of a line-up of as many as there are
// seats. It is played in sets: an opening of random turns is drawn, and played
// once in every seating of the contest, so that luck with the opening and with
// the seat cancels out. The sets are what is counted, for only they are
// independent of each other.
//
// The same [Terms] give the same games, in whatever order and on however many
// threads they are played, as long as no player is bounded by time. So a run
// that was ended early can be taken up from the games that it has left.
//
// Everything that knows the time or other programs comes in as an argument.
package arena
