// Package metrics exports what the bot does to Prometheus, and answers two
// questions of a supervisor: whether the process can serve (/healthz), and
// whether it does (/readyz).
//
// [Metrics] keeps the counters. It learns of interactions and requests as the
// bot's Observer, and of transactions by wrapping the store; everything else,
// such as the number of matches, is looked up on request. docs/host/metrics.md
// explains every metric.
//
// The bot does not know this package.
package metrics
