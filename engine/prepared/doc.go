// Package prepared contains conditional turns: "if they play b2, I play c3; if
// they then play d4, I play e5". They form a [Tree], whose present state follows
// from the turns of the match, so that nothing has to be stored when a turn is
// played or taken back. An [Variation] says which turns can be prepared.
package prepared
