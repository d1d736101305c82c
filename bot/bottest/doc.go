// Package bottest runs a whole bot in a test, with a Discord that answers within
// the process. It also reads what the bot shows to people in the sandbox, and
// chooses turns for them.
package bottest
