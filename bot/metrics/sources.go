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
	// Connection returns the state of the connections to Discord together.
	Connection() gateway.State
	// SinceContact returns how long ago Discord last answered a request or sent an
	// interaction over HTTP. direct says that the bot has no gateway connection.
	SinceContact() (since time.Duration, direct bool)
	// Roles returns what this process does.
	Roles() bot.Roles
	// Shards describes the connections to Discord.
	Shards() gateway.Report
	// CheckShards asks Discord whether it recommends more shards.
	CheckShards()
	// Ready returns a channel that is closed once the bot has been connected and
	// its commands are registered.
	Ready() <-chan struct{}
	// DeliveryLag returns how long the oldest due work has been due.
	DeliveryLag(context.Context) (time.Duration, error)
	// SinceReconcile returns the time since the reconciler last finished a pass, or
	// started its first. ok is false before that.
	SinceReconcile() (since time.Duration, ok bool)
	// Ahead returns how many posts and edits were done before their planned time,
	// because the clock had gone back.
	Ahead() uint64
	// Unreadable returns the number of matches that cannot be rebuilt.
	Unreadable() int
	// InProgress returns the number of interactions being served.
	InProgress() int
	// InvalidRequests returns how many answers of 401, 403 and 429 Discord has
	// given in the last ten minutes.
	InvalidRequests() int
	// ComputerLoad returns how many turns and hints the computer is thinking about,
	// and how many hints are waiting.
	ComputerLoad() (busy, waiting int)
}

// Sources holds what metrics and checks read.
type Sources struct {
	Bot   Bot
	Store storage.Store
	Now   func() time.Time // the clock of the records in the store
	// Process is the name of the process as the holder of leases, empty if it has the
	// store to itself.
	Process string
}

// storeTimeout bounds a query of the store.
const storeTimeout = 2 * time.Second

var (
	matches    = describe("castellan_matches", "Matches by game and state: running, or how they ended.", "game", "state")
	open       = describe("castellan_challenges_open", "Challenges that can still be answered.")
	boards     = describe("castellan_boards_due", "Boards whose post or edit is due and not confirmed.")
	challenges = describe("castellan_challenges_due", "Challenges whose post or edit is due and not confirmed.")
	lag        = describe("castellan_reconciler_lag_seconds", "How long the oldest due post or edit has been due.")
	pulse      = describe("castellan_reconciler_pulse_seconds", "Time since the reconciler finished a pass; one begins every few seconds.")
	ahead      = describe("castellan_reconciler_ahead_total", "Posts and edits that were due later than any delay, because the clock had been ahead; they were done at once.")
	unreadable = describe("castellan_matches_unreadable", "Matches that somebody wanted to see and whose log was altered or cannot be replayed.")
	up         = describe("castellan_database_up", "Whether the database answered the query for these metrics.")
	underWay   = describe("castellan_interactions_under_way", "Interactions being served.")
	thoughts   = describe("castellan_thoughts_under_way", "Turns and hints that the computer is thinking about.")
	hints      = describe("castellan_hints_waiting", "Hints that wait for the computer.")
	turns      = describe("castellan_computer_turns", "Matches in which a computer is to move.")
	connected  = describe("castellan_gateway_connected", "Whether events from Discord arrive, by shard.", "shard")
	connects   = describe("castellan_gateway_connections_total", "Sessions with Discord that became ready, by shard; all but the first are reconnects.", "shard")
	failures   = describe("castellan_gateway_failures", "Consecutive connection failures, by shard; 0 while connected.", "shard")
	ackAge     = describe("castellan_gateway_ack_age_seconds", "Time since Discord acknowledged a heartbeat, by shard; absent while not connected.", "shard")
	latency    = describe("castellan_gateway_latency_seconds", "Time that Discord took to acknowledge the last heartbeat, by shard.", "shard")
	guilds     = describe("castellan_gateway_guilds", "Servers of which the bot is a member, by shard.", "shard")
	identifies = describe("castellan_gateway_identifies_remaining", "Sessions that may be started until Discord's limit is reset, by its last answer.")
	recommends = describe("castellan_gateway_shards_recommended", "Shards that Discord recommends, by its last answer.")
	contact    = describe("castellan_discord_contact_seconds", "Time since Discord last answered a request, or sent an interaction over HTTP.")
	invalid    = describe("castellan_discord_invalid_requests", "Answers of 401, 403 and 429 in the last ten minutes; Discord bans an address for 10,000.")
	leases     = describe("castellan_leases", "Leases that this process holds, by kind.", "kind")
	role       = describe("castellan_role", "1 for each role of the process: gateway, http, poster, worker.", "role")
	ready      = describe("castellan_ready", "Whether the bot has been connected and its commands are registered.")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// collector reads the current values when metrics are scraped.
type collector struct{ Sources }

func (w collector) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{matches, open, boards, challenges, lag, pulse, ahead, unreadable, up, underWay, thoughts, hints, turns, connected, connects, failures, ackAge, contact, latency, guilds, identifies, recommends, invalid, leases, role, ready} {
		c <- d
	}
}

// Collect implements prometheus.Collector. Unknown values are left out rather
// than reported as zero.
func (w collector) Collect(c chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	since, direct := w.Bot.SinceContact()
	gauge(contact, since.Seconds())
	if !direct {
		w.collectGateway(c, gauge)
	}
	c <- prometheus.MustNewConstMetric(ahead, prometheus.CounterValue, float64(w.Bot.Ahead()))
	gauge(unreadable, float64(w.Bot.Unreadable()))
	for _, name := range w.Bot.Roles().Names() {
		gauge(role, 1, name)
	}
	gauge(ready, boolValue(isClosed(w.Bot.Ready())))
	gauge(invalid, float64(w.Bot.InvalidRequests()))
	gauge(underWay, float64(w.Bot.InProgress()))
	busy, waiting := w.Bot.ComputerLoad()
	gauge(thoughts, float64(busy))
	gauge(hints, float64(waiting))
	if since, ok := w.Bot.SinceReconcile(); ok {
		gauge(pulse, since.Seconds())
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	counts, held, err := w.read(ctx)
	gauge(up, boolValue(err == nil))
	if err != nil {
		return
	}
	for key, n := range counts.Matches {
		state := key.Ending
		if state == "" {
			state = "running"
		}
		gauge(matches, float64(n), key.Game, state)
	}
	gauge(open, float64(counts.OpenChallenges))
	gauge(turns, float64(counts.ComputerTurns))
	gauge(boards, float64(counts.PendingBoards))
	gauge(challenges, float64(counts.PendingChallenges))
	for kind, n := range held {
		gauge(leases, float64(n), kind)
	}
	if d, err := w.Bot.DeliveryLag(ctx); err == nil {
		gauge(lag, d.Seconds())
	}
}

// collectGateway reports on the shards. Before their number is known it reports
// shard 0 as not connected.
func (w collector) collectGateway(c chan<- prometheus.Metric, gauge func(*prometheus.Desc, float64, ...string)) {
	report := w.Bot.Shards()
	report.Shards = slices.DeleteFunc(report.Shards, func(s gateway.Shard) bool { return s.Elsewhere })
	if state := w.Bot.Connection(); len(report.Shards) == 0 && !state.Standby {
		report.Shards = []gateway.Shard{{Shards: 1, State: state}}
	}
	for _, s := range report.Shards {
		id := strconv.Itoa(s.ID)
		gauge(connected, boolValue(s.Connected), id)
		gauge(failures, float64(s.Failures), id)
		gauge(guilds, float64(s.Guilds), id)
		c <- prometheus.MustNewConstMetric(connects, prometheus.CounterValue, float64(s.Connections), id)
		if s.Connected {
			gauge(ackAge, s.AckAge.Seconds(), id)
		}
		if s.Latency > 0 {
			gauge(latency, s.Latency.Seconds(), id)
		}
	}
	if !report.Asked.IsZero() {
		gauge(identifies, float64(report.Info.SessionStartLimit.Remaining))
		gauge(recommends, float64(report.Info.Shards))
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

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
