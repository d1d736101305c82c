package metrics_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot"
	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/bot/metrics"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/trails"
	"castellan/imaging"
	trailspainter "castellan/imaging/trails"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// patience bounds every wait of these tests.
const patience = 2 * time.Minute

// rig is a sandbox, a bot in it, and the metrics of the bot.
type rig struct {
	t       *testing.T
	chat    *sandbox.Sandbox
	bot     *bot.Bot
	handler http.Handler
	metrics *metrics.Metrics
	store   storage.Store
	clock   *clock
	ticks   chan time.Time
	channel string
	anna    *sandbox.Person
	ben     *sandbox.Person
}

// clock is real time plus what a test adds.
type clock struct {
	mu    sync.Mutex
	added time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.added)
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.added += d
}

// newRig returns a rig whose bot is not started. Its store is wrapped, unless wrap
// is nil.
func newRig(t *testing.T, options sandbox.Options, wrap func(storage.Store) storage.Store) *rig {
	t.Helper()
	r := &rig{t: t, clock: &clock{}, ticks: make(chan time.Time)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	options.Base = "http://" + listener.Addr().String()
	// Time stands still in the sandbox: on a busy machine answers may take longer
	// than Discord waits.
	options.Now = func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
	options.AfterFunc = func(time.Duration, func()) func() bool { return func() bool { return true } }
	options.Strict, options.Rates, options.Pace = true, time.Now, 5*time.Second
	r.chat, err = sandbox.New(options)
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- r.chat.Serve(listener) }()
	t.Cleanup(func() {
		must(t, r.chat.Close())
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "castellan.db"))
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	var wrapped storage.Store = store
	if wrap != nil {
		wrapped = wrap(store)
	}
	world := sandbox.DefaultWorld()
	r.channel, r.anna, r.ben = world.Channels[0].ID, r.chat.As(world.Users[0].ID), r.chat.As(world.Users[1].ID)

	games, err := engine.NewRegistry(trails.Game{})
	must(t, err)
	texts, err := catalogue.New(games.Games()...)
	must(t, err)
	pictures, err := imaging.New(trailspainter.Painter())
	must(t, err)
	api, err := url.Parse(r.chat.Base())
	must(t, err)
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	m := metrics.New(metrics.Build{Version: "1.2.3", Revision: "abc", GoVersion: "go1.99"})
	now := func() time.Time { return time.Now().UTC() }
	h := host.New(host.Config{Store: m.WrapStore(wrapped), Games: games, Now: now, Seed: func() uint64 { return 1 }, Logger: log, Engines: []search.Engine{search.Generic(trails.Game{})}})
	r.bot, err = bot.New(bot.Config{
		Token: r.chat.Token(), API: api, Host: h, Games: games, Renderer: pictures, Catalogue: texts, Logger: log,
		Timer: func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} },
		Ticks: r.ticks, Gateway: bot.Clock{Now: r.clock.now, Timer: hurried}, Observer: m.Observer(), BoardSettles: -1,
	})
	must(t, err)
	r.metrics, r.store = m, m.WrapStore(wrapped)
	r.handler, err = m.Handler(metrics.Sources{Bot: r.bot, Store: store, Now: now, Process: "this"})
	must(t, err)
	return r
}

// hurried skips the waits before a new connection.
func hurried(d time.Duration) (<-chan time.Time, func()) {
	if d >= time.Second && d < 10*time.Second { // a heartbeat and its acknowledgement take longer
		d = 0
	}
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// start runs the bot until the end of the test and waits until it is ready.
func (r *rig) start() {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- r.bot.Run(ctx) }()
	r.t.Cleanup(func() { cancel(); must(r.t, <-stopped) })
	select {
	case <-r.bot.Ready():
	case <-time.After(patience):
		r.t.Fatal("the bot does not start")
	}
}

// scrape returns the metrics by name and labels.
func scrape(t *testing.T, h http.Handler) map[string]string {
	t.Helper()
	status, text := get(h, metrics.PathMetrics)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			space := strings.LastIndexByte(line, ' ')
			all[line[:space]] = line[space+1:]
		}
	}
	return all
}

func (r *rig) scrape() map[string]string {
	r.t.Helper()
	return scrape(r.t, r.handler)
}

// until polls a condition.
func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for tick := time.NewTicker(5 * time.Millisecond); !cond(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.t.Fatalf("waiting for %s", what)
		}
	}
}

// answered waits until the bot has answered an interaction.
func (r *rig) answered(i sandbox.Interaction, err error) {
	r.t.Helper()
	must(r.t, err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	must(r.t, r.chat.Wait(ctx, func() bool {
		now, _ := r.chat.Interaction(i.ID)
		return now.State == sandbox.StateAnswered
	}))
}

// press clicks the newest button whose custom id contains a text.
func (r *rig) press(p *sandbox.Person, part string) {
	r.t.Helper()
	var message, custom string
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	must(r.t, r.chat.Wait(ctx, func() bool {
		for _, m := range p.Messages(r.channel) {
			var look func([]sandbox.Component)
			look = func(all []sandbox.Component) {
				for _, c := range all {
					if strings.Contains(c.CustomID, part) && !c.Disabled {
						message, custom = m.ID, c.CustomID
					}
					look(c.Components)
				}
			}
			look(m.Components)
		}
		return custom != ""
	}))
	r.answered(p.Click(r.channel, message, custom))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
