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
// It has: the gateway (JSON, API 9 and 10, zlib-stream and compressed payloads,
// shards) with heartbeat, identify, resume and intents; several servers with
// text channels, roles and overwrites; threads and direct messages;
// application commands, those of context menus too, with their contexts and
// installs; interactions of commands, autocomplete, buttons, menus and modals
// with the answers 4 to 9; original responses and follow-ups; messages with
// attachments, embeds, components of both versions, allowed mentions and
// nonces; and the marks that tell each user of a notification.
//
// It has not: reactions, pins, polls, stickers, emojis of one's own, forums,
// announcement channels, categories, voice and stages, webhooks other than an
// interaction's, invites, editing of channels other than threads, of members,
// roles and overwrites by a bot, moderation, audit logs, scheduled events,
// entitlements, OAuth2, editing of one command, file uploads, radio groups and
// checkboxes in modals, attachments of commands, ETF and zstd, an interactions
// endpoint over HTTP, real rate limits, automatic archiving, and the cap on
// edits of old messages. A route of Discord's that is not there answers 501 in
// the shape of Discord's errors with a message that names the sandbox; the
// list is in missing.go. Nothing is kept over a restart.
//
// Any bot in any library can be pointed at it: it needs the address of the API,
// Base + "/api", and Token; the gateway's address it asks for there.
//
// Tests use the sandbox in process: [Sandbox.As] does what a person does,
// [Sandbox.Wait] waits for what comes of it without sleeping, Options.Now and
// Options.AfterFunc replace the clock, and Options.Observe sees every
// exchange.
//
// On demand it misbehaves: [Sandbox.Plan] puts a [Fault] in the way of
// requests, events and connections, and its handle says when it was met and
// releases what it holds; [Sandbox.SilenceGateway] and its like act at once;
// [Sandbox.Deny], [Sandbox.SetOverwrite], [Sandbox.RemoveChannel] and
// [Sandbox.RemoveBotFrom] take away what a bot relies on. [Sandbox.Tally] counts what came of it. The page has a
// panel for all of that.
package sandbox
