package main

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
)

// All engines keep the contract.
func TestEnginesConform(t *testing.T) {
	for _, g := range games {
		t.Run(g.rules.Key(), func(t *testing.T) {
			searchtest.Suite{Games: 1, Actions: 60, Decisions: 1, Nodes: 50}.Run(t, g.engine)
		})
	}
}

// positionsOf returns positions of random games with default options.
func positionsOf(t testing.TB, g engine.Game, n int) (all []engine.Position) {
	t.Helper()
	least, most := g.Seats()
	for game := 0; len(all) < n; game++ {
		p, err := g.New(g.Options().Defaults(), least+game%(most-least+1))
		if err != nil {
			t.Fatal(err)
		}
		for step := 0; p.Seat() != engine.Nobody && len(all) < n; step++ {
			if step%5 == 0 {
				all = append(all, p)
			}
			decision, err := search.Random{}.Think(t.Context(), p, search.Limits{Seed: uint64(game<<16 | step)})
			if err != nil {
				t.Fatal(err)
			}
			if p, err = p.Apply(decision.Actions[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// Every game has the default level of challenges.
func TestDefaultLevelExists(t *testing.T) {
	for _, g := range games {
		if _, ok := g.engine.Level(host.DefaultLevel); !ok {
			t.Errorf("%s has no level %s: %v", g.rules.Key(), host.DefaultLevel, g.engine.Keys())
		}
	}
}

// The same players think about a thousand positions concurrently.
func TestConcurrentSearches(t *testing.T) {
	for _, g := range games {
		t.Run(g.rules.Key(), func(t *testing.T) {
			todo := make(chan engine.Position)
			var done sync.WaitGroup
			for range 4 {
				done.Go(func() {
					for p := range todo {
						level := g.engine.Levels[p.Hash()%uint64(len(g.engine.Levels))]
						decision, err := level.Player.Think(t.Context(), p, search.Limits{Nodes: 20, Depth: 1, Memory: 1 << 16, Seed: p.Hash()})
						if err == nil {
							_, err = p.Apply(decision.Actions[0])
						}
						if err != nil {
							t.Errorf("%s: %v", level.Key, err)
						}
					}
				})
			}
			for _, p := range positionsOf(t, g.rules, 250) {
				todo <- p
			}
			close(todo)
			done.Wait()
		})
	}
}

// The strongest players stay within their memory, apart from what is not a
// table.
func TestMemoryLimit(t *testing.T) {
	const memory, aside = 8 << 20, 4 << 20
	for _, g := range games {
		p := positionsOf(t, g.rules, 3)[2]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := g.engine.Strongest().Player.Think(t.Context(), p, search.Limits{Nodes: 5000, Memory: memory}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > memory+aside {
			t.Errorf("%s: %d bytes in all, and %d may be tables", g.rules.Key(), got, memory)
		}
	}
}

// BenchmarkCancel measures how long the strongest players run on after
// cancellation, in ms.
func BenchmarkCancel(b *testing.B) {
	for _, g := range games {
		b.Run(g.rules.Key(), func(b *testing.B) {
			positions := positionsOf(b, g.rules, 50)
			most, sum := 0.0, 0.0
			for i := 0; b.Loop(); i++ {
				ctx, cancel := context.WithCancel(b.Context())
				var cancelled time.Time
				timer := time.AfterFunc(time.Duration(1+i%20)*time.Millisecond, func() {
					cancelled = time.Now()
					cancel()
				})
				if _, err := g.engine.Strongest().Player.Think(ctx, positions[i%len(positions)], search.Limits{}); err != nil {
					b.Fatal(err)
				}
				ended := time.Now()
				if !timer.Stop() {
					<-ctx.Done()
					took := max(ended.Sub(cancelled), 0).Seconds() * 1000
					most, sum = max(most, took), sum+took
				}
				cancel()
			}
			b.ReportMetric(most, "ms-most")
			b.ReportMetric(sum/float64(b.N), "ms-mean")
		})
	}
}
