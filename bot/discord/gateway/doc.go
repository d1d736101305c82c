// Package gateway keeps a bot connected to Discord's gateway.
//
// A [Gateway] runs one discordgo session after another. Each serves one
// connection and is never reused: when the connection ends, hangs or stops
// being acknowledged, the session is abandoned and a new one resumes it if
// Discord allows that, or identifies anew. Only the current session's events
// are handed on, each once: what a resume repeats is recognised by its sequence
// number.
//
// discordgo identifies, resumes, sends heartbeats and decodes events, but over
// a pipe in memory, and this package copies the frames between that pipe and
// Discord. The pipe must stay as long as discordgo does. While it opens a
// session, discordgo holds the lock that the opcodes 7, 9 and 11 make it take,
// so these frames must not reach it then (bwmarrin/discordgo#513), nor may a
// heartbeat of Discord's or a frame that is not an object. It hides the code of
// a close, by which to tell whether to resume, to identify or to give up. It
// notices a dead connection after five heartbeat intervals, so acknowledgements
// are watched here. It closes with code 1000, after which nothing can be
// resumed. It has no way to be told which session to resume other than a READY,
// which the pipe makes up. And a session that hangs with its locks held can only
// be left behind by closing the connection under it.
package gateway
