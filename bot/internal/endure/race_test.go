//go:build race

package endure_test

// Under the race detector the bot is many times slower.
const defaultKills = 20
