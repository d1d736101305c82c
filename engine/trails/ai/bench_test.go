package ai

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"castellan/engine/search"
)

// BenchmarkSearch is a turn of the top level on the default board, some moves
// from the start.
func BenchmarkSearch(b *testing.B) {
	top := Engine().Strongest()
	var nodes int64
	seed := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		seed++
		p := later(b, "", 6, rand.New(rand.NewPCG(seed, 11)))
		limits := top.Limits
		limits.Seed = seed
		nodes += think(b, top.Player, p, limits).Nodes
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}

// BenchmarkPlayout plays random games from the start of the default board.
func BenchmarkPlayout(b *testing.B) {
	p := position(b, "")
	s, slow := of(b, p), search.NewPositionState(p, 2)
	random, values := rand.NewPCG(1, 1), make([]float64, 2)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		s.Playout(random, values)
		n++
	}
	rate := float64(n) / b.Elapsed().Seconds()
	begin, plain := time.Now(), 0
	for ; plain < 200; plain++ {
		slow.Playout(random, values)
	}
	b.ReportMetric(rate, "playouts/s")
	b.ReportMetric(rate*time.Since(begin).Seconds()/float64(plain), "x-plain")
}

// BenchmarkCancel interrupts a thought without limits on the largest board and
// measures how long it takes to return.
func BenchmarkCancel(b *testing.B) {
	p := later(b, "size=21 towers=9", 6, rand.New(rand.NewPCG(1, 1)))
	var sum, worst time.Duration
	n := 0
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		called := make(chan time.Time, 1)
		time.AfterFunc(30*time.Millisecond, func() {
			called <- time.Now()
			cancel()
		})
		if _, err := Engine().Strongest().Player.Think(ctx, p, search.Limits{}); err != nil {
			b.Fatal(err)
		}
		took := time.Since(<-called)
		sum, worst, n = sum+took, max(worst, took), n+1
	}
	b.ReportMetric(sum.Seconds()*1000/float64(n), "ms")
	b.ReportMetric(worst.Seconds()*1000, "ms-worst")
}
