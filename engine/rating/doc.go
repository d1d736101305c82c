// Package rating computes ratings from the results of matches: Glicko-2, and an
// extension of it for matches of three and more players.
//
// It follows Mark Glickman, "Example of the Glicko-2 system"
// (http://www.glicko.net/glicko/glicko2.pdf), called the paper below. Where the
// paper leaves a choice, docs/decisions/0008-ratings.md says what is chosen and
// why: a rating period is one match, deviations grow with the time between two
// matches ([Rating.After]), and a match of n players counts as one match
// ([RateMatch]). It also compares this with the methods of Weng and Lin, and says how
// much less a match counts between two people who meet often.
//
// The package has no clock and no store. The same results in the same order
// give the same ratings.
package rating
