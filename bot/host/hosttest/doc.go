// Package hosttest is a kit for tests that need matches: a host on a store in
// memory with two games, a clock that the test sets, and people who challenge
// each other and move.
package hosttest
