// Package oracle checks traffic between a bot and Discord against the facts of
// Discord's API.
//
// An [Exchange] is one request with its answer. [Oracle.Check] finds the
// operation by method and route and validates both bodies. A field of a request
// that is not described is a fault as well: Discord mostly ignores unknown
// fields, so a misspelt one would have no effect and nobody would notice.
// Undescribed fields of answers are accepted: a service may send more than it
// documents.
//
// The oracle also counts what it has checked, by route and, for interaction
// callbacks, by callback type, so that a test can require that every kind of
// request was made: see [Oracle.Require].
//
// The package is for tests. It knows nothing of any particular bot.
package oracle
