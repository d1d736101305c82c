package metrics_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/computer"
	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/bot/interaction"
	"castellan/bot/metrics"
	"castellan/storage"
)

// What the bot and the store report is counted under its name, and every metric is
// documented.
func TestMetrics(t *testing.T) {
	m := metrics.New(metrics.Build{Version: "1.2.3", Revision: "abc", GoVersion: "go1.99"})
	connected := gateway.State{Connected: true, Connections: 2, AckAge: 3 * time.Second, Latency: 80 * time.Millisecond}
	b := &fakeBot{connection: connected, registered: true, sinceReconcile: time.Second, shards: gateway.Report{
		Shards: []gateway.Shard{{Shards: 1, Guilds: 7, State: connected}}, Asked: time.Now(),
		Info: discord.GatewayInfo{Shards: 4, SessionStartLimit: discord.SessionStartLimit{Remaining: 998}},
	}}
	store := fakeStore{counts: storage.Counts{Matches: map[storage.GameEnding]int{{Game: "trails"}: 2, {Game: "trails", Ending: "draw"}: 1}, ComputerTurns: 3}, leases: []storage.Lease{
		{Name: "shards/1/0", Holder: "this", Left: time.Hour}, {Name: "shards/1/1", Holder: "this", Left: time.Hour},
		{Name: "shards/1/2", Holder: "this"}, {Name: "turn/1", Holder: "another", Left: time.Hour},
	}}
	counted := m.WrapStore(store)
	h, err := m.Handler(metrics.Sources{Bot: b, Store: store, Now: time.Now, Process: "this"})
	must(t, err)
	o := m.Observer()
	o.Interaction(interaction.Served{Kind: interaction.Command, Outcome: interaction.Answered, Confirmed: true, Acknowledged: time.Second})
	o.Interaction(interaction.Served{Kind: interaction.Command, Outcome: interaction.Refused})
	const post = "POST /channels/{id}/messages"
	o.Request(discord.RequestResult{Route: post, Status: 200, Duration: time.Second})
	o.Request(discord.RequestResult{Route: post, Status: 429, RateLimit: discord.RateLimitRoute})
	o.Request(discord.RequestResult{Route: post, RateLimit: discord.RateLimitHeld})
	o.Computation(computer.Computation{Duration: time.Second})
	o.Computation(computer.Computation{Hint: true, Failed: true})
	o.Refused(http.StatusUnauthorized)
	m.ObserveRerun()
	m.ObserveText()
	ctx, stop := context.WithCancel(t.Context())
	fails := errors.New("fails")
	jobs := m.WrapJobs([]storage.Job{
		{Name: "well", Run: func(context.Context) (string, error) { return "done it", nil }},
		{Name: "ill", Run: func(context.Context) (string, error) { return "", fails }},
		{Name: "panic", Run: func(context.Context) (string, error) { panic("p") }},
		{Name: "stopped", Run: func(context.Context) (string, error) { stop(); return "", ctx.Err() }},
		{Name: "never"},
	})
	for _, j := range jobs[:4] {
		result, err := j.Do(ctx)
		if (j.Name == "well") != (err == nil && result == "done it") || j.Name == "ill" && !errors.Is(err, fails) {
			t.Errorf("%s: %q, %v", j.Name, result, err)
		}
	}
	m.ObserveSignal(storage.PostsDue, true)
	m.ObserveSignal(storage.SettingsChanged, false)
	_, err = counted.ClaimPosts(t.Context(), time.Now(), 9, time.Minute)
	must(t, err)
	if err := counted.Update(t.Context(), func(tx storage.Tx) error { return tx.CheckLease(storage.Lease{}) }); !errors.Is(err, storage.ErrFenced) {
		t.Error(err)
	}
	got := scrape(t, h)
	for name, want := range map[string]string{
		`castellan_interactions_total{kind="command",outcome="answered"}`:       "1",
		`castellan_texts_incomplete_total`:                                      "1",
		`castellan_interactions_total{kind="command",outcome="refused"}`:        "1",
		`castellan_interactions_total{kind="command",outcome="failed"}`:         "0",
		`castellan_acknowledgement_seconds_count{kind="command"}`:               "1",
		`castellan_discord_requests_total{route="` + post + `",status="200"}`:   "1",
		`castellan_discord_requests_total{route="` + post + `",status="429"}`:   "1",
		`castellan_discord_requests_total{route="` + post + `",status="0"}`:     "",
		`castellan_discord_request_seconds_count{route="` + post + `"}`:         "2",
		`castellan_discord_rate_limits_total{limit="route"}`:                    "1",
		`castellan_discord_rate_limits_total{limit="held"}`:                     "1",
		`castellan_discord_rate_limits_total{limit="global"}`:                   "0",
		`castellan_discord_invalid_requests`:                                    "3",
		`castellan_matches{game="trails",state="running"}`:                      "2",
		`castellan_matches{game="trails",state="draw"}`:                         "1",
		`castellan_endpoint_refused_total{status="401"}`:                        "1",
		`castellan_endpoint_refused_total{status="413"}`:                        "0",
		`castellan_database_reruns_total`:                                       "1",
		`castellan_database_transactions_total{kind="update",outcome="failed"}`: "0",
		`castellan_leases{kind="shards"}`:                                       "2",
		`castellan_leases{kind="turn"}`:                                         "",
		`castellan_fenced_total`:                                                "1",
		`castellan_claims_total{what="board"}`:                                  "1",
		`castellan_claims_total{what="daily"}`:                                  "0",
		`castellan_computer_turns`:                                              "3",
		`castellan_gateway_guilds{shard="0"}`:                                   "7",
		`castellan_gateway_latency_seconds{shard="0"}`:                          "0.08",
		`castellan_search_seconds_count{kind="turn"}`:                           "1",
		`castellan_search_seconds_sum{kind="turn"}`:                             "1",
		`castellan_searches_failed_total{kind="turn"}`:                          "0",
		`castellan_searches_failed_total{kind="hint"}`:                          "1",
		`castellan_jobs_total{kind="well",outcome="done"}`:                      "1",
		`castellan_jobs_total{kind="well",outcome="failed"}`:                    "0",
		`castellan_jobs_total{kind="ill",outcome="failed"}`:                     "1",
		`castellan_jobs_total{kind="panic",outcome="failed"}`:                   "1",
		`castellan_jobs_total{kind="stopped",outcome="interrupted"}`:            "1",
		`castellan_jobs_total{kind="never",outcome="done"}`:                     "0",
		`castellan_job_seconds_count{kind="ill"}`:                               "1",
		`castellan_signals_total{direction="sent",kind="posts"}`:                "1",
		`castellan_signals_total{direction="heard",kind="posts"}`:               "0",
		`castellan_signals_total{direction="heard",kind="settings"}`:            "1",
		`castellan_build_info{go="go1.99",revision="abc",version="1.2.3"}`:      "1",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %s", name, got[name], want)
		}
	}
	for _, name := range []string{"go_goroutines", "go_gc_heap_live_bytes", "process_resident_memory_bytes"} {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	checkDocs(t, got)
}

// checkDocs checks that every metric of the example dashboard exists, and that
// every metric of ours is documented.
func checkDocs(t *testing.T, scraped map[string]string) {
	t.Helper()
	have := map[string]bool{}
	for line := range scraped {
		name, _, _ := strings.Cut(line, "{")
		have[name] = true
	}
	names := regexp.MustCompile(`\b(castellan|go|process|promhttp)_[a-z_]+`)
	dashboard, err := os.ReadFile("../../docs/host/dashboard.json")
	must(t, err)
	shown := names.FindAllString(string(dashboard), -1)
	if len(shown) < 30 {
		t.Errorf("the dashboard shows %d metrics", len(shown))
	}
	page, err := os.ReadFile("../../docs/host/metrics.md")
	must(t, err)
	told := names.FindAllString(string(page), -1)
	for file, list := range map[string][]string{"dashboard.json": shown, "metrics.md": told} {
		for _, name := range list {
			if !have[name] && !have[name+"_count"] {
				t.Errorf("docs/%s has %s, which does not exist", file, name)
			}
		}
	}
	for name := range have {
		base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if strings.HasPrefix(name, "castellan_") && !slices.Contains(told, base) {
			t.Errorf("docs/host/metrics.md does not explain %s", base)
		}
	}
}
