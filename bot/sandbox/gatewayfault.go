package sandbox

import (
	"fmt"
	"net/http"
)

// checkCloseCode refuses a close code that a server cannot send (RFC 6455,
// section 7.4; Discord's own are 4000 to 4014).
func checkCloseCode(code int) error {
	if code >= 4000 && code < 5000 || code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006 {
		return nil
	}
	return fmt.Errorf("%d is no close code: 4000 to 4999, or one of 1000 to 1014", code)
}

// endsSession says whether a close code ends the session as well: with these
// Discord asks for a new one or for none ("Gateway Close Event Codes").
func endsSession(code int) bool {
	switch code {
	case closeBadToken, closeInvalidSeq, closeTimedOut, closeInvalidShard, closeShardingRequired, closeInvalidVersion, closeInvalidIntents, closeDisallowedIntents:
		return true
	}
	return false
}

// DropGateway breaks every gateway connection, as a network fault does. The
// sessions live on: what happens meanwhile is kept and replayed on resume.
func (s *Sandbox) DropGateway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeConnections(closeUnknown)
}

// CloseGateway closes every gateway connection with a code. Those that call
// for a new session end the old one; after the others it can be resumed. The
// error is about the code.
func (s *Sandbox) CloseGateway(code int) error {
	if err := checkCloseCode(code); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeConnections(code)
	return nil
}

func (s *Sandbox) closeConnections(code int) {
	wasOnline := s.online()
	for c := range s.conns {
		if session := s.sessionOf(c); session != nil {
			session.conn = nil
			if endsSession(code) {
				delete(s.sessions, session.id)
			}
		}
		c.close(code, "")
	}
	s.announceOnline(wasOnline)
}

// SilenceGateway makes every gateway connection that is open now go dead
// without closing: no heartbeat is acknowledged, nothing is dispatched, what
// the bot sends is read and ignored. New connections work, and resume.
func (s *Sandbox) SilenceGateway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.silence()
	}
	s.wake()
}

// Reconnect asks every connected bot to reconnect and resume (opcode 7).
func (s *Sandbox) Reconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.push(opReconnect, nil)
	}
}

// InvalidateSessions tells every connected bot that its session is invalid
// (opcode 9): it is to connect again, and to resume if resumable, to identify
// otherwise. What happens meanwhile is kept for a session that is resumable
// and lost for one that is not.
func (s *Sandbox) InvalidateSessions(resumable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wasOnline := s.online()
	for c := range s.conns {
		session := s.sessionOf(c)
		if session == nil {
			continue
		}
		session.conn = nil
		if !resumable {
			delete(s.sessions, session.id)
		}
		c.push(opInvalidSession, resumable)
	}
	s.announceOnline(wasOnline)
}

func (c *gatewayConn) silence() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silent = true
}

func (c *gatewayConn) isSilent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.silent
}

// claimConnection finds the fault that a new connection meets.
func (s *Sandbox) claimConnection() *Planned {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.claim(classConnection, func(*Fault) bool { return true })
	if p != nil && p.fault.Kind == FaultRefuse {
		p.hit()
	}
	return p
}

// refuseConnection answers an upgrade that is refused.
func refuseConnection(w http.ResponseWriter, status int) {
	if status == 0 {
		panic(http.ErrAbortHandler) // net/http closes the connection and says nothing
	}
	http.Error(w, http.StatusText(status), status)
}

// greet says hello, or keeps it until the fault is released.
func (s *Sandbox) sayHello(c *gatewayConn) {
	hello := func() {
		c.push(opHello, map[string]any{"heartbeat_interval": s.heartbeat.Milliseconds(), "_trace": []string{"sandbox"}})
	}
	if c.fault == nil || c.fault.fault.Kind != FaultNoHello {
		hello()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.fault.hold(hello)
	c.fault.hit()
}

// handshakeFault does what a fault wants done to the identify or resume of a
// connection. Done: it is not acted upon; open: the connection stays.
func (s *Sandbox) handshakeFault(c *gatewayConn, sessionID string) (done, open bool) {
	p := c.fault
	if p == nil || p.fault.Kind != FaultHandshake {
		return false, true
	}
	c.fault = nil
	defer p.hit()
	switch f := p.fault; {
	case f.Code != 0:
		if endsSession(f.Code) {
			delete(s.sessions, sessionID)
		}
		c.close(f.Code, "")
		return true, false
	case f.Op == opReconnect:
		c.push(opReconnect, nil)
		return true, true
	case f.Op == opInvalidSession:
		if !f.Resumable {
			delete(s.sessions, sessionID)
		}
		c.push(opInvalidSession, f.Resumable)
		return true, true
	default: // a heartbeat or its acknowledgement comes first
		c.push(f.Op, nil)
		return false, true
	}
}
