// Package metrics turns what the bot does into figures for Prometheus, and into
// two answers for whoever watches over the process: whether it can serve
// (/healthz), and whether it does (/readyz).
//
// [Metrics] keeps the counters. It learns of interactions and requests as the
// bot's Observer, and of transactions by standing before the store; the rest,
// how many matches there are or how the connection stands, is looked up when
// somebody asks. docs/operating.md explains every name.
//
// The bot knows nothing of this package.
package metrics
