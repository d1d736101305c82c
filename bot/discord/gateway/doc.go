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
// Each shard runs one discordgo session after another. Each serves one
// connection and is never reused: when the connection ends, hangs or stops
// being acknowledged, the session is abandoned and a new one resumes it if
// Discord allows that, or identifies anew. Only the current session's events
// are handed on, each once: events that a resume repeats are recognised by their
// sequence numbers.
//
// discordgo identifies, resumes, sends heartbeats and decodes events, but over
// a pipe in memory. This package copies the frames between that pipe and
// Discord. The pipe works around these properties of discordgo:
//
//   - While it opens a session it holds a lock that it also takes for the opcodes
//     7, 9 and 11 (bwmarrin/discordgo#513). The pipe holds these frames back
//     then, and also a heartbeat request and a frame that is not an object.
//   - It hides the close code, which decides whether to resume, to identify or to
//     give up.
//   - It notices a dead connection only after five heartbeat intervals. This
//     package watches the acknowledgements itself.
//   - It closes with code 1000, after which a session cannot be resumed.
//   - It learns which session to resume from a READY only, so the pipe sends one.
//   - If a session hangs with its locks held, the only way out is to close the
//     connection under it.
package gateway
