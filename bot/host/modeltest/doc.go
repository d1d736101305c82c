// Package modeltest has only tests: it compares package host with a simple model
// of it after random steps of people, clocks, outages and restarts. CONTRIBUTING.md
// says how to run it and how to extend the model.
package modeltest
