// Package search has what all computer players share: the contract of a player,
// the levels that people choose from, alpha-beta and Monte-Carlo tree search.
// Each game adds its evaluation and its levels in its own package ai.
//
// A search does no I/O and reads no clock. It is bounded by nodes and by its
// context. The same position, limits and seed give the same turn unless the
// context ends first.
package search
