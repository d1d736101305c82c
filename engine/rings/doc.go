// Package rings is the game Rings: two to six players place stones on the
// points of a hexagonal board of interlocking circles, convert the stones of
// others where their influence is larger than all the rest together, and close
// rings whose stones are safe for ever. Whoever has the majority on most
// circles when everybody has passed wins.
//
// [Game] and [Position] are the game as the host, the pictures and people see
// it: values that never change. Inside a Position is a [State], a mutable board
// with make and unmake for computer players; only packages below castellan/engine
// use it.
//
// A point is named by column and row, M11; columns are letters from the left,
// rows are numbers from the top. Full circles are numbered from 1 by the row of
// their centre from the top, then from the left. Each point lies on three
// circles, one to three of them full; the partial ones around the edge count
// for nothing, and the package does not know them.
package rings
