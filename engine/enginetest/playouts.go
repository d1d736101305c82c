package enginetest

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// Random is Marsaglia's 64-bit generator with shifts 13, 7 and 17, the cheapest
// that serves: what is compared with each other draws from it alike and so
// differs in the rules alone. It must not be 0.
type Random uint64

// Below is a number from 0 to n-1.
func (x *Random) IntN(n int) int {
	v := *x
	v ^= v << 13
	v ^= v >> 7
	v ^= v << 17
	*x = v
	return int(uint64(v) >> 32 * uint64(n) >> 32)
}

// Playout plays a random game from the start to the end and returns how many
// actions that were.
type Playout func(*Random) (actions int)

// Playouts benchmarks playouts, a game an operation: those by the rules that
// are made to be fast, each with its actions a second and how many times as many
// that is as by the plain rules, and those themselves.
func Playouts(b *testing.B, plain Playout, fast map[string]Playout) {
	run := func(playout Playout, report func(*testing.B, float64)) func(*testing.B) {
		return func(b *testing.B) {
			random, actions := Random(1), 0
			b.ReportAllocs()
			for b.Loop() {
				actions += playout(&random)
			}
			rate := float64(actions) / b.Elapsed().Seconds()
			b.ReportMetric(rate, "actions/s")
			report(b, rate)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fast)) {
		b.Run(name, run(fast[name], func(b *testing.B, rate float64) { b.ReportMetric(rate/pace(plain), "x-plain") }))
	}
	b.Run("plain", run(plain, func(*testing.B, float64) {}))
}

// pace is the actions a second of a playout, measured for a moment.
func pace(playout Playout) float64 {
	random, actions, begin := Random(1), 0, time.Now()
	for time.Since(begin) < 200*time.Millisecond {
		actions += playout(&random)
	}
	return float64(actions) / time.Since(begin).Seconds()
}
