package towers_test

import (
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/towers"
)

// xorshift is Marsaglia's 64-bit generator with shifts 13, 7, 17, the cheapest
// that serves: both playouts use it, so that they differ in the rules alone.
type xorshift uint64

// below is a number from 0 to n-1.
func (x *xorshift) below(n int) int {
	v := *x
	v ^= v << 13
	v ^= v >> 7
	v ^= v << 17
	*x = v
	return int(uint64(v) >> 32 * uint64(n) >> 32)
}

// fastPlayout plays random legal actions, each chosen from the complete list,
// to the end and counts them. The list is kept in buffer.
func fastPlayout(s towers.State, buffer []towers.Action, random *xorshift) (actions int, winner engine.Seat) {
	for {
		legal := s.AppendLegal(buffer[:0])
		if len(legal) == 0 {
			winner, _ = s.Outcome()
			return actions, winner
		}
		s.Play(legal[random.below(len(legal))])
		actions++
	}
}

// plainPlayout is the same by the plain rules, from the start.
func plainPlayout(random *xorshift) (actions, winner int) {
	p := newPlain(5)
	for !p.over {
		legal := p.legal()
		p.play(legal[random.below(len(legal))])
		actions++
	}
	return actions, p.winner
}

// BenchmarkPlayout plays whole random games from the start of the default
// board, one an operation, with the complete list of legal actions at each
// step.
func BenchmarkPlayout(b *testing.B) {
	b.Run("fast", func(b *testing.B) {
		start := position(b, "").State()
		buffer := make([]towers.Action, 0, 256)
		random, actions := xorshift(1), 0
		b.ReportAllocs()
		for b.Loop() {
			n, _ := fastPlayout(start, buffer, &random)
			actions += n
		}
		rate := float64(actions) / b.Elapsed().Seconds()
		b.ReportMetric(rate, "actions/s")
		b.ReportMetric(rate/plainRate(), "x-plain")
	})
	b.Run("plain", func(b *testing.B) {
		random, actions := xorshift(1), 0
		b.ReportAllocs()
		for b.Loop() {
			n, _ := plainPlayout(&random)
			actions += n
		}
		b.ReportMetric(float64(actions)/b.Elapsed().Seconds(), "actions/s")
	})
}

// plainRate is the actions a second of the plain rules, measured for a moment.
func plainRate() float64 {
	random, actions := xorshift(1), 0
	begin := time.Now()
	for time.Since(begin) < 100*time.Millisecond {
		n, _ := plainPlayout(&random)
		actions += n
	}
	return float64(actions) / time.Since(begin).Seconds()
}
