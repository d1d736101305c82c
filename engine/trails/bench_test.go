package trails_test

import (
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/trails"
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

// fastPlayout plays random legal moves to the end and counts them.
func fastPlayout(s trails.State, random *xorshift) (moves int, winner engine.Seat) {
	for {
		legal := s.Moves()
		if legal == 0 {
			winner, _ = s.Outcome()
			return moves, winner
		}
		s.Play(legal.Pick(random.below(12)))
		moves++
	}
}

// plainPlayout is the same by the plain rules, from the start.
func plainPlayout(random *xorshift) (moves, winner int) {
	p := newPlain(11, 3, 1)
	for !p.over {
		legal := p.legal()
		p.play(legal[random.below(len(legal))])
		moves++
	}
	return moves, p.winner
}

// BenchmarkPlayout plays whole random games from the start of the default
// board, one an operation.
func BenchmarkPlayout(b *testing.B) {
	b.Run("fast", func(b *testing.B) {
		start := position(b, "").State()
		random, moves := xorshift(1), 0
		b.ReportAllocs()
		for b.Loop() {
			n, _ := fastPlayout(start, &random)
			moves += n
		}
		rate := float64(moves) / b.Elapsed().Seconds()
		b.ReportMetric(rate, "moves/s")
		b.ReportMetric(rate, "actions/s") // the same: as the other games call it
		b.ReportMetric(rate/plainRate(), "x-plain")
	})
	b.Run("plain", func(b *testing.B) {
		random, moves := xorshift(1), 0
		b.ReportAllocs()
		for b.Loop() {
			n, _ := plainPlayout(&random)
			moves += n
		}
		b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "moves/s")
		b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "actions/s")
	})
}

// plainRate is the moves a second of the plain rules, measured for a moment.
func plainRate() float64 {
	random, moves := xorshift(1), 0
	begin := time.Now()
	for time.Since(begin) < 100*time.Millisecond {
		n, _ := plainPlayout(&random)
		moves += n
	}
	return float64(moves) / time.Since(begin).Seconds()
}
