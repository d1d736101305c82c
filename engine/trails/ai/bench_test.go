package ai

import (
	"castellan/engine/search/searchtest"
	"math/rand/v2"
	"testing"
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
		nodes += searchtest.Think(b, top.Player, p, limits).Nodes
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}
