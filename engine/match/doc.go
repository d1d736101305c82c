// Package match is one match's life as a pure state machine over its log.
//
// A match is its [Settings] and its log of [Entry] values; everything else is
// computed from them. A [Match] value never changes. What a player asks for is
// decided first (Act, Undo, Resign, Claim, Abort return the entries it would add, or
// why not), then the entries are applied (With), so that the log can be
// written in between. Time and identities come in as arguments.
package match
