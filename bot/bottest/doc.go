// Package bottest runs a whole bot in a test, with a Discord that answers within
// the process.
package bottest
