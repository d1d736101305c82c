// Package protocol is the line protocol by which programs play each other: an
// [Engine] answers on one pair of streams for the computer players of a game,
// and a [Client] is the other end, so that a program elsewhere plays as one of
// ours. docs/engine-protocol.md describes it with a whole session.
//
// It is in the manner of the Universal Chess Interface (Huber and
// Meyer-Kahlen, 2000), for games of any number of seats whose turns are one
// action or more.
//
// The streams come in as arguments, and so does all that knows the time.
package protocol

// Version is the version of the protocol, which rises when a program that
// speaks the one before would go wrong.
const Version = 1
