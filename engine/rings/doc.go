// Package rings implements the game Rings. Two to six players place stones on
// the points of a hexagonal board of interlocking circles, convert stones of
// others on circles where their influence exceeds that of all others together,
// and close rings, whose stones are safe for ever. When all players have
// passed, the player with the majority on most circles wins.
//
// [Game] and [Position] are immutable. A Position wraps a [State], a mutable
// board for computer players, who keep a copy to take moves back; only packages
// below castellan/engine use it.
//
// A point is named by column and row: M11. Columns are letters from the left,
// rows are numbers from the top. Full circles are numbered from 1 by the row of
// their centre from the top, then from the left. Each point lies on three
// circles, one to three of them full. The partial circles around the edge have
// no effect, and the package does not model them.
package rings
