package ai

import (
	"math/rand/v2"
	"testing"
	"time"

	"castellan/engine/search"
)

// BenchmarkSearch measures a turn of the strongest level on the default board,
// some moves from the start.
func BenchmarkSearch(b *testing.B) {
	top := Engine().Strongest()
	var nodes int64
	seed := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		seed++
		p := randomPosition(b, "", 6, rand.New(rand.NewPCG(seed, 11)))
		limits := top.Limits
		limits.Seed = seed
		nodes += think(b, top.Player, p, limits).Nodes
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}

// BenchmarkPlayout measures playouts on the default board.
func BenchmarkPlayout(b *testing.B) {
	p := position(b, "")
	s, slow := stateOf(b, p), search.NewPositionState(p, 2)
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
