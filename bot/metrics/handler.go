package metrics

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Paths of the handler.
const (
	PathMetrics = "/metrics"
	PathHealth  = "/healthz"
	PathReady   = "/readyz"
)

// Handler serves the figures, health and readiness of a bot. It is called once.
//
// Health and readiness answer 200 where all is well and 503 where it is not,
// with a line for each thing that was looked at.
func (m *Metrics) Handler(s Sources) (http.Handler, error) {
	if err := m.registry.Register(watcher{s}); err != nil {
		return nil, fmt.Errorf("adding what is looked up: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+PathMetrics, promhttp.InstrumentMetricHandler(m.registry, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		// One figure that cannot be had does not hide the others.
		ErrorHandling: promhttp.ContinueOnError, Registry: m.registry, MaxRequestsInFlight: maxAtOnce,
	})))
	mux.Handle("GET "+PathHealth, answer(s.health))
	mux.Handle("GET "+PathReady, answer(s.readiness))
	return mux, nil
}

// maxAtOnce is how many may ask for the figures at a time: each has the
// matches counted.
const maxAtOnce = 3

var _ prometheus.Collector = watcher{}

// answer writes what was looked at.
func answer(look func(*http.Request) []check) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusOK
		var b strings.Builder
		for _, c := range look(r) {
			if c.wrong != "" {
				status = http.StatusServiceUnavailable
				fmt.Fprintf(&b, "%s: %s\n", c.what, c.wrong)
			} else {
				fmt.Fprintf(&b, "%s: ok\n", c.what)
			}
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(b.String())) // whoever asked may have gone
	})
}
