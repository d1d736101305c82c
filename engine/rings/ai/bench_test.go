package ai

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
)

// middle returns a position in the middle of a game on the largest board.
func middle(t testing.TB, seats int) engine.Position {
	t.Helper()
	var p engine.Position = start(t, 6, seats)
	for range 60 {
		p = apply(t, p, think(t, Engine().FixedDepth(1), p, 1).Actions...)
	}
	return p
}

// BenchmarkSearch measures a turn of the strongest level in the middle of a
// game, and the nodes per second of tree search and alpha-beta.
func BenchmarkSearch(b *testing.B) {
	for _, seats := range []int{2, 4, 6} {
		p := middle(b, seats)
		for _, c := range []struct {
			name   string
			player search.Player
			limits search.Limits
		}{
			{"strongest", Engine().Strongest().Player, search.Limits{}},
			{"alpha-beta", AlphaBeta{}, search.Limits{Nodes: 200_000}},
		} {
			b.Run(fmt.Sprintf("%s/seats=%d", c.name, seats), func(b *testing.B) {
				nodes := int64(0)
				for b.Loop() {
					decision := searchtest.Think(b, c.player, p, c.limits)
					nodes += decision.Nodes
				}
				b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
			})
		}
	}
}

// BenchmarkPlayout measures playouts and compares them with playouts by the
// rules.
func BenchmarkPlayout(b *testing.B) {
	p := start(b, 6, 2)
	s, random, values := state(b, p), rand.NewPCG(1, 1), make([]float64, 2)
	slow := search.NewPositionState(p, 2)
	began, games := time.Now(), 0
	for time.Since(began) < 300*time.Millisecond {
		slow.Playout(random, values)
		games++
	}
	plain := float64(games) / time.Since(began).Seconds()
	b.ReportAllocs()
	for b.Loop() {
		s.Playout(random, values)
	}
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "playouts/s")
	b.ReportMetric(rate/plain, "x-positions")
}
