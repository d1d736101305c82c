// Package gateway serves Discord's gateway: connections, compression, sessions
// with resume, and the dispatch of events.
package gateway
