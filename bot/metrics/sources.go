package metrics

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"castellan/bot"
	"castellan/bot/discord/gateway"
	"castellan/storage"
)

// Bot is the part of *bot.Bot that metrics and checks need.
type Bot interface {
	Status() bot.Status
	Shards() gateway.Report
	CheckShards()
	DeliveryLag(context.Context) (time.Duration, error)
}

// Sources holds what metrics and checks read.
type Sources struct {
	Bot   Bot
	Store storage.Store
	Now   func() time.Time // the clock of the records in the store
	// Process is the name of the process as the holder of leases, empty if it has the
	// store to itself.
	Process string
	// Hosts lists names with a dot by which the handler is reached.
	Hosts []string
}

// storeTimeout bounds a query of the store.
const storeTimeout = 2 * time.Second

// collector reads the current values when metrics are scraped.
type collector struct{ Sources }

// Describe says nothing beforehand: which values are known differs.
func (collector) Describe(chan<- *prometheus.Desc) {}

// values sends the values of one scrape.
type values chan<- prometheus.Metric

// gauge sends a value that can rise and fall, with pairs of a label's name and value.
func (c values) gauge(name, help string, v float64, labels ...string) {
	c.send(prometheus.GaugeValue, name, help, v, labels)
}

func (c values) counter(name, help string, v float64, labels ...string) {
	c.send(prometheus.CounterValue, name, help, v, labels)
}

func (c values) send(kind prometheus.ValueType, name, help string, v float64, labels []string) {
	pairs := prometheus.Labels{}
	for i := 0; i < len(labels); i += 2 {
		pairs[labels[i]] = labels[i+1]
	}
	c <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, nil, pairs), kind, v)
}

// Collect implements prometheus.Collector. Unknown values are left out rather
// than reported as zero.
func (w collector) Collect(metrics chan<- prometheus.Metric) {
	c, status := values(metrics), w.Bot.Status()
	c.gauge("castellan_discord_contact_seconds", "Time since Discord last answered a request, or sent an interaction over HTTP.", status.SinceContact.Seconds())
	if status.Roles.Gateway {
		w.collectGateway(c, status.Connection)
	}
	c.counter("castellan_reconciler_clock_skew_total", "Posts and edits that were due later than any delay, because the clock had been ahead; they were done at once.", float64(status.ClockSkew))
	c.counter("castellan_short_resignations_total", "Matches that were resigned early to a person to whom many others have done so within a week.", float64(status.ShortResignations))
	c.gauge("castellan_matches_unreadable", "Matches that somebody wanted to see and whose log was altered or cannot be replayed.", float64(status.Unreadable))
	for _, name := range status.Roles.Names() {
		c.gauge("castellan_role", "1 for each role of the process: gateway, http, poster, worker.", 1, "role", name)
	}
	c.gauge("castellan_ready", "Whether the bot has been connected and its commands are registered.", boolValue(status.Ready))
	c.gauge("castellan_discord_invalid_requests", "Answers of 401, 403 and 429 in the last ten minutes; Discord bans an address for 10,000.", float64(status.InvalidRequests))
	c.gauge("castellan_interactions_in_progress", "Interactions being served.", float64(status.InProgress))
	c.gauge("castellan_searches_in_progress", "Turns and hints that the computer is searching for.", float64(status.Searches))
	c.gauge("castellan_hints_waiting", "Hints that wait for the computer.", float64(status.HintsWaiting))
	if status.SinceReconcile >= 0 {
		c.gauge("castellan_reconciler_age_seconds", "Time since the reconciler finished a run; one begins every few seconds.", status.SinceReconcile.Seconds())
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	counts, held, err := w.read(ctx)
	c.gauge("castellan_database_up", "Whether the database answered the query for these metrics.", boolValue(err == nil))
	if err != nil {
		return
	}
	for key, n := range counts.Matches {
		state := key.Ending
		if state == "" {
			state = "running"
		}
		c.gauge("castellan_matches", "Matches by game and state: running, or how they ended.", float64(n), "game", key.Game, "state", state)
	}
	c.gauge("castellan_challenges_open", "Challenges that can still be answered.", float64(counts.OpenChallenges))
	c.gauge("castellan_computer_turns", "Matches in which a computer is to move.", float64(counts.ComputerTurns))
	c.gauge("castellan_boards_due", "Boards whose post or edit is due and not confirmed.", float64(counts.PendingBoards))
	c.gauge("castellan_challenges_due", "Challenges whose post or edit is due and not confirmed.", float64(counts.PendingChallenges))
	for kind, n := range held {
		c.gauge("castellan_leases", "Leases that this process holds, by kind.", float64(n), "kind", kind)
	}
	if d, err := w.Bot.DeliveryLag(ctx); err == nil {
		c.gauge("castellan_reconciler_lag_seconds", "How long the oldest due post or edit has been due.", d.Seconds())
	}
}

// collectGateway reports on the shards. Before their number is known it reports
// shard 0 as not connected.
func (w collector) collectGateway(c values, state gateway.State) {
	report := w.Bot.Shards()
	report.Shards = slices.DeleteFunc(report.Shards, func(s gateway.Shard) bool { return s.Elsewhere })
	if len(report.Shards) == 0 && !state.Standby {
		report.Shards = []gateway.Shard{{Shards: 1, State: state}}
	}
	for _, s := range report.Shards {
		id := strconv.Itoa(s.ID)
		c.gauge("castellan_gateway_connected", "Whether events from Discord arrive, by shard.", boolValue(s.Connected), "shard", id)
		c.gauge("castellan_gateway_failures", "Consecutive connection failures, by shard; 0 while connected.", float64(s.Failures), "shard", id)
		c.gauge("castellan_gateway_guilds", "Servers of which the bot is a member, by shard.", float64(s.Guilds), "shard", id)
		c.counter("castellan_gateway_connections_total", "Sessions with Discord that became ready, by shard; all but the first are reconnects.", float64(s.Connections), "shard", id)
		if s.Connected {
			c.gauge("castellan_gateway_ack_age_seconds", "Time since Discord acknowledged a heartbeat, by shard; absent while not connected.", s.AckAge.Seconds(), "shard", id)
		}
		if s.Latency > 0 {
			c.gauge("castellan_gateway_latency_seconds", "Time that Discord took to acknowledge the last heartbeat, by shard.", s.Latency.Seconds(), "shard", id)
		}
	}
	if !report.Asked.IsZero() {
		c.gauge("castellan_gateway_identifies_remaining", "Sessions that may be started until Discord's limit is reset, by its last answer.", float64(report.Info.SessionStartLimit.Remaining))
		c.gauge("castellan_gateway_shards_recommended", "Shards that Discord recommends, by its last answer.", float64(report.Info.Shards))
	}
}

// read returns what the store has to count, and how many leases of each kind this
// process holds. The kind is the name up to the first slash.
func (w collector) read(ctx context.Context) (c storage.Counts, held map[string]int, err error) {
	err = w.Store.Report(ctx, func(r storage.Reader) (err error) {
		if c, err = r.Counts(w.Now()); err != nil || w.Process == "" {
			return err
		}
		all, err := r.Leases("")
		held = map[string]int{}
		for _, l := range all {
			kind, _, _ := strings.Cut(l.Name, "/")
			if l.Holder == w.Process && l.Left > 0 {
				held[kind]++
			}
		}
		return err
	})
	return c, held, err
}

func boolValue(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
