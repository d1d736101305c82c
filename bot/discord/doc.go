// Package discord sends requests to Discord's REST API, version 10. It has the
// types of the bodies that Castellan sends, Discord's limits, permission bits
// and error codes, and a client that keeps to rate limits within the deadline of
// a context and returns typed errors.
//
// discordgo receives: its events are what handlers read. It does not send,
// because several of its bodies are not Discord's (fields that Discord does not
// know, answers whose message is dropped), and because it sleeps through rate
// limits.
//
// The source of every shape is Discord's developer documentation
// (https://docs.discord.com/developers).
package discord
