// Package facts contains what Discord's API description says about its
// operations: which there are, which fields their bodies have, of which types
// and within which limits.
//
// The facts are in facts.json, which [Distill] makes of the description (OpenAPI
// 3.1, openapi.json of github.com/discord/discord-api-spec). It holds names,
// types and limits, and no descriptions. To renew it, run go generate with the
// description at ../shared/discord/openapi.json beside the module.
package facts

//go:generate go test -run TestFactsAreCurrent -update .
