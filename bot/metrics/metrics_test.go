package metrics_test

import (
	"errors"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/metrics"
	"castellan/bot/sandbox"
	"castellan/storage"
)

// played returns a rig in which a match has begun and some of everything was
// done.
func played(t *testing.T) *rig {
	r := newRig(t, sandbox.Options{}, nil)
	r.start()
	r.answered(r.anna.Command(r.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", r.ben.ID()), sandbox.Opt("first", "me"), sandbox.Opt("thread", false))))
	r.press(r.ben, "/accept")
	r.press(r.anna, "/act/")
	if _, err := r.anna.Autocomplete(t.Context(), r.channel, "move", sandbox.Focused("turn", "l")); err != nil {
		t.Fatal(err)
	}
	r.answered(r.anna.Command(r.channel, "move", sandbox.Opt("turn", "nonsense")))
	r.until("the boards", func() bool { return r.scrape()["castellan_boards_due"] == "0" })
	r.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultRateLimit, Route: "/channels/{channel_id}/messages"})
	r.answered(r.ben.Command(r.channel, "board"))
	r.until("the counters", func() bool {
		f := r.scrape()
		return f[`castellan_interactions_total{kind="command",outcome="answered"}`] == "2" &&
			f[`castellan_discord_rate_limits_total{limit="route"}`] == "1"
	})
	return r
}

// A match that is played changes the metrics that it should, and no others.
func TestMetrics(t *testing.T) {
	t.Parallel()
	r := played(t)
	for _, name := range []string{"shards/1/0", "shards/1/1"} {
		_, err := r.store.AcquireLease(t.Context(), name, "this", "", time.Hour)
		must(t, err)
	}
	_, err := r.store.AcquireLease(t.Context(), "turn/1", "another", "", time.Hour)
	must(t, err)
	r.metrics.WrapChores([]storage.Chore{{Name: "a chore"}})
	checkDocs(t, r)
	r.until("the boards", func() bool { return r.scrape()["castellan_boards_due"] == "0" })
	r.metrics.ObserveRerun()
	r.metrics.Observer().Refused(http.StatusUnauthorized)
	_, err = r.store.ClaimPosts(t.Context(), time.Now().Add(time.Hour), 9, time.Minute) // nothing
	must(t, err)
	lost := r.store.Update(t.Context(), func(tx storage.Tx) error { return tx.CheckLease(storage.Lease{Name: "lost", Token: 1}) })
	if !errors.Is(lost, storage.ErrFenced) {
		t.Error(lost)
	}
	got := r.scrape()
	for name, want := range map[string]string{
		`castellan_interactions_total{kind="command",outcome="answered"}`:                                 "2",
		`castellan_interactions_total{kind="command",outcome="refused"}`:                                  "1",
		`castellan_interactions_total{kind="command",outcome="failed"}`:                                   "0",
		`castellan_interactions_total{kind="component",outcome="answered"}`:                               "2",
		`castellan_interactions_total{kind="autocomplete",outcome="answered"}`:                            "1",
		`castellan_acknowledgement_seconds_count{kind="command"}`:                                         "3",
		`castellan_acknowledgement_seconds_bucket{kind="command",le="+Inf"}`:                              "3",
		`castellan_discord_requests_total{route="POST /interactions/{id}/{token}/callback",status="200"}`: "5",
		`castellan_discord_requests_total{route="POST /interactions/{id}/{token}/callback",status="204"}`: "1",
		`castellan_discord_requests_total{route="PUT /applications/{id}/commands",status="200"}`:          "1",
		`castellan_discord_requests_total{route="POST /channels/{id}/messages",status="429"}`:             "1",
		`castellan_discord_rate_limits_total{limit="route"}`:                                              "1",
		`castellan_matches{game="trails",state="running"}`:                                                "1",
		`castellan_endpoint_refused_total{status="401"}`:                                                  "1",
		`castellan_endpoint_refused_total{status="413"}`:                                                  "0",
		`castellan_database_reruns_total`:                                                                 "1",
		`castellan_leases{kind="shards"}`:                                                                 "2",
		`castellan_fenced_total`:                                                                          "1",
		`castellan_leases{kind="turn"}`:                                                                   "",
		`castellan_challenges_open`:                                                                       "0",
		`castellan_challenges_due`:                                                                        "0",
		`castellan_database_up`:                                                                           "1",
		`castellan_database_transactions_total{kind="update",outcome="failed"}`:                           "0",
		`castellan_gateway_connected{shard="0"}`:                                                          "1",
		`castellan_gateway_connections_total{shard="0"}`:                                                  "1",
		`castellan_gateway_failures{shard="0"}`:                                                           "0",
		`castellan_interactions_under_way`:                                                                "0",
		`castellan_thoughts_under_way`:                                                                    "0",
		`castellan_hints_waiting`:                                                                         "0",
		`castellan_computer_turns`:                                                                        "0",
		`castellan_thoughts_failed_total{kind="turn"}`:                                                    "0",
		`castellan_ready`: "1",
		`castellan_build_info{go="go1.99",revision="abc",version="1.2.3"}`: "1",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %s", name, got[name], want)
		}
	}
	for _, name := range []string{
		"castellan_reconciler_lag_seconds", "castellan_reconciler_pulse_seconds", `castellan_gateway_ack_age_seconds{shard="0"}`,
		`castellan_database_transaction_seconds_sum{kind="update"}`, `castellan_database_transaction_seconds_sum{kind="view"}`,
		"go_goroutines", "go_gc_heap_live_bytes", "process_resident_memory_bytes",
	} {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if code, text := get(r.handler, metrics.PathReady); code != http.StatusOK || text != "gateway: ok\ncommands: ok\ndatabase: ok\nreconciler: ok\n" {
		t.Errorf("%d %s", code, text)
	}
}

func TestThoughts(t *testing.T) {
	t.Parallel()
	r := newRig(t, sandbox.Options{}, nil)
	r.start()
	r.answered(r.anna.Command(r.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("level", "newcomer"), sandbox.Opt("size", 7), sandbox.Opt("first", "them"))))
	r.until("a thought", func() bool { return r.scrape()[`castellan_thought_seconds_count{kind="turn"}`] == "1" })
	if got := r.scrape(); got[`castellan_thought_seconds_count{kind="hint"}`] != "0" || got[`castellan_thoughts_failed_total{kind="turn"}`] != "0" {
		t.Errorf("%v", got)
	}
}

// checkDocs checks that every metric of the example dashboard exists, and that
// every metric of ours is documented.
func checkDocs(t *testing.T, r *rig) {
	t.Helper()
	have := map[string]bool{}
	for line := range r.scrape() {
		name, _, _ := strings.Cut(line, "{")
		have[name] = true
	}
	names := regexp.MustCompile(`\b(castellan|go|process|promhttp)_[a-z_]+`)
	dashboard, err := os.ReadFile("../../docs/dashboard.json")
	must(t, err)
	shown := names.FindAllString(string(dashboard), -1)
	if len(shown) < 30 {
		t.Errorf("the dashboard shows %d metrics", len(shown))
	}
	page, err := os.ReadFile("../../docs/operating.md")
	must(t, err)
	told := names.FindAllString(string(page), -1)
	for file, list := range map[string][]string{"dashboard.json": shown, "operating.md": told} {
		for _, name := range list {
			if !have[name] && !have[name+"_count"] {
				t.Errorf("docs/%s has %s, which does not exist", file, name)
			}
		}
	}
	for name := range have {
		base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if strings.HasPrefix(name, "castellan_") && !slices.Contains(told, base) {
			t.Errorf("docs/operating.md does not explain %s", base)
		}
	}
}
