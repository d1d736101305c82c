//go:build race

package imaging_test

// sampled says that a sample of the pictures will do: under the race detector
// each takes ten times as long, and one goroutine draws them.
const sampled = true
