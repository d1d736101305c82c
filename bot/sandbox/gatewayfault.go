package sandbox

import (
	"fmt"
	"net/http"
)

// checkCloseCode returns an error for a close code that a server cannot send (RFC 6455,
// section 7.4; Discord's own are 4000 to 4014).
func checkCloseCode(code int) error {
	if code >= 4000 && code < 5000 || code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006 {
		return nil
	}
	return fmt.Errorf("%d is no close code: 4000 to 4999, or one of 1000 to 1014", code)
}

// endsSession reports whether a close code also ends the session: after these
// codes a client must identify again or give up ("Gateway Close Event Codes").
func endsSession(code int) bool {
	switch code {
	case closeBadToken, closeInvalidSeq, closeTimedOut, closeInvalidShard, closeShardingRequired, closeInvalidVersion, closeInvalidIntents, closeDisallowedIntents:
		return true
	}
	return false
}

// Drop breaks every connection, as a network fault does. The sessions stay:
// events are kept and replayed on resume.
func (gw *Gateway) Drop() {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.closeConnections(closeUnknown)
}

// CloseConnections closes every connection with a code. Codes that demand a
// new session end the old one; after the others it can be resumed. It fails
// if a server cannot send the code.
func (gw *Gateway) CloseConnections(code int) error {
	if err := checkCloseCode(code); err != nil {
		return err
	}
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.closeConnections(code)
	return nil
}

func (gw *Gateway) closeConnections(code int) {
	wasOnline := gw.online()
	for c := range gw.conns {
		if session := gw.sessionOf(c); session != nil {
			session.conn = nil
			if endsSession(code) {
				delete(gw.sessions, session.id)
			}
		}
		c.close(code, "")
	}
	gw.reportChange(wasOnline)
}

// Silence makes every open connection go dead without closing it: no heartbeat
// is acknowledged, nothing is dispatched, and what the bot sends is ignored.
// New connections work, and can resume.
func (gw *Gateway) Silence() {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for c := range gw.conns {
		c.silence()
	}
	gw.changed(nil)
}

// Reconnect asks every connected bot to reconnect and resume (opcode 7).
func (gw *Gateway) Reconnect() {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for c := range gw.conns {
		c.push(opReconnect, nil)
	}
}

// InvalidateSessions tells every connected bot that its session is invalid
// (opcode 9). The bot must connect again, and resume if resumable or identify
// otherwise. Events are kept for a resumable session and lost for another.
func (gw *Gateway) InvalidateSessions(resumable bool) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	wasOnline := gw.online()
	for c := range gw.conns {
		session := gw.sessionOf(c)
		if session == nil {
			continue
		}
		session.conn = nil
		if !resumable {
			delete(gw.sessions, session.id)
		}
		c.push(opInvalidSession, resumable)
	}
	gw.reportChange(wasOnline)
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

// claimConnection returns the fault that a new connection meets.
func (gw *Gateway) claimConnection() *Planned {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	p := gw.plan.claim(classConnection, func(*Fault) bool { return true })
	if p != nil && p.fault.Kind == FaultRefuse {
		p.hit()
	}
	return p
}

// refuseConnection answers an upgrade with a status, or cuts it if status is 0.
func refuseConnection(w http.ResponseWriter, status int) {
	if status == 0 {
		panic(http.ErrAbortHandler) // net/http closes the connection without an answer
	}
	http.Error(w, http.StatusText(status), status)
}

// sayHello sends the hello, or holds it until the fault is released.
func (gw *Gateway) sayHello(c *gatewayConn) {
	hello := func() {
		c.push(opHello, map[string]any{"heartbeat_interval": gw.heartbeat.Milliseconds(), "_trace": []string{"sandbox"}})
	}
	if c.fault == nil || c.fault.fault.Kind != FaultNoHello {
		hello()
		return
	}
	gw.mu.Lock()
	defer gw.mu.Unlock()
	c.fault.hold(hello)
	c.fault.hit()
}

// handshakeFault applies the connection's fault to its identify or resume.
// done means that the frame is not acted upon, open that the connection stays.
func (gw *Gateway) handshakeFault(c *gatewayConn, sessionID string) (done, open bool) {
	p := c.fault
	if p == nil || p.fault.Kind != FaultHandshake {
		return false, true
	}
	c.fault = nil
	defer p.hit()
	switch f := p.fault; {
	case f.Code != 0:
		if endsSession(f.Code) {
			delete(gw.sessions, sessionID)
		}
		c.close(f.Code, "")
		return true, false
	case f.Op == opReconnect:
		c.push(opReconnect, nil)
		return true, true
	case f.Op == opInvalidSession:
		if !f.Resumable {
			delete(gw.sessions, sessionID)
		}
		c.push(opInvalidSession, f.Resumable)
		return true, true
	default: // a heartbeat or its acknowledgement precedes READY
		c.push(f.Op, nil)
		return false, true
	}
}
