package metrics

import (
	"fmt"
	"net"
	"net/http"
	"slices"
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

// HeaderPost is a header that a POST must have: a web page could not add it.
const HeaderPost = "X-Castellan"

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
	return guard(s.Hosts, mux), nil
}

// guard refuses what the web pages in somebody's browser can send: requests with an
// origin, and requests to a name that its owner has pointed here (DNS rebinding), which
// has a dot. hosts lists names with a dot that are this machine's.
func guard(hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		own := func(name string) bool { return strings.EqualFold(name, host) }
		switch {
		case strings.Contains(host, ".") && net.ParseIP(host) == nil && !slices.ContainsFunc(hosts, own):
			http.Error(w, "This name is not among hosts under [http] in the configuration.", http.StatusMisdirectedRequest)
		case r.Header.Get("Origin") != "":
			http.Error(w, "This is not for web pages.", http.StatusForbidden)
		case r.Method == http.MethodPost && r.Header.Get(HeaderPost) == "":
			http.Error(w, "A POST needs the header "+HeaderPost+".", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
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
