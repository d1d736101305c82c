// Package interaction receives Discord's interactions, routes them to handlers
// and answers them.
//
// A [Server] answers every interaction within the three seconds that Discord
// allows: if the handler is not done after 1.5 seconds, it defers the reply.
// Everything that distinguishes one route from another (how it is counted
// against flooding, and who may use it) is declared on the [Route]; its [Kind] says
// how its reply is deferred.
package interaction
