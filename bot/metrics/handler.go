package metrics

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Paths that the handler serves.
const (
	PathMetrics = "/metrics"
	PathHealth  = "/healthz"
	PathReady   = "/readyz"
	PathShards  = "/shards" // a POST has the bot ask Discord how many it recommends
)

// Handler returns a handler for the metrics, health and readiness of a bot. It
// is called once.
//
// Health and readiness answer 200 if all checks pass and 503 otherwise, with a
// line for each check.
func (m *Metrics) Handler(s Sources) (http.Handler, error) {
	if err := m.registry.Register(collector{s}); err != nil {
		return nil, fmt.Errorf("registering the collector: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+PathMetrics, promhttp.InstrumentMetricHandler(m.registry, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		// A metric that fails does not hide the others.
		ErrorHandling: promhttp.ContinueOnError, Registry: m.registry, MaxRequestsInFlight: maxScrapes,
	})))
	mux.Handle("GET "+PathHealth, serveChecks(s.health))
	mux.Handle("GET "+PathReady, serveChecks(s.readiness))
	mux.HandleFunc("GET "+PathShards, s.serveShards)
	mux.HandleFunc("POST "+PathShards, s.checkShards)
	return mux, nil
}

// maxScrapes is how many requests for metrics are served at a time: each counts
// all matches.
const maxScrapes = 3

func serveChecks(run func(*http.Request) []check) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusOK
		var b strings.Builder
		for _, c := range run(r) {
			if c.problem != "" {
				status = http.StatusServiceUnavailable
				fmt.Fprintf(&b, "%s: %s\n", c.name, c.problem)
			} else {
				fmt.Fprintf(&b, "%s: ok\n", c.name)
			}
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(b.String())) // the client may have gone
	})
}
