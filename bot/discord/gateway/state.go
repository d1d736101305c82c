package gateway

import "time"

// Kind says how a session began.
type Kind string

// The kinds of sessions.
const (
	Identified Kind = "identified" // anew
	Resumed    Kind = "resumed"    // where another stopped
)

// State is how the connection stands.
type State struct {
	// Connected reports whether events arrive.
	Connected bool
	// Since is when the connection began, or was lost; zero before the first.
	Since time.Time
	// Kind is how the session began that is connected, or was last.
	Kind Kind
	// Connections counts the sessions that became ready; all but the first
	// are reconnects.
	Connections int
	// Failures counts what has ended since a session was last ready: its
	// connection, and the attempts after it.
	Failures int
	// AckAge is how long ago a heartbeat was last acknowledged, or the
	// session became ready; zero while not connected.
	AckAge time.Duration
	// Reason is why the last connection ended or attempt failed; nil where
	// there was none.
	Reason error
}

// State is how the connection stands now. It can be called at any time.
func (g *Gateway) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.state
	if s.Connected {
		s.AckAge = g.config.Now().Sub(g.acked)
	}
	return s
}
