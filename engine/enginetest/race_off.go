//go:build !race

package enginetest

// Race says that the race detector runs.
const RaceEnabled = false
