// Package bot is everything that speaks Discord: the commands, what answers
// them, and the board messages. The connection is kept by bot/discord/gateway.
//
// An interaction comes in through one place (serve), which gives its handler a
// context with a deadline, acknowledges in time, recovers from panics, and
// turns errors into sentences. A handler returns a [Response]; it never
// answers itself. What everybody must see is not an answer: it is posted to
// the channel by the poster, under a nonce, in the handler's call if possible
// and by the reconciler if not, so that nothing is lost when the process dies
// between the two.
//
// The package knows no game by name: commands, buttons and suggestions come
// from the games' own schemas and actions.
package bot
