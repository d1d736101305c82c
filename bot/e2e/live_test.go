package e2e_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot"
	"castellan/bot/host"
	"castellan/bot/publish"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/engine"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// BenchmarkLiveClocks runs a thousand matches at once on live clocks, each in a channel of its
// own, in real time: in two hundred of them the time of the first player runs out within one
// minute. It reports how long after that the result is posted, how that compares with the time
// between the reconciler's ticks, and which part of Discord's global limit the requests of
// that minute take.
//
//	CASTELLAN_FULL=1 go test ./bot/e2e -run '^$' -bench LiveClocks -benchtime 1x
func BenchmarkLiveClocks(b *testing.B) {
	if os.Getenv("CASTELLAN_FULL") == "" {
		b.Skip("it takes more than a minute of real time: set CASTELLAN_FULL=1")
	}
	const matches, losing, before, spread = 1000, 200, time.Minute, time.Minute
	for b.Loop() {
		all := sandbox.DefaultWorld()
		for i := range matches {
			all.Channels = append(all.Channels, sandbox.Channel{ID: fmt.Sprint(1160000000000000000 + i), Name: fmt.Sprint("table-", i)})
		}
		games, err := standardGames()
		must(b, err)
		known, err := engine.NewRegistry(games.rules...)
		must(b, err)
		store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "castellan.db"))
		must(b, err)
		h := host.New(host.Config{Store: store, Games: known, Now: time.Now, Seed: rand.Uint64, Logger: slog.New(slog.DiscardHandler)})
		due := map[string]time.Time{} // by channel
		insertLiveMatches(b, store, h, all, due, losing, before, spread)

		var mu sync.Mutex
		began := time.Now()
		posted, requests := map[string]time.Time{}, 0
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(b, err)
		chat, err := sandbox.New(sandbox.Options{Base: "http://" + listener.Addr().String(), World: all, Observe: func(x api.Exchange) {
			mu.Lock()
			defer mu.Unlock()
			if time.Since(began) > before {
				requests++
			}
			path := strings.Split(x.Path, "/")
			if channel := path[max(len(path)-2, 0)]; x.Method == "POST" && x.Status == 200 {
				if now, at := time.Now(), due[channel]; !at.IsZero() && now.After(at) && posted[channel].IsZero() {
					posted[channel] = now
				}
			}
		}})
		must(b, err)
		go chat.Serve(listener)
		base, err := url.Parse(chat.Base())
		must(b, err)
		o, err := bot.New(bot.Config{Token: chat.Token(), API: base, Host: h, Games: known, Renderer: games.renderer, Catalogue: games.texts, Logger: slog.New(slog.DiscardHandler), NoThreads: true})
		must(b, err)
		ctx, stop := context.WithTimeout(b.Context(), before+spread+20*time.Second)
		must(b, o.Run(ctx))
		stop()
		must(b, chat.Close())
		must(b, store.Close())

		var late []time.Duration
		for channel, at := range due {
			if posted[channel].IsZero() {
				b.Errorf("nothing is posted in %s", channel)
				continue
			}
			late = append(late, posted[channel].Sub(at))
		}
		slices.Sort(late)
		if len(late) == 0 {
			b.Fatal("no match has ended")
		}
		p99 := late[len(late)*99/100]
		b.ReportMetric(float64(late[len(late)/2].Milliseconds()), "p50-ms")
		b.ReportMetric(float64(p99.Milliseconds()), "p99-ms")
		b.ReportMetric(float64(late[len(late)-1].Milliseconds()), "max-ms")
		b.ReportMetric(publish.ReconcileInterval.Seconds()/p99.Seconds(), "x-ticks")
		b.ReportMetric(100*float64(requests)/(50*spread.Seconds()), "%-of-limit")
	}
}

// insertLiveMatches stores a match in each added channel. Its first board is posted before the
// time of the first ones runs out.
func insertLiveMatches(b *testing.B, store storage.Store, h *host.Host, all sandbox.World, due map[string]time.Time, losing int, before, spread time.Duration) {
	b.Helper()
	game, _ := h.Games().Lookup("trails")
	options, err := game.Options().Options(nil)
	must(b, err)
	channels := all.Channels[len(sandbox.DefaultWorld().Channels):]
	must(b, store.Update(b.Context(), func(tx storage.Tx) error {
		for i, c := range channels {
			ends := time.Now().Add(before + spread*time.Duration(i)/time.Duration(losing)).Truncate(time.Second)
			if i < losing {
				due[c.ID] = ends
			}
			id, err := tx.InsertMatch(storage.Match{
				Place: storage.Place{Guild: all.Guild.ID, Channel: c.ID}, Game: "trails", RulesVersion: game.Version(), Options: options.String(), Seed: 1,
				Seats:     []storage.Person{{ID: all.Users[0].ID, Name: "Anna"}, {ID: all.Users[1].ID, Name: "Ben"}},
				CreatedAt: ends.Add(-5 * time.Minute), CheckAt: ends, Reminded: true, Clock: "2m",
			})
			if err != nil {
				return err
			}
			if _, err := tx.InsertBoard(storage.Board{Match: id, Place: storage.Place{Guild: all.Guild.ID, Channel: c.ID}}); err != nil {
				return err
			}
		}
		return nil
	}))
}
