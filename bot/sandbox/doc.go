// Package sandbox is a Discord look-alike on loopback: the part of Discord's
// REST API and gateway that a bot with slash commands, buttons, menus and
// pictures needs, and a web page on which one person plays several users. It
// knows nothing of any bot; a bot is pointed at it by one http.RoundTripper
// that replaces https://discord.com by the sandbox's address, and by Token.
//
// What a bot meets is what Discord documents, wherever this package answers
// at all: shapes, limits, error codes and their paths, and the traps, such as
// the edit that ends a deferral and notifies nobody. Each behaviour, its
// source and the test that pins it stand in docs/discord-behaviours.md.
//
// It has: the gateway (JSON, API 9 and 10) with heartbeat, identify, resume
// and intents; application commands; interactions of commands, autocomplete,
// buttons and menus with the answers 4 to 8; original responses and
// follow-ups; channel messages with attachments, embeds, components of both
// versions, allowed mentions and nonces; and the marks that tell each user of
// a notification.
//
// It has not: modals, context-menu invocations, direct messages, threads,
// reactions, pins, polls, stickers, roles, overwrites but for members, voice, webhooks of other kinds,
// member and channel management, compression and other gateway encodings,
// an interactions endpoint over HTTP, real rate limits, and the cap on edits
// of old messages. Nothing is kept over a restart.
//
// Tests use the sandbox in process: [Sandbox.As] does what a person does,
// [Sandbox.Wait] waits for what comes of it without sleeping, Options.Now and
// Options.AfterFunc replace the clock, and Options.Observe sees every
// exchange.
//
// On demand it misbehaves: [Sandbox.Plan] puts a [Fault] in the way of
// requests, events and connections, and its handle says when it was met and
// releases what it holds; [Sandbox.SilenceGateway] and its like act at once;
// [Sandbox.Deny], [Sandbox.RemoveChannel] and [Sandbox.RemoveBot] take away
// what a bot relies on. [Sandbox.Tally] counts what came of it. The page has a
// panel for all of that.
package sandbox
