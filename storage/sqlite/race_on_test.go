//go:build race

package sqlite_test

// raceEnabled says that everything takes several times as long, so that the
// long tests do fewer rounds.
const raceEnabled = true
