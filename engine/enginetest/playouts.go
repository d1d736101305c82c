package enginetest

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// Random is Marsaglia's 64-bit xorshift generator with shifts 13, 7 and 17,
// cheap enough that a benchmark measures the rules. It must not be 0.
type Random uint64

func (x *Random) IntN(n int) int {
	v := *x
	v ^= v << 13
	v ^= v >> 7
	v ^= v << 17
	*x = v
	return int(uint64(v) >> 32 * uint64(n) >> 32)
}

// Playout plays a random game from start to end and returns its number of
// actions.
type Playout func(*Random) (actions int)

// Playouts benchmarks playouts: those of the fast implementations of a game's
// rules, each with its actions per second and its speed as a multiple of the
// plain implementation's, and the plain one.
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
		b.Run(name, run(fast[name], func(b *testing.B, rate float64) { b.ReportMetric(rate/actionsPerSecond(plain), "x-plain") }))
	}
	b.Run("plain", run(plain, func(*testing.B, float64) {}))
}

func actionsPerSecond(playout Playout) float64 {
	random, actions, begin := Random(1), 0, time.Now()
	for time.Since(begin) < 200*time.Millisecond {
		actions += playout(&random)
	}
	return float64(actions) / time.Since(begin).Seconds()
}
