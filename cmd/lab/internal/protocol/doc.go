// Package protocol is the line protocol by which programs play each other. A
// [Server] answers for a game's computer players; a [Program] lets
// another program play as one of ours. docs/reference/engine-protocol.md describes the protocol
// with a complete session.
//
// It follows the Universal Chess Interface (Huber and Meyer-Kahlen, 2000), for
// games of any number of seats whose turns are one action or more.
package protocol
