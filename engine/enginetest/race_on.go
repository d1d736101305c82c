//go:build race

package enginetest

// Race says that the race detector runs, under which everything takes ten times
// as long: what one goroutine does a thousand times is then done less often.
const Race = true
