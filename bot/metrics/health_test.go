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
	"castellan/storage"
)

// fakeBot is a bot in a given state.
type fakeBot struct {
	roles      bot.Roles // all if zero
	connection gateway.State
	shards     gateway.Report
	checked    bool // CheckShards was called
	registered bool
	// sinceReconcile is 0 if the reconciler has not begun.
	sinceReconcile time.Duration
	contact        time.Duration // 0: it uses the gateway
}

func (b *fakeBot) Status() bot.Status {
	roles := bot.Roles{Gateway: b.contact == 0, HTTP: true, Poster: true, Worker: true}
	if b.roles != (bot.Roles{}) {
		roles = b.roles
	}
	return bot.Status{
		Roles: roles, Connection: b.connection, Ready: b.registered, SinceContact: b.contact,
		SinceReconcile: cmp.Or(b.sinceReconcile, -1), InvalidRequests: 3,
	}
}

func (b *fakeBot) Shards() gateway.Report { return b.shards }

func (b *fakeBot) CheckShards() { b.checked = true }

func (b *fakeBot) DeliveryLag(context.Context) (time.Duration, error) { return 0, nil }

// fakeStore is a store with a little in it, whose queries return an error.
type fakeStore struct {
	storage.Store
	err, intact error
	counts      storage.Counts
	leases      []storage.Lease
}

func (s fakeStore) Intact() error { return s.intact }

func (s fakeStore) Report(_ context.Context, fn func(storage.Reader) error) error {
	if s.err != nil {
		return s.err
	}
	return fn(fakeTx{s: s})
}

func (s fakeStore) View(context.Context, func(storage.Reader) error) error { return s.err }

func (s fakeStore) Update(_ context.Context, fn func(storage.Tx) error) error {
	return fn(fakeTx{s: s})
}

// ClaimPosts claims a board.
func (s fakeStore) ClaimPosts(context.Context, time.Time, int, time.Duration) (storage.ClaimedPosts, error) {
	var p storage.ClaimedPosts
	p.Boards = make([]storage.Board, 1)
	return p, nil
}

// fakeTx is a transaction that has lost every lease.
type fakeTx struct {
	storage.Tx
	s fakeStore
}

func (t fakeTx) Counts(time.Time) (storage.Counts, error) { return t.s.counts, nil }

func (t fakeTx) Leases(string) ([]storage.Lease, error) { return t.s.leases, nil }

func (fakeTx) CheckLease(storage.Lease) error { return storage.ErrFenced }

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

func newHandler(t *testing.T, b metrics.Bot, s storage.Store) http.Handler {
	t.Helper()
	h, err := metrics.New(metrics.Build{}).Handler(metrics.Sources{Bot: b, Store: s, Now: time.Now})
	must(t, err)
	return h
}

func get(h http.Handler, path string) (status int, body string) {
	return send(h, http.MethodGet, path, "127.0.0.1:9464", nil)
}

func send(h http.Handler, method, path, host string, header http.Header) (status int, body string) {
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
	r.Host = host
	if header != nil {
		r.Header = header
	}
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// Web pages in a browser on the machine can reach nothing.
func TestGuard(t *testing.T) {
	b := &fakeBot{}
	h, err := metrics.New(metrics.Build{}).Handler(metrics.Sources{Bot: b, Store: fakeStore{}, Now: time.Now, Hosts: []string{"bot.example.org", ""}})
	must(t, err)
	ours := http.Header{metrics.HeaderPost: {"1"}}
	for _, c := range []struct {
		method, host string
		header       http.Header
		want         int
	}{
		{http.MethodGet, "127.0.0.1:9464", nil, http.StatusOK},
		{http.MethodGet, "10.1.2.3", nil, http.StatusOK},
		{http.MethodGet, "[::1]:9464", nil, http.StatusOK},
		{http.MethodGet, "localhost:9464", nil, http.StatusOK},
		{http.MethodGet, "gateway-1:9464", nil, http.StatusOK},
		{http.MethodGet, "Bot.example.org:9464", nil, http.StatusOK},
		{http.MethodGet, "rebound.example:9464", nil, http.StatusMisdirectedRequest},
		{http.MethodGet, "127.0.0.1.rebound.example", nil, http.StatusMisdirectedRequest},
		{http.MethodGet, "127.0.0.1:9464", http.Header{"Origin": {"https://page.example"}}, http.StatusForbidden},
		{http.MethodGet, "127.0.0.1:9464", http.Header{"Origin": {"null"}}, http.StatusForbidden},
		{http.MethodPost, "127.0.0.1:9464", nil, http.StatusForbidden},
		{http.MethodPost, "rebound.example", ours, http.StatusMisdirectedRequest},
		{http.MethodPost, "127.0.0.1:9464", ours, http.StatusAccepted},
	} {
		b.checked = false
		got, body := send(h, c.method, metrics.PathShards, c.host, c.header)
		if got != c.want || b.checked != (got == http.StatusAccepted) || got >= 400 && strings.Contains(body, "shards") {
			t.Errorf("%s to %s with %v: %d %s", c.method, c.host, c.header, got, body)
		}
	}
}

func TestHealthAndReadiness(t *testing.T) {
	connected := gateway.State{Connected: true, Connections: 2, AckAge: 3 * time.Second}
	served := fakeBot{connection: connected, registered: true, sinceReconcile: time.Second}
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
			"castellan_reconciler_age_seconds": "1", "castellan_database_up": "1", "castellan_challenges_open": "0"}},
		{"starting", fakeBot{}, nil, true, false, "gateway: not connected yet\ncommands: not registered yet\ndatabase: ok\nreconciler: ok\n", map[string]string{
			"castellan_ready": "0", `castellan_gateway_connected{shard="0"}`: "0", `castellan_gateway_ack_age_seconds{shard="0"}`: "", "castellan_reconciler_age_seconds": ""}},
		// A restart would not bring Discord back, so the process stays healthy.
		{"disconnected", fakeBot{connection: gateway.State{Connections: 1, Failures: 4}, registered: true, sinceReconcile: time.Second}, nil, true, false, "gateway: not connected, 4 failures in a row\n",
			map[string]string{`castellan_gateway_connected{shard="0"}`: "0", `castellan_gateway_failures{shard="0"}`: "4"}},
		{"one of two shards disconnected", fakeBot{connection: gateway.State{Connections: 2, Failures: 3}, shards: gateway.Report{
			Shards: []gateway.Shard{{ID: 0, Shards: 2, Guilds: 7, State: connected}, {ID: 1, Shards: 2, State: gateway.State{Failures: 3}}},
			Info:   discord.GatewayInfo{Shards: 4, SessionStartLimit: discord.SessionStartLimit{Remaining: 998}}, Asked: time.Now(),
		}, registered: true, sinceReconcile: time.Second}, nil, true, false, "gateway: shards 1 of 2 not connected, 3 failures in a row\n", map[string]string{
			`castellan_gateway_connected{shard="0"}`: "1", `castellan_gateway_connected{shard="1"}`: "0", `castellan_gateway_guilds{shard="0"}`: "7",
			`castellan_gateway_failures{shard="1"}`: "3", "castellan_gateway_identifies_remaining": "998", "castellan_gateway_shards_recommended": "4"}},
		{"reconciler stuck", fakeBot{connection: connected, registered: true, sinceReconcile: metrics.StuckAfter + time.Minute}, nil, false, false, "reconciler: stuck: no pass was finished for 6m0s\n", nil},
		{"in contact without a gateway", fakeBot{registered: true, sinceReconcile: time.Second, contact: 21 * time.Second}, nil, true, true, "discord: ok\n",
			map[string]string{`castellan_gateway_connected{shard="0"}`: "", `castellan_gateway_connections_total{shard="0"}`: "", "castellan_discord_contact_seconds": "21"}},
		{"out of contact without a gateway", fakeBot{registered: true, sinceReconcile: time.Second, contact: 61 * time.Second}, nil, true, false, "discord: not in contact", nil},
		{"poster", fakeBot{roles: bot.Roles{Poster: true}, registered: true, sinceReconcile: time.Second, contact: time.Second}, nil, true, true, "discord: ok\ndatabase: ok\nreconciler: ok\n",
			map[string]string{`castellan_role{role="poster"}`: "1", `castellan_role{role="gateway"}`: ""}},
		{"holding no shard", fakeBot{connection: gateway.State{Standby: true}, registered: true, sinceReconcile: time.Second, shards: gateway.Report{
			Shards: []gateway.Shard{{ID: 0, Shards: 1, Process: "b", Elsewhere: true, State: gateway.State{Connected: true}}},
		}}, nil, true, true, "gateway: ok\n", map[string]string{`castellan_gateway_connected{shard="0"}`: ""}},
		{"worker", fakeBot{roles: bot.Roles{Worker: true}, registered: true, contact: time.Second}, nil, true, true, "discord: ok\ndatabase: ok\n", nil},
		{"stuck poster", fakeBot{roles: bot.Roles{Gateway: true, Poster: true}, connection: connected, registered: true, sinceReconcile: time.Hour}, nil, false, false, "reconciler: stuck", nil},
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
