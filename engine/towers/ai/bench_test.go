package ai

import (
	"testing"

	"castellan/engine/search"
	"castellan/engine/search/searchtest"
)

// BenchmarkSearch searches the first position with a tenth of the strongest
// level's nodes.
func BenchmarkSearch(b *testing.B) {
	for _, options := range []string{"size=5", "size=7", "size=10"} {
		b.Run(options, func(b *testing.B) {
			p, top := start(b, options), Engine().Strongest()
			nodes := int64(0)
			for b.Loop() {
				decision := searchtest.Think(b, top.Player, p, search.Limits{Nodes: top.Limits.Nodes / 10})
				nodes += decision.Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
