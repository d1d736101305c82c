// Package searchtest is what the tests of all computer players share: the
// conformance suite that every brain passes ([Run]), which holds its states
// against the rules and its players against the contract of [search.Player].
//
// Only tests import it.
package searchtest
