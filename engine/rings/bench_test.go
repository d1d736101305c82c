package rings_test

import (
	"testing"
	"time"

	"castellan/engine/rings"
)

// fastPlayout plays random legal actions to the end and counts them.
func fastPlayout(s *rings.State, random *xorshift) (actions int) {
	for {
		n := s.Len()
		if n == 0 {
			return actions
		}
		s.Make(s.At(random.below(n)))
		actions++
	}
}

// plainPlayout is the same by the plain rules; it stops after most actions.
func plainPlayout(p *plain, random *xorshift, most int) (actions int) {
	for !p.over && actions < most {
		legal := p.legal()
		p.play(legal[random.below(len(legal))])
		actions++
	}
	return actions
}

// BenchmarkPlayout plays whole random games of two seats from the start of the
// default board, one an operation.
func BenchmarkPlayout(b *testing.B) {
	b.Run("fast", func(b *testing.B) {
		start := start(b, 6, 2).State()
		random, actions := xorshift(1), 0
		b.ReportAllocs()
		for b.Loop() {
			s := start
			actions += fastPlayout(&s, &random)
		}
		rate := float64(actions) / b.Elapsed().Seconds()
		b.ReportMetric(rate, "actions/s")
		b.ReportMetric(rate/plainRate(), "x-plain")
	})
	b.Run("plain", func(b *testing.B) {
		random, actions := xorshift(1), 0
		b.ReportAllocs()
		for b.Loop() {
			actions += plainPlayout(newPlain(6, 2), &random, 1<<30)
		}
		b.ReportMetric(float64(actions)/b.Elapsed().Seconds(), "actions/s")
	})
}

// plainRate is the actions a second of the plain rules, measured for a moment.
func plainRate() float64 {
	random, actions := xorshift(1), 0
	begin := time.Now()
	for time.Since(begin) < 300*time.Millisecond {
		actions += plainPlayout(newPlain(6, 2), &random, 100)
	}
	return float64(actions) / time.Since(begin).Seconds()
}

// Playing allocates nothing.
func TestPlayoutsDoNotAllocate(t *testing.T) {
	start, random := start(t, 6, 6).State(), xorshift(1)
	var undo [4096]rings.Undo
	if n := testing.AllocsPerRun(20, func() {
		s, made := start, 0
		for s.Len() > 0 && made < len(undo) {
			undo[made] = s.Make(s.At(random.below(s.Len())))
			made++
		}
		for made > 0 {
			made--
			s.Unmake(undo[made])
		}
	}); n != 0 {
		t.Errorf("%v allocations a game", n)
	}
}
