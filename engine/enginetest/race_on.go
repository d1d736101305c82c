//go:build race

package enginetest

// RaceEnabled reports whether the race detector is on. It makes everything
// about ten times as slow, so tests then repeat less of what a single goroutine
// does.
const RaceEnabled = true
