// Package discord sends requests to Discord's REST API, version 10. It has the
// types of the bodies that Castellan sends, Discord's limits, permission bits
// and error codes, and a client that keeps to rate limits within the deadline of
// a context and returns typed errors. An [Endpoint] receives interactions over HTTP.
//
// The library discordgo has the types of received objects. Its requests are not
// used: several of its bodies are not Discord's (fields that Discord does not know,
// answers whose message is dropped), and it sleeps through rate limits.
//
// The source of every shape is Discord's developer documentation
// (https://docs.discord.com/developers).
package discord
