package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"castellan/bot"
	"castellan/bot/discord"
)

// Build is what a program says of itself.
type Build struct {
	Version   string // such as "1.2.3"
	Revision  string // of the source, empty where not known
	GoVersion string // such as "go1.26.0"
}

// Metrics is the figures of one bot. Use New. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	interactions *prometheus.CounterVec
	acknowledged *prometheus.HistogramVec
	requests     *prometheus.CounterVec
	requestTime  *prometheus.HistogramVec
	limits       *prometheus.CounterVec
	transactions *prometheus.CounterVec
	transaction  *prometheus.HistogramVec
	thought      *prometheus.HistogramVec
	thoughtless  *prometheus.CounterVec
}

// Buckets of the histograms, in seconds. Discord waits three seconds for a
// first answer, and the bot puts it off after one and a half.
var (
	acknowledgementBuckets = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 3}
	requestBuckets         = []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
	thoughtBuckets         = []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3}
	transactionBuckets     = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5}
)

// New is figures that are all zero, with those of the Go runtime and of the
// process.
func New(b Build) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		interactions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "castellan_interactions_total", Help: "Interactions by kind and what became of them.",
		}, []string{"kind", "outcome"}),
		acknowledged: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "castellan_acknowledgement_seconds", Help: "Time from the arrival of an interaction until Discord confirmed its first answer; Discord waits 3 s.",
			Buckets: acknowledgementBuckets,
		}, []string{"kind"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "castellan_discord_requests_total", Help: "Requests to Discord by route and status of the answer; 0 where none came.",
		}, []string{"route", "status"}),
		requestTime: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "castellan_discord_request_seconds", Help: "Time until Discord answered a request, without waiting for limits.",
			Buckets: requestBuckets,
		}, []string{"route"}),
		limits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "castellan_discord_rate_limits_total", Help: "Rate limits met, by what they bind; held: known before, and nothing was sent.",
		}, []string{"limit"}),
		transactions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "castellan_database_transactions_total", Help: "Transactions by kind and outcome; refused: the rules of the bot or of a game did not allow it.",
		}, []string{"kind", "outcome"}),
		transaction: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "castellan_database_transaction_seconds", Help: "Time of a transaction, with waiting for its turn, until it is on disk.",
			Buckets: transactionBuckets,
		}, []string{"kind"}),
		thought: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "castellan_thought_seconds", Help: "Time of a thought of the computer, for a turn of its own or a hint.",
			Buckets: thoughtBuckets,
		}, []string{"kind"}),
		thoughtless: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "castellan_thoughts_failed_total", Help: "Thoughts of the computer that came to nothing.",
		}, []string{"kind"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "castellan_build_info", Help: "Which program this is; always 1.",
		ConstLabels: prometheus.Labels{"version": b.Version, "revision": b.Revision, "go": b.GoVersion},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.interactions, m.acknowledged, m.requests, m.requestTime, m.limits, m.transactions, m.transaction, m.thought, m.thoughtless, build,
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.MetricsGC, collectors.MetricsMemory)),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	// What has not happened yet is there as a zero, so that the first time is
	// an increase.
	for _, kind := range bot.Kinds() {
		m.acknowledged.WithLabelValues(kind)
		for _, outcome := range bot.Outcomes() {
			m.interactions.WithLabelValues(kind, string(outcome))
		}
	}
	for _, limit := range []discord.RateLimit{discord.RateLimitRoute, discord.RateLimitGlobal, discord.RateLimitOldEdits, discord.RateLimitHeld} {
		m.limits.WithLabelValues(string(limit))
	}
	for _, kind := range []string{ofTurn, ofHint} {
		m.thought.WithLabelValues(kind)
		m.thoughtless.WithLabelValues(kind)
	}
	for _, kind := range []string{updating, viewing} {
		m.transaction.WithLabelValues(kind)
		for _, outcome := range outcomes() {
			m.transactions.WithLabelValues(kind, outcome)
		}
	}
	return m
}

// Observer is what the bot tells.
func (m *Metrics) Observer() bot.Observer {
	return bot.Observer{Interaction: m.served, Request: m.sent, Thought: m.pondered}
}

// What a thought was for.
const (
	ofTurn = "turn"
	ofHint = "hint"
)

func (m *Metrics) pondered(t bot.Thought) {
	kind := ofTurn
	if t.Hint {
		kind = ofHint
	}
	m.thought.WithLabelValues(kind).Observe(t.Took.Seconds())
	if t.Failed {
		m.thoughtless.WithLabelValues(kind).Inc()
	}
}

func (m *Metrics) served(s bot.Served) {
	m.interactions.WithLabelValues(s.Kind, string(s.Outcome)).Inc()
	if s.Confirmed {
		m.acknowledged.WithLabelValues(s.Kind).Observe(s.Acknowledged.Seconds())
	}
}

func (m *Metrics) sent(s discord.RequestResult) {
	if s.RateLimit != "" {
		m.limits.WithLabelValues(string(s.RateLimit)).Inc()
	}
	if s.RateLimit == discord.RateLimitHeld {
		return // nothing was sent
	}
	m.requests.WithLabelValues(s.Route, strconv.Itoa(s.Status)).Inc()
	m.requestTime.WithLabelValues(s.Route).Observe(s.Duration.Seconds())
}
