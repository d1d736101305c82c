// Package sandbox is a Discord look-alike on loopback: the part of Discord's
// REST API and gateway that a bot with slash commands, buttons, menus and
// pictures needs, and a web page on which one person plays several users. It
// contains nothing specific to a bot. Any bot in any library can use it: the
// bot needs the address of the API, Base + "/api", and Token.
//
// The sandbox behaves as Discord documents: shapes, limits, error codes with
// their paths, and surprises such as the edit that ends a deferral and notifies
// nobody. docs/discord-behaviours.md lists each behaviour with its source and
// its test.
//
// It has the gateway (JSON, API 9 and 10, every compression, shards) with
// heartbeat, identify, resume, intents, requests for members and soundboards,
// presences and typing; interactions over HTTP; several guilds with text
// channels, roles and overwrites; threads and direct messages; application
// commands, including context menus, with their contexts and installs;
// interactions of commands, autocomplete, buttons, select menus and modals with
// the response types 4 to 9 and 12; original responses and follow-ups; messages
// with attachments, embeds, both versions of components, allowed mentions and
// nonces; and each user's notifications.
//
// Bots can also use reactions, pins, polls, webhooks, typing, members, roles,
// channels of most types and their overwrites.
//
// It does not have stickers, custom emojis, sound in voice channels, stages,
// invites, bans and timeouts, audit logs, scheduled events, entitlements,
// OAuth2, ETF, and the cap on edits of old messages. Operations that it does not
// have answer 400 with a code of the sandbox's own and their name;
// docs/sandbox-operations.md lists all. Nothing survives a restart.
//
// Tests use the sandbox in process: [Sandbox.As] acts as a person,
// [Sandbox.Wait] waits for the outcome without sleeping, Options.Now and
// Options.AfterFunc replace the clock, and Options.Observe sees every request.
//
// The sandbox fails on demand. [Sandbox.Plan] adds a [Fault] that requests,
// events or connections meet; the returned handle counts them and releases what
// the fault holds. [Sandbox.SilenceGateway] and similar methods act at once.
// [Sandbox.Deny], [Sandbox.SetOverwrite], [Sandbox.RemoveChannel] and
// [Sandbox.RemoveBotFrom] take away what a bot relies on, and [Sandbox.Tally]
// counts the outcome. The page has a panel for all of this.
//
// Packages below internal do the work: model holds the state, rest, gateway and
// page serve it, payload validates request bodies, fault plans failures, and
// api and world contain the types.
package sandbox
