// Package sandbox is a Discord look-alike on loopback: the part of Discord's
// REST API and gateway that Castellan and the bots of package clients use, and a web
// page on which one person plays several users. It contains nothing specific to a
// bot: any bot in any library needs the address of the API, Base + "/api", and Token.
//
// The sandbox behaves as Discord documents: shapes, limits, error codes with
// their paths, and surprises such as the edit that ends a deferral and notifies
// nobody. docs/build/discord-behaviours.md lists those that are undocumented or
// surprising, each with its source and its test; docs/build/sandbox-operations.md lists
// the operations. All others answer 400 with a code of the sandbox's own and their name.
// Nothing survives a restart.
//
// Tests use the sandbox in process: [Sandbox.As] acts as a person,
// [Sandbox.Wait] waits for the outcome without sleeping, Options.Now and
// Options.AfterFunc replace the clock, and Options.Observe sees every request.
//
// The sandbox fails on demand. [Sandbox.Plan] adds a [faults.Fault] that requests,
// events or connections meet; the returned handle counts them and releases what
// the fault holds. The methods of Sandbox.Gateway act at once.
// [Sandbox.Deny], [Sandbox.RemoveChannel] and [Sandbox.RemoveBotFrom] take away
// what a bot relies on, and [Sandbox.Tally] counts the outcome. The page has a
// panel for all of this.
//
// This package is the state, the people who act on it, the REST API (files
// rest*.go) and the page (page*.go). Package api has Discord's objects and reads
// them from requests, apispec its description, faults plans failures, and
// gateway serves the connections of bots.
package sandbox
