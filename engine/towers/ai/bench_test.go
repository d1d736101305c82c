package ai

import (
	"math/rand/v2"
	"testing"
	"time"

	"castellan/engine/search"
)

// BenchmarkSearch searches the first position with a tenth of the strongest
// level's nodes.
func BenchmarkSearch(b *testing.B) {
	for _, options := range []string{"size=5", "size=7", "size=10"} {
		b.Run(options, func(b *testing.B) {
			p, top := start(b, options), Engine().Strongest()
			nodes := int64(0)
			for b.Loop() {
				decision, err := top.Player.Think(b.Context(), p, search.Limits{Nodes: top.Limits.Nodes / 10})
				if err != nil {
					b.Fatal(err)
				}
				nodes += decision.Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

// BenchmarkPlayout measures playouts on the default board and compares them
// with playouts by the rules.
func BenchmarkPlayout(b *testing.B) {
	s, err := newState(start(b, "size=5"))
	if err != nil {
		b.Fatal(err)
	}
	random, values := rand.NewPCG(1, 1), make([]float64, 2)
	slow := search.NewPositionState(start(b, "size=5"), 2)
	begin, games := time.Now(), 0
	for ; time.Since(begin) < 100*time.Millisecond; games++ {
		slow.Playout(random, values)
	}
	plain := float64(games) / time.Since(begin).Seconds()
	b.ReportAllocs()
	for b.Loop() {
		s.Playout(random, values)
	}
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "playouts/s")
	b.ReportMetric(rate/plain, "x-positions")
}
