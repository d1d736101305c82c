package ai

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/search"
)

// middle is positions from the middle of games that beginners play.
func middle(t testing.TB) (all []engine.Position) {
	t.Helper()
	for seed := range uint64(4) {
		p := wander(t, begin(t, ""), 4, rand.New(rand.NewPCG(seed, 1)))
		for range 4 + 4*seed {
			thought, err := Engine().Greedy.Think(context.Background(), p, search.Limits{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			p = played(t, p, thought.Actions[0])
		}
		all = append(all, p)
	}
	return all
}

// BenchmarkSearch is the top level at work, a turn an operation.
func BenchmarkSearch(b *testing.B) {
	top := Engine().Strongest()
	positions := middle(b)
	nodes, depth, n := int64(0), 0, 0
	b.ReportAllocs()
	for b.Loop() {
		thought, err := top.Player.Think(b.Context(), positions[n%len(positions)], top.Limits)
		if err != nil {
			b.Fatal(err)
		}
		nodes += thought.Nodes
		depth += thought.Depth
		n++
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	b.ReportMetric(float64(depth)/float64(n), "depth")
}

// BenchmarkPlayout plays games out at random from the start, and says how often
// faster that is than by positions.
func BenchmarkPlayout(b *testing.B) {
	p := begin(b, "")
	s, random, values := walked(b, p), rand.NewPCG(1, 2), make([]float64, 2)
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

// BenchmarkCancel is how long the top level goes on after its context has ended.
func BenchmarkCancel(b *testing.B) {
	top := Engine().Strongest()
	positions := middle(b)
	var late, worst time.Duration
	n := 0
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		var ended time.Time
		limits := search.Limits{Info: func(t search.Decision) {
			if t.Depth == 6 {
				ended = time.Now()
				cancel()
			}
		}}
		if _, err := top.Player.Think(ctx, positions[n%len(positions)], limits); err != nil {
			b.Fatal(err)
		}
		late += time.Since(ended)
		worst = max(worst, time.Since(ended))
		n++
	}
	b.ReportMetric(late.Seconds()*1000/float64(n), "late-ms")
	b.ReportMetric(worst.Seconds()*1000, "worst-ms")
}
