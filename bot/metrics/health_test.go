package metrics_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot"
	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/bot/metrics"
	"castellan/bot/sandbox"
	"castellan/storage"
)

// fakeBot is a bot in a given state.
type fakeBot struct {
	roles      bot.Roles // all if zero
	connection gateway.State
	shards     gateway.Report
	checked    bool // CheckShards was called
	registered bool
	pulse      time.Duration // 0: the reconciler has not begun
	contact    time.Duration // 0: it uses the gateway
}

func (b *fakeBot) Connection() gateway.State { return b.connection }

func (b *fakeBot) SinceContact() (time.Duration, bool) { return b.contact, b.contact > 0 }

func (b *fakeBot) Roles() bot.Roles {
	return cmp.Or(b.roles, bot.Roles{Gateway: true, HTTP: true, Poster: true, Worker: true})
}

func (b *fakeBot) Shards() gateway.Report { return b.shards }

func (b *fakeBot) CheckShards() { b.checked = true }

func (b *fakeBot) Ready() <-chan struct{} {
	c := make(chan struct{})
	if b.registered {
		close(c)
	}
	return c
}

func (b *fakeBot) DeliveryLag(context.Context) (time.Duration, error) { return 0, nil }

func (b *fakeBot) SinceReconcile() (time.Duration, bool) { return b.pulse, b.pulse > 0 }

func (b *fakeBot) Ahead() uint64 { return 0 }

func (b *fakeBot) Unreadable() int { return 0 }

func (b *fakeBot) InProgress() int { return 0 }

func (b *fakeBot) InvalidRequests() int              { return 3 }
func (b *fakeBot) ComputerLoad() (busy, waiting int) { return 0, 0 }

// fakeStore is an empty store whose queries return an error.
type fakeStore struct {
	storage.Store
	err, intact error
}

func (s fakeStore) Intact() error { return s.intact }

func (s fakeStore) Report(context.Context, func(storage.Reader) error) error { return s.err }

func (s fakeStore) View(context.Context, func(storage.Reader) error) error { return s.err }

// hungStore is a store that ignores the context.
type hungStore struct {
	storage.Store
	release chan struct{}
}

func (s hungStore) Intact() error { return nil }

func (s hungStore) View(context.Context, func(storage.Reader) error) error {
	<-s.release
	return nil
}

// newHandler returns the handler for a bot and a store.
func newHandler(t *testing.T, b metrics.Bot, s storage.Store) http.Handler {
	t.Helper()
	h, err := metrics.New(metrics.Build{}).Handler(metrics.Sources{Bot: b, Store: s, Now: time.Now})
	must(t, err)
	return h
}

func get(h http.Handler, path string) (status int, body string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func TestHealthAndReadiness(t *testing.T) {
	connected := gateway.State{Connected: true, Connections: 2, AckAge: 3 * time.Second}
	served := fakeBot{connection: connected, registered: true, pulse: time.Second}
	for _, c := range []struct {
		name            string
		bot             fakeBot
		err             error
		healthy, served bool
		text            string            // of the readiness
		metrics         map[string]string // "" means absent
	}{
		{"serving", served, nil, true, true, "gateway: ok\ncommands: ok\ndatabase: ok\nreconciler: ok\n", map[string]string{
			"castellan_ready": "1", `castellan_gateway_connected{shard="0"}`: "1", `castellan_gateway_connections_total{shard="0"}`: "2", `castellan_gateway_ack_age_seconds{shard="0"}`: "3",
			"castellan_reconciler_pulse_seconds": "1", "castellan_database_up": "1", "castellan_challenges_open": "0"}},
		{"starting", fakeBot{}, nil, true, false, "gateway: not connected yet\ncommands: not registered yet\ndatabase: ok\nreconciler: ok\n", map[string]string{
			"castellan_ready": "0", `castellan_gateway_connected{shard="0"}`: "0", `castellan_gateway_ack_age_seconds{shard="0"}`: "", "castellan_reconciler_pulse_seconds": ""}},
		// A restart would not bring Discord back, so the process stays healthy.
		{"disconnected", fakeBot{connection: gateway.State{Connections: 1, Failures: 4}, registered: true, pulse: time.Second}, nil, true, false, "gateway: not connected, 4 failures in a row\n",
			map[string]string{`castellan_gateway_connected{shard="0"}`: "0", `castellan_gateway_failures{shard="0"}`: "4"}},
		{"one of two shards disconnected", fakeBot{connection: gateway.State{Connections: 2, Failures: 3}, shards: gateway.Report{
			Shards: []gateway.Shard{{ID: 0, Shards: 2, Guilds: 7, State: connected}, {ID: 1, Shards: 2, State: gateway.State{Failures: 3}}},
			Info:   discord.GatewayInfo{Shards: 4, SessionStartLimit: discord.SessionStartLimit{Remaining: 998}}, Asked: time.Now(),
		}, registered: true, pulse: time.Second}, nil, true, false, "gateway: shards 1 of 2 not connected, 3 failures in a row\n", map[string]string{
			`castellan_gateway_connected{shard="0"}`: "1", `castellan_gateway_connected{shard="1"}`: "0", `castellan_gateway_guilds{shard="0"}`: "7",
			`castellan_gateway_failures{shard="1"}`: "3", "castellan_gateway_identifies_remaining": "998", "castellan_gateway_shards_recommended": "4"}},
		{"reconciler stuck", fakeBot{connection: connected, registered: true, pulse: metrics.StuckAfter + time.Minute}, nil, false, false, "reconciler: stuck: no pass was finished for 6m0s\n", nil},
		{"in contact without a gateway", fakeBot{registered: true, pulse: time.Second, contact: 21 * time.Second}, nil, true, true, "discord: ok\n",
			map[string]string{`castellan_gateway_connected{shard="0"}`: "", `castellan_gateway_connections_total{shard="0"}`: "", "castellan_discord_contact_seconds": "21"}},
		{"out of contact without a gateway", fakeBot{registered: true, pulse: time.Second, contact: 61 * time.Second}, nil, true, false, "discord: not in contact", nil},
		{"poster", fakeBot{roles: bot.Roles{Poster: true}, registered: true, pulse: time.Second, contact: time.Second}, nil, true, true, "discord: ok\ndatabase: ok\nreconciler: ok\n",
			map[string]string{`castellan_role{role="poster"}`: "1", `castellan_role{role="gateway"}`: ""}},
		{"holding no shard", fakeBot{connection: gateway.State{Standby: true}, registered: true, pulse: time.Second, shards: gateway.Report{
			Shards: []gateway.Shard{{ID: 0, Shards: 1, Process: "b", Elsewhere: true, State: gateway.State{Connected: true}}},
		}}, nil, true, true, "gateway: ok\n", map[string]string{`castellan_gateway_connected{shard="0"}`: ""}},
		{"worker", fakeBot{roles: bot.Roles{Worker: true}, registered: true, contact: time.Second}, nil, true, true, "discord: ok\ndatabase: ok\n", nil},
		{"stuck poster", fakeBot{roles: bot.Roles{Gateway: true, Poster: true}, connection: connected, registered: true, pulse: time.Hour}, nil, false, false, "reconciler: stuck", nil},
		{"damaged store", served, errors.Join(errors.New("/secret/file"), storage.ErrCorrupt), false, false, "database: " + storage.ErrCorrupt.Error() + "\n", map[string]string{
			"castellan_database_up": "0", "castellan_challenges_open": ""}},
		{"replaced files", served, errors.Join(errors.New("/secret/file"), storage.ErrReplaced), false, false, "database: " + storage.ErrReplaced.Error() + "\n", nil},
		{"failing store", served, errors.New("/secret/file: input/output error"), false, false, "database: cannot be read; the log says why\n", map[string]string{
			"castellan_database_up": "0", "castellan_challenges_open": "", "castellan_boards_due": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := fakeStore{err: c.err}
			if errors.Is(c.err, storage.ErrReplaced) {
				store = fakeStore{intact: c.err} // its queries work
			}
			h := newHandler(t, &c.bot, store)
			for path, ok := range map[string]bool{metrics.PathHealth: c.healthy, metrics.PathReady: c.served} {
				status, body := get(h, path)
				if (status == http.StatusOK) != ok || !ok && status != http.StatusServiceUnavailable || strings.Contains(body, "secret") {
					t.Errorf("%s: %d %s", path, status, body)
				}
			}
			if _, body := get(h, metrics.PathReady); !strings.Contains(body, c.text) {
				t.Errorf("readiness %q, want %q", body, c.text)
			}
			got := scrape(t, h)
			for name, want := range c.metrics {
				if got[name] != want {
					t.Errorf("%s is %q, want %q", name, got[name], want)
				}
			}
		})
	}
}

// The answer is what castellan shards prints.
func TestShards(t *testing.T) {
	now := time.Now()
	b := &fakeBot{shards: gateway.Report{
		Shards: []gateway.Shard{{ID: 1, Shards: 2, Guilds: 7, State: gateway.State{Connected: true, Since: now.Add(-time.Minute), Latency: 80 * time.Millisecond, Reason: io.EOF}}},
		Info:   discord.GatewayInfo{Shards: 4, SessionStartLimit: discord.SessionStartLimit{Remaining: 998, Total: 1000, ResetAfter: time.Hour, MaxConcurrency: 1}},
		Asked:  now.Add(-time.Minute),
	}}
	h, err := metrics.New(metrics.Build{}).Handler(metrics.Sources{Bot: b, Store: fakeStore{}, Now: func() time.Time { return now }})
	must(t, err)
	_, body := get(h, metrics.PathShards)
	want := `{"shards":[{"id":1,"shards":2,"connected":true,"guilds":7,"state_seconds":60,"latency_seconds":0.08,"connections":0,"failures":0,"reason":"EOF"}],` +
		`"next":[],"recommended":4,"identifies":{"remaining":998,"total":1000,"reset_seconds":3540,"max_concurrency":1}}` + "\n"
	if body != want {
		t.Errorf("got  %swant %s", body, want)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, metrics.PathShards, nil))
	if w.Code != http.StatusAccepted || !b.checked {
		t.Errorf("%d, checked: %v", w.Code, b.checked)
	}
}

func TestHungStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := hungStore{release: make(chan struct{})}
		defer close(s.release)
		h := newHandler(t, &fakeBot{}, s)
		if status, body := get(h, metrics.PathHealth); status != http.StatusServiceUnavailable || !strings.Contains(body, "database: no answer within 2s") {
			t.Errorf("%d %s", status, body)
		}
	})
}

// A reconciler that hangs in the store is reported by the whole bot.
func TestStuckReconciler(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	b := &gated{gate: gate, reached: make(chan struct{}, 100)}
	r := newRig(t, sandbox.Options{}, func(s storage.Store) storage.Store { b.Store = s; return b })
	r.start()
	r.ticks <- time.Time{} // the reconciler takes it when a pass has ended
	if status, body := get(r.handler, metrics.PathHealth); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	b.shut()
	select { // the pass that has begun, or the next, hangs
	case r.ticks <- time.Time{}:
		<-b.reached
	case <-b.reached:
	}
	r.clock.pass(metrics.StuckAfter + time.Minute)
	if status, body := get(r.handler, metrics.PathHealth); status != http.StatusServiceUnavailable || !strings.Contains(body, "reconciler: stuck: no pass was finished for 6m") {
		t.Errorf("%d %s", status, body)
	}
	close(gate)
	r.until("the next pass", func() bool { status, _ := get(r.handler, metrics.PathHealth); return status == http.StatusOK })
}
