package ai

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/search"
)

// middle is a position in the middle of a game on the largest board.
func middle(t testing.TB, seats int) engine.Position {
	t.Helper()
	var p engine.Position = start(t, 6, seats)
	for range 60 {
		p = apply(t, p, think(t, Engine().FixedDepth(1), p, 1).Actions...)
	}
	return p
}

// BenchmarkSearch is a thought of the top level in the middle of a game, one an
// operation, and how many positions a second its tree and those of alpha-beta
// take in.
func BenchmarkSearch(b *testing.B) {
	for _, seats := range []int{2, 4, 6} {
		p := middle(b, seats)
		for _, c := range []struct {
			name   string
			player search.Player
			limits search.Limits
		}{
			{"master", Engine().Strongest().Player, search.Limits{}},
			{"alpha-beta", AlphaBeta{}, search.Limits{Nodes: 200_000}},
		} {
			b.Run(fmt.Sprintf("%s/seats=%d", c.name, seats), func(b *testing.B) {
				nodes := int64(0)
				for b.Loop() {
					thought, err := c.player.Think(b.Context(), p, c.limits)
					if err != nil {
						b.Fatal(err)
					}
					nodes += thought.Nodes
				}
				b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
			})
		}
	}
}

// BenchmarkPlayout plays random games to the end, one an operation, and says
// how many times as many that is as by the positions of the rules.
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

// BenchmarkCancel is how long a thought without limits goes on after its
// context has ended.
func BenchmarkCancel(b *testing.B) {
	for _, seats := range []int{2, 6} {
		for name, player := range map[string]search.Player{"tree": TreeSearch{}, "alpha-beta": AlphaBeta{}} {
			b.Run(fmt.Sprintf("%s/seats=%d", name, seats), func(b *testing.B) {
				p := middle(b, seats)
				worst, sum := time.Duration(0), time.Duration(0)
				for b.Loop() {
					ctx, cancel := context.WithCancel(context.Background())
					ended := make(chan time.Time, 1)
					time.AfterFunc(30*time.Millisecond, func() {
						ended <- time.Now()
						cancel()
					})
					if _, err := player.Think(ctx, p, search.Limits{}); err != nil {
						b.Fatal(err)
					}
					late := time.Since(<-ended)
					sum, worst = sum+late, max(worst, late)
				}
				b.ReportMetric(sum.Seconds()*1000/float64(b.N), "ms-late")
				b.ReportMetric(worst.Seconds()*1000, "ms-worst")
			})
		}
	}
}
