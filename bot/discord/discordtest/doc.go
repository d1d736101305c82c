// Package discordtest is a Discord for tests that answers within the process: an
// HTTP transport that records requests and gives planned answers, interactions
// as Discord would send them, and a log that fails the test if it contains a
// token.
package discordtest
