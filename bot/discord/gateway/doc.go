// Package gateway keeps a bot connected to Discord's gateway, in one shard or
// several.
//
// A [Gateway] keeps the shards of one generation connected: those that divide the
// guilds among one number of shards. When Discord recommends more, the next
// generation connects beside the first and takes over once all its shards are
// ready. Discord sends events to both meanwhile. Interactions are handed on once;
// handling another event twice must not matter.
//
// An [Assigner] decides which shards this process holds. A shard can be handed over
// to another connection, which resumes its session.
//
// Each shard runs one session after another. A session serves one connection and
// is never reused: when the connection ends, hangs or stops being acknowledged, the
// session is abandoned and a new one resumes it if Discord allows that, or
// identifies anew. Only the current session's events are handed on, each once and in
// order: events that a resume repeats are recognised by their sequence numbers.
//
// The protocol is in session.go; discordgo has the types of the events.
package gateway
