//go:build race

package storagetest

// raceEnabled says that the race detector runs, under which SQLite is about a
// hundred times slower.
const raceEnabled = true
