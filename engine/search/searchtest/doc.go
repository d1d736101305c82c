// Package searchtest is the conformance suite for computer players. [Run]
// checks an engine's states against the rules and its players against the
// contract of [search.Player].
//
// Only tests import it.
package searchtest
