package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"castellan/bot/discord/gateway"
	"castellan/storage"
)

// Bot is what is asked of a bot; *bot.Bot has it.
type Bot interface {
	// Connection is how the connection to Discord stands.
	Connection() gateway.State
	// Ready is closed when the bot was connected for the first time and its
	// commands are registered.
	Ready() <-chan struct{}
	// DeliveryLag is how long the oldest work that is due has been due.
	DeliveryLag(context.Context) (time.Duration, error)
	// SinceReconcile is how long ago the reconciler finished a look; ok is false before
	// it begins.
	SinceReconcile() (since time.Duration, ok bool)
	// InProgress is how many interactions are being served.
	InProgress() int
	// ComputerLoad is how many turns and hints are thought about, and how many
	// hints wait for that.
	ComputerLoad() (busy, waiting int)
}

// Sources is where the figures come from that are looked up.
type Sources struct {
	Bot   Bot
	Store storage.Store
	Now   func() time.Time // of the records in the store
}

// askWithin is for how long the store is waited for.
const askWithin = 2 * time.Second

var (
	matches    = describe("castellan_matches", "Matches by game and state: running, or how they ended.", "game", "state")
	open       = describe("castellan_challenges_open", "Challenges that can still be answered.")
	boards     = describe("castellan_boards_due", "Boards whose post or edit is due and not confirmed.")
	challenges = describe("castellan_challenges_due", "Challenges whose post or edit is due and not confirmed.")
	lag        = describe("castellan_reconciler_lag_seconds", "How long the oldest post or edit that is due has been due.")
	pulse      = describe("castellan_reconciler_pulse_seconds", "How long ago the reconciler finished a look; it looks every few seconds.")
	up         = describe("castellan_database_up", "Whether the database answered when these figures were asked for.")
	underWay   = describe("castellan_interactions_under_way", "Interactions being served.")
	thoughts   = describe("castellan_thoughts_under_way", "Turns of computers and hints that are thought about.")
	hints      = describe("castellan_hints_waiting", "Hints that wait to be thought about.")
	turns      = describe("castellan_computer_turns", "Matches in which a computer is to move.")
	connected  = describe("castellan_gateway_connected", "Whether events of Discord arrive.")
	connects   = describe("castellan_gateway_connections_total", "Sessions with Discord that became ready; all but the first are reconnects.")
	failures   = describe("castellan_gateway_failures", "Failures in a row to connect; 0 while connected.")
	ackAge     = describe("castellan_gateway_ack_age_seconds", "How long ago Discord acknowledged a heartbeat; absent while not connected.")
	ready      = describe("castellan_ready", "Whether the bot was connected and its commands are registered.")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// watcher looks figures up when they are asked for.
type watcher struct{ Sources }

// Describe implements prometheus.Collector.
func (w watcher) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{matches, open, boards, challenges, lag, pulse, up, underWay, thoughts, hints, turns, connected, connects, failures, ackAge, ready} {
		c <- d
	}
}

// Collect implements prometheus.Collector. What cannot be found out is left
// out, so that nobody takes it for a zero.
func (w watcher) Collect(c chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	s := w.Bot.Connection()
	gauge(connected, one(s.Connected))
	gauge(failures, float64(s.Failures))
	c <- prometheus.MustNewConstMetric(connects, prometheus.CounterValue, float64(s.Connections))
	if s.Connected {
		gauge(ackAge, s.AckAge.Seconds())
	}
	gauge(ready, one(isClosed(w.Bot.Ready())))
	gauge(underWay, float64(w.Bot.InProgress()))
	now, waiting := w.Bot.ComputerLoad()
	gauge(thoughts, float64(now))
	gauge(hints, float64(waiting))
	if since, ok := w.Bot.SinceReconcile(); ok {
		gauge(pulse, since.Seconds())
	}
	ctx, cancel := context.WithTimeout(context.Background(), askWithin)
	defer cancel()
	census, err := w.census(ctx)
	gauge(up, one(err == nil))
	if err != nil {
		return
	}
	for finish, n := range census.Matches {
		state := finish.Ending
		if state == "" {
			state = "running"
		}
		gauge(matches, float64(n), finish.Game, state)
	}
	gauge(open, float64(census.OpenChallenges))
	gauge(turns, float64(census.ComputerTurns))
	gauge(boards, float64(census.PendingBoards))
	gauge(challenges, float64(census.PendingChallenges))
	if d, err := w.Bot.DeliveryLag(ctx); err == nil {
		gauge(lag, d.Seconds())
	}
}

func (w watcher) census(ctx context.Context) (c storage.Counts, err error) {
	err = w.Store.View(ctx, func(r storage.Reader) error {
		c, err = r.Counts(w.Now())
		return err
	})
	return c, err
}

func one(yes bool) float64 {
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
