// Package gateway keeps the bot connected to Discord's gateway.
//
// A [Gateway] runs one discordgo session after another. A session serves one
// connection and is never reused: when the connection ends, hangs or is no
// longer acknowledged, the session is abandoned and a new one takes its place,
// which resumes where the other stopped if Discord allows it, and identifies
// anew if not. An event is handed on by the current session alone, and only
// once: what a resume repeats is recognised by its number.
//
// discordgo speaks the protocol (it identifies, resumes, sends heartbeats and
// decodes events), but it does so on a line of ours: a pipe in memory to which
// every frame is copied from the connection to Discord and back. So the
// frames on which discordgo is known to hang never reach it, heartbeats and
// their acknowledgements are counted against a clock that is an argument, the
// code of a close is known, and a session that hangs with its own locks held
// can be left behind without its consent.
//
// The REST side of Discord is not touched: it goes through a client that knows
// nothing of sessions.
package gateway
