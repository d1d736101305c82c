package stonetowers_test

import (
	"testing"
	"time"

	"castellan/engine/stonetowers"
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

// draft is a legal move, each with the same chance, while the game goes on.
func draft(s *stonetowers.State, random *xorshift) stonetowers.Move {
	for range 32 {
		if m, ok := s.Try(random.below(s.Size())); ok {
			return m
		}
	}
	moves := s.Moves()
	return moves.At(random.below(moves.Len()))
}

// fastPlayout plays random legal actions to the end and counts them.
func fastPlayout(s stonetowers.State, random *xorshift) (actions int, owned [2]int) {
	for !s.Over() {
		s.Play(draft(&s, random))
		actions++
	}
	return actions, s.Squares()
}

// listedPlayout is the same with the complete set of legal actions each time.
func listedPlayout(s stonetowers.State, random *xorshift) (actions int, owned [2]int) {
	for {
		moves := s.Moves()
		if moves.Len() == 0 {
			return actions, s.Squares()
		}
		s.Play(moves.At(random.below(moves.Len())))
		actions++
	}
}

// plainPlayout is the same by the plain rules, from the start.
func plainPlayout(random *xorshift) (actions int, owned [2]int) {
	p := newPlain(8, 8, 20)
	for !p.over() {
		legal := p.legal()
		p.play(legal[random.below(len(legal))])
		actions++
	}
	return actions, [2]int{p.score(1), p.score(2)}
}

// BenchmarkPlayout plays whole random games from the start of the default
// board, one an operation.
func BenchmarkPlayout(b *testing.B) {
	start := position(b, "").State()
	for _, c := range []struct {
		name    string
		playout func(stonetowers.State, *xorshift) (int, [2]int)
	}{{"fast", fastPlayout}, {"listed", listedPlayout}} {
		b.Run(c.name, func(b *testing.B) {
			random, actions := xorshift(1), 0
			b.ReportAllocs()
			for b.Loop() {
				n, _ := c.playout(start, &random)
				actions += n
			}
			rate := float64(actions) / b.Elapsed().Seconds()
			b.ReportMetric(rate, "actions/s")
			b.ReportMetric(rate/plainRate(), "x-plain")
		})
	}
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
