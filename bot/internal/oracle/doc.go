// Package oracle checks traffic between a bot and Discord against Discord's
// own description of its API (OpenAPI 3.1, the document openapi.json of the
// repository discord/discord-api-spec).
//
// An [Exchange] is one request with its answer. [Oracle.Check] finds the
// operation by method and route and holds the request's JSON and the answer's
// body against the schemas that the description gives them. A schema lets
// unknown fields pass; Discord's services mostly ignore them, so a misspelt
// one would do nothing and nobody would notice. The oracle therefore walks body
// and schema together and reports every field of a request that no schema in
// force describes. Unknown fields of answers are only counted: a service may
// send more than it documents.
//
// The description is taken as it stands. Where Discord is known to accept more
// than it describes (the ids of uploaded attachments as numbers, say), the
// described form is demanded.
//
// The oracle also counts what it has checked, by route and, for answers to
// interactions, by callback type, so that a test can demand that every kind of
// request it cares about was really made: see [Oracle.Require].
//
// The package is for tests. It knows nothing of any bot.
package oracle
