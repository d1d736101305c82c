package ai

import (
	"math/rand/v2"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
)

// middle returns positions from the middle of games between beginners.
func middle(t testing.TB) (all []engine.Position) {
	t.Helper()
	for seed := range uint64(4) {
		p := playRandomly(t, start(t, ""), 4, rand.New(rand.NewPCG(seed, 1)))
		for range 4 + 4*seed {
			p = apply(t, p, searchtest.Think(t, Engine().Greedy, p, search.Limits{Seed: seed}).Actions[0])
		}
		all = append(all, p)
	}
	return all
}

// BenchmarkSearch measures turns of the strongest level.
func BenchmarkSearch(b *testing.B) {
	top := Engine().Strongest()
	positions := middle(b)
	nodes, depth, n := int64(0), 0, 0
	b.ReportAllocs()
	for b.Loop() {
		decision := searchtest.Think(b, top.Player, positions[n%len(positions)], top.Limits)
		nodes += decision.Nodes
		depth += decision.Depth
		n++
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	b.ReportMetric(float64(depth)/float64(n), "depth")
}

// BenchmarkPlayout measures playouts and compares them with playouts by the
// rules.
func BenchmarkPlayout(b *testing.B) {
	p := start(b, "")
	s, random, values := stateOf(b, p), rand.NewPCG(1, 2), make([]float64, 2)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		s.Playout(random, values)
		n++
	}
	rate := float64(n) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "playouts/s")
	plain, begin := search.NewPositionState(p, 2), time.Now()
	for n = 0; time.Since(begin) < 100*time.Millisecond; n++ {
		plain.Playout(random, values)
	}
	b.ReportMetric(rate/(float64(n)/time.Since(begin).Seconds()), "x-positions")
}
