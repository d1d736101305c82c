package games

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/search"
)

func TestGames(t *testing.T) {
	_, err := Registry()
	if err != nil {
		t.Fatal(err)
	}
	_, err = Renderer()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range All {
		if g.Rules.Key() != g.Painter.Key() {
			t.Errorf("%s is drawn by the painter of %s", g.Rules.Key(), g.Painter.Key())
		}
		if g.Engine.Game != g.Rules {
			t.Errorf("%s is played by a player of %v", g.Rules.Key(), g.Engine.Game)
		}
	}
	if !slices.Contains(Keys(), "trails") {
		t.Errorf("games %v", Keys())
	}
}

// The rating of a level is its place on the measured ladder: from each level to
// the next, the difference in Elo in docs/reference/strength/levels.md.
func TestLevelRatingsFollowTheLadder(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/reference/strength/levels.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range All {
		_, table, found := strings.Cut(string(doc), "<!-- ladder "+g.Rules.Key()+" -->")
		if !found {
			t.Fatalf("docs/reference/strength/levels.md has no ladder of %s", g.Rules.Key())
		}
		table, _, _ = strings.Cut(table, "\n## ")
		levels := g.Engine.Levels
		for i := 1; i < len(levels); i++ {
			row := regexp.MustCompile(`(?m)^\| ` + levels[i].Key + ` – ` + levels[i-1].Key + ` \|.*?% \| [+]?(\d+) `).FindStringSubmatch(table)
			if row == nil {
				t.Fatalf("%s: the ladder has no %s – %s", g.Rules.Key(), levels[i].Key, levels[i-1].Key)
			}
			elo, err := strconv.ParseFloat(row[1], 64)
			if err != nil || math.Abs(levels[i].Rating-levels[i-1].Rating-elo) > 1 {
				t.Errorf("%s: %s is rated %.0f and %s %.0f, measured is a difference of %s",
					g.Rules.Key(), levels[i].Key, levels[i].Rating, levels[i-1].Key, levels[i-1].Rating, row[1])
			}
		}
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

// playedPositions returns the positions of some games for two that a level plays against
// itself, in random order.
func playedPositions(b *testing.B, g engine.Game, ai search.Engine, games int) (all []engine.Position) {
	b.Helper()
	level, ok := ai.Level("casual")
	if !ok {
		b.Fatal("there is no level casual")
	}
	for game := range games {
		p, err := g.New(g.Options().Defaults(), 2)
		if err != nil {
			b.Fatal(err)
		}
		for p.Seat() != engine.Nobody {
			all = append(all, p)
			limits := level.Limits
			limits.Seed = uint64(game<<16 | p.Turns())
			decision, err := level.Player.Think(b.Context(), p, limits)
			if err != nil {
				b.Fatal(err)
			}
			for _, a := range decision.Actions {
				if p, err = p.Apply(a); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// Every game has a level in each range that /help offers, and some game each level.
func TestLevels(t *testing.T) {
	used := map[string]bool{}
	for _, g := range All {
		ranges := map[string]bool{}
		for _, key := range g.Engine.Keys() {
			used[key], ranges[host.Level{Key: key}.Range()] = true, true
		}
		if len(ranges) != len(host.Ranges()) {
			t.Errorf("%s has levels only in the ranges %v", g.Rules.Key(), ranges)
		}
	}
	for _, key := range search.LevelKeys {
		if !used[key] {
			t.Errorf("no game has the level %s", key)
		}
	}
}

// The same players think about a thousand positions concurrently.
func TestConcurrentSearches(t *testing.T) {
	for _, g := range All {
		t.Run(g.Rules.Key(), func(t *testing.T) {
			todo := make(chan engine.Position)
			var done sync.WaitGroup
			for range 4 {
				done.Go(func() {
					for p := range todo {
						level := g.Engine.Levels[p.Hash()%uint64(len(g.Engine.Levels))]
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
			for _, p := range positionsOf(t, g.Rules, 250) {
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
	for _, g := range All {
		p := positionsOf(t, g.Rules, 3)[2]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := g.Engine.Strongest().Player.Think(t.Context(), p, search.Limits{Nodes: 5000, Memory: memory}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > memory+aside {
			t.Errorf("%s: %d bytes in all, and %d may be tables", g.Rules.Key(), got, memory)
		}
	}
}

// BenchmarkLevels measures what a turn of each level costs, with two seats on the
// standard board: the mean time, the most memory that a turn allocates when no
// buffers are left from turns before, and the memory still reachable once it has
// ended and buffers have been dropped. The positions are those of games that the level
// casual plays against itself, in random order.
func BenchmarkLevels(b *testing.B) {
	const mega = 1 << 20
	heap := func() runtime.MemStats {
		runtime.GC()
		runtime.GC() // drops the buffers kept for reuse, which the first only marks
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m
	}
	for _, g := range All {
		positions := playedPositions(b, g.Rules, g.Engine, 4)
		for _, level := range g.Engine.Levels {
			b.Run(g.Rules.Key()+"/"+level.Key, func(b *testing.B) {
				var took time.Duration
				var nodes int64
				most, first := 0.0, heap()
				for i := 0; b.Loop(); i++ {
					before, limits := heap(), level.Limits
					limits.Seed = uint64(i)
					begin := time.Now()
					d, err := level.Player.Think(b.Context(), positions[i%len(positions)], limits)
					if err != nil {
						b.Fatal(err)
					}
					took += time.Since(begin)
					nodes += d.Nodes
					var after runtime.MemStats
					runtime.ReadMemStats(&after)
					most = max(most, float64(after.TotalAlloc-before.TotalAlloc)/mega)
				}
				kept := (float64(heap().HeapAlloc) - float64(first.HeapAlloc)) / mega
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes/turn")
				b.ReportMetric(took.Seconds()*1000/float64(b.N), "ms/turn")
				b.ReportMetric(most, "MB-most")
				b.ReportMetric(max(kept, 0), "MB-kept")
			})
		}
	}
}

// BenchmarkCancel measures how long the strongest players run on after
// cancellation, in ms.
func BenchmarkCancel(b *testing.B) {
	for _, g := range All {
		b.Run(g.Rules.Key(), func(b *testing.B) {
			positions := positionsOf(b, g.Rules, 50)
			most, sum := 0.0, 0.0
			for i := 0; b.Loop(); i++ {
				ctx, cancel := context.WithCancel(b.Context())
				var cancelled time.Time
				timer := time.AfterFunc(time.Duration(1+i%20)*time.Millisecond, func() {
					cancelled = time.Now()
					cancel()
				})
				if _, err := g.Engine.Strongest().Player.Think(ctx, positions[i%len(positions)], search.Limits{}); err != nil {
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
