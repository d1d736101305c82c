// Package endpoint receives interactions over HTTP: Discord posts each to a URL of
// the application, signed with the application's key, and takes the first answer
// from the response
// (https://docs.discord.com/developers/interactions/receiving-and-responding#webhooks-recieved-over-http).
// No connection is kept, so any number of processes can stand behind a load
// balancer.
//
// A request is refused with 401 unless its signature is valid and its timestamp is
// at most Tolerance away. Within that time a request can be repeated by somebody
// who has seen it; interactions are applied once by their IDs, so nothing changes
// twice.
package endpoint
