package metrics

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"castellan/bot"
	"castellan/bot/computer"
	"castellan/bot/discord"
	"castellan/bot/interaction"
	"castellan/storage"
)

// Build identifies the program.
type Build struct {
	Version   string // such as "1.2.3"
	Revision  string // of the source, empty if unknown
	GoVersion string // such as "go1.26.0"
}

// Metrics holds the metrics of one bot. Use New. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	interactions   *prometheus.CounterVec
	acknowledged   *prometheus.HistogramVec
	requests       *prometheus.CounterVec
	requestTime    *prometheus.HistogramVec
	limits         *prometheus.CounterVec
	transactions   *prometheus.CounterVec
	transaction    *prometheus.HistogramVec
	search         *prometheus.HistogramVec
	searchFailures *prometheus.CounterVec
	refused        *prometheus.CounterVec
	reruns         prometheus.Counter
	claims         *prometheus.CounterVec
	fenced         prometheus.Counter
	texts          prometheus.Counter
	signals        *prometheus.CounterVec
	jobs           *prometheus.CounterVec
	job            *prometheus.HistogramVec
}

// Buckets of the histograms, in seconds. Discord waits three seconds for an
// acknowledgement, and the bot defers its answer after one and a half.
var (
	acknowledgementBuckets = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 3}
	requestBuckets         = []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
	searchBuckets          = []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3}
	jobBuckets             = []float64{0.01, 0.1, 1, 10, 60, 600, 3600}
	transactionBuckets     = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5}
)

// New returns metrics that are all zero, and those of the Go runtime and the
// process.
func New(b Build) *Metrics {
	registry := prometheus.NewRegistry()
	auto := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, label string) *prometheus.HistogramVec {
		return auto.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{label})
	}
	m := &Metrics{
		registry:       registry,
		interactions:   counter("castellan_interactions_total", "Interactions by kind and outcome.", "kind", "outcome"),
		acknowledged:   histogram("castellan_acknowledgement_seconds", "Time from the arrival of an interaction until Discord confirmed the acknowledgement; Discord waits 3 s.", acknowledgementBuckets, "kind"),
		requests:       counter("castellan_discord_requests_total", "Requests to Discord by route and status of the answer; 0 if there was none.", "route", "status"),
		requestTime:    histogram("castellan_discord_request_seconds", "Time until Discord answered a request, without waiting for rate limits.", requestBuckets, "route"),
		limits:         counter("castellan_discord_rate_limits_total", "Rate limits hit, by scope; held: a known limit, budget: too many invalid requests; nothing was sent.", "limit"),
		transactions:   counter("castellan_database_transactions_total", "Transactions by kind and outcome; refused: not allowed by the rules of the bot or of a game.", "kind", "outcome"),
		transaction:    histogram("castellan_database_transaction_seconds", "Time of a transaction until it is on disk, including the wait for its turn.", transactionBuckets, "kind"),
		search:         histogram("castellan_search_seconds", "Time of a search of the computer, for a turn of its own or a hint.", searchBuckets, "kind"),
		searchFailures: counter("castellan_searches_failed_total", "Searches of the computer that failed.", "kind"),
		refused:        counter("castellan_endpoint_refused_total", "Requests to the interactions endpoint that were not served, by status of the answer.", "status"),
		reruns:         auto.NewCounter(prometheus.CounterOpts{Name: "castellan_database_reruns_total", Help: "Updates that ran again, because of others at the same time or because the connection was lost."}),
		claims:         counter("castellan_claims_total", "Posts that this process has claimed from those that are due, by what they show.", "what"),
		fenced:         auto.NewCounter(prometheus.CounterOpts{Name: "castellan_fenced_total", Help: "Results of this process that came after another one had taken over."}),
		texts:          auto.NewCounter(prometheus.CounterOpts{Name: "castellan_texts_incomplete_total", Help: "Texts for people that did not exist or lacked an argument."}),
		signals:        counter("castellan_signals_total", "Signals to other processes on the database, by kind, sent or heard.", "kind", "direction"),
		jobs:           counter("castellan_jobs_total", "Jobs that this process has run, by outcome.", "kind", "outcome"),
		job:            histogram("castellan_job_seconds", "Time of a job.", jobBuckets, "kind"),
	}
	auto.NewGauge(prometheus.GaugeOpts{
		Name: "castellan_build_info", Help: "Identifies the program; always 1.",
		ConstLabels: prometheus.Labels{"version": b.Version, "revision": b.Revision, "go": b.GoVersion},
	}).Set(1)
	registry.MustRegister(
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.MetricsGC, collectors.MetricsMemory)),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	// Counters begin at zero instead of being absent, so that the first event is
	// an increase.
	for _, kind := range interaction.Kinds() {
		m.acknowledged.WithLabelValues(string(kind))
		for _, outcome := range interaction.Outcomes() {
			m.interactions.WithLabelValues(string(kind), string(outcome))
		}
	}
	for _, limit := range []discord.RateLimit{discord.RateLimitRoute, discord.RateLimitGlobal, discord.RateLimitOldEdits, discord.RateLimitHeld, discord.RateLimitBudget} {
		m.limits.WithLabelValues(string(limit))
	}
	for _, status := range []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusRequestEntityTooLarge} {
		m.refused.WithLabelValues(strconv.Itoa(status))
	}
	m.claimed(storage.ClaimedPosts{})
	for _, kind := range storage.SignalKinds() {
		m.signals.WithLabelValues(string(kind), "sent")
		m.signals.WithLabelValues(string(kind), "heard")
	}
	for _, kind := range []string{searchTurn, searchHint} {
		m.search.WithLabelValues(kind)
		m.searchFailures.WithLabelValues(kind)
	}
	for _, kind := range []string{kindUpdate, kindView, kindReport} {
		m.transaction.WithLabelValues(kind)
		for _, outcome := range outcomes() {
			m.transactions.WithLabelValues(kind, outcome)
		}
	}
	return m
}

// Observer returns the functions that the bot calls.
func (m *Metrics) Observer() bot.Observer {
	return bot.Observer{Interaction: m.observeInteraction, Request: m.observeRequest, Computation: m.observeComputation, Refused: m.observeRefusal}
}

func (m *Metrics) observeRefusal(status int) { m.refused.WithLabelValues(strconv.Itoa(status)).Inc() }

// ObserveRerun counts an update of the store that runs again.
func (m *Metrics) ObserveRerun() { m.reruns.Inc() }

// ObserveText counts a text that did not exist or lacked an argument.
func (m *Metrics) ObserveText() { m.texts.Inc() }

func (m *Metrics) claimed(p storage.ClaimedPosts) {
	for what, n := range map[string]int{"board": len(p.Boards), "challenge": len(p.Challenges), "daily": len(p.Daily)} {
		m.claims.WithLabelValues(what).Add(float64(n))
	}
}

// What the computer searches for.
const (
	searchTurn = "turn"
	searchHint = "hint"
)

func (m *Metrics) observeComputation(t computer.Computation) {
	kind := searchTurn
	if t.Hint {
		kind = searchHint
	}
	m.search.WithLabelValues(kind).Observe(t.Duration.Seconds())
	if t.Failed {
		m.searchFailures.WithLabelValues(kind).Inc()
	}
}

func (m *Metrics) observeInteraction(s interaction.Served) {
	m.interactions.WithLabelValues(string(s.Kind), string(s.Outcome)).Inc()
	if s.Confirmed {
		m.acknowledged.WithLabelValues(string(s.Kind)).Observe(s.Acknowledged.Seconds())
	}
}

func (m *Metrics) observeRequest(s discord.RequestResult) {
	if s.RateLimit != "" {
		m.limits.WithLabelValues(string(s.RateLimit)).Inc()
	}
	if s.RateLimit == discord.RateLimitHeld || s.RateLimit == discord.RateLimitBudget {
		return // nothing was sent
	}
	m.requests.WithLabelValues(s.Route, strconv.Itoa(s.Status)).Inc()
	m.requestTime.WithLabelValues(s.Route).Observe(s.Duration.Seconds())
}
