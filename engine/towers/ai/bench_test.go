package ai

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"castellan/engine/search"
)

// BenchmarkSearch has the top level think about the start with a tenth of its
// nodes.
func BenchmarkSearch(b *testing.B) {
	for _, options := range []string{"size=5", "size=7", "size=10"} {
		b.Run(options, func(b *testing.B) {
			p, top := start(b, options), Engine().Strongest()
			nodes := int64(0)
			for b.Loop() {
				thought, err := top.Player.Think(b.Context(), p, search.Limits{Nodes: top.Limits.Nodes / 10})
				if err != nil {
					b.Fatal(err)
				}
				nodes += thought.Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

// BenchmarkPlayout plays games at random from the start of the default board,
// and compares the rate with that of the rules' own positions.
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

// BenchmarkCancel measures how long a thought goes on after its context has
// ended, at worst.
func BenchmarkCancel(b *testing.B) {
	p, top := start(b, "size=10"), Engine().Strongest().Player
	var worst time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan time.Time, 1)
		told := 0
		_, err := top.Think(ctx, p, search.Limits{Info: func(search.Decision) {
			if told++; told == 2 {
				time.AfterFunc(time.Millisecond, func() {
					ended <- time.Now()
					cancel()
				})
			}
		}})
		if err != nil {
			b.Fatal(err)
		}
		worst = max(worst, time.Since(<-ended))
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms-worst")
}
