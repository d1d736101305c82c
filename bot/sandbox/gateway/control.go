package gateway

import (
	"fmt"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
)

// Drop breaks every connection, as a network fault does. The sessions stay:
// events are kept and replayed on resume.
func (gw *Gateway) Drop() {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.closeConnections(api.CloseUnknown, nil)
}

// DropShard is like Drop for the connections of one shard. It fails if there is none.
func (gw *Gateway) DropShard(shard int) error {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	if !gw.closeConnections(api.CloseUnknown, func(se *Session) bool { return se.shard == shard }) {
		return fmt.Errorf("shard %d is not connected", shard)
	}
	return nil
}

// maxShards is the largest number of shards that can be recommended.
const maxShards = 1000

// Recommend sets how many shards bots are told to start. A connected bot learns
// of it when it asks again.
func (gw *Gateway) Recommend(shards int) error {
	if shards < 1 || shards > maxShards {
		return fmt.Errorf("%d shards: want 1 to %d", shards, maxShards)
	}
	gw.shards.Store(int64(shards))
	return nil
}

// Require is like Recommend, and closes the sessions of fewer shards with 4011 as
// if these had too many guilds.
func (gw *Gateway) Require(shards int) error {
	if err := gw.Recommend(shards); err != nil {
		return err
	}
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.closeConnections(api.CloseShardingRequired, func(se *Session) bool { return se.shards < shards })
	return nil
}

// Recommended returns how many shards bots are told to start.
func (gw *Gateway) Recommended() int { return int(gw.shards.Load()) }

// CloseConnections closes every connection with a code. Codes that demand a
// new session end the old one; after the others it can be resumed. It fails
// if a server cannot send the code.
func (gw *Gateway) CloseConnections(code int) error {
	if err := api.CheckCloseCode(code); err != nil {
		return err
	}
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.closeConnections(code, nil)
	return nil
}

// closeConnections closes the connections of the chosen sessions, or all if chosen is
// nil. It reports whether there was any.
func (gw *Gateway) closeConnections(code int, chosen func(*Session) bool) (found bool) {
	wasOnline := gw.Connected()
	for c := range gw.conns {
		session := gw.sessionOf(c)
		if chosen != nil && (session == nil || !chosen(session)) {
			continue
		}
		found = true
		if session != nil {
			session.conn = nil
			if api.EndsSession(code) {
				delete(gw.sessions, session.id)
			}
		}
		c.close(code, "")
	}
	gw.reportChange(wasOnline)
	return found
}

// Silence makes every open connection go dead without closing it: no heartbeat
// is acknowledged, nothing is dispatched, and what the bot sends is ignored.
// New connections work, and can resume.
func (gw *Gateway) Silence() {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for c := range gw.conns {
		c.silent.Store(true)
	}
	gw.c.Changed(nil)
}

// Reconnect asks every connected bot to reconnect and resume (opcode 7).
func (gw *Gateway) Reconnect() {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for c := range gw.conns {
		c.push(api.OpReconnect, nil)
	}
}

// InvalidateSessions tells every connected bot that its session is invalid
// (opcode 9). The bot must connect again, and resume if resumable or identify
// otherwise. Events are kept for a resumable session and lost for another.
func (gw *Gateway) InvalidateSessions(resumable bool) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	wasOnline := gw.Connected()
	for c := range gw.conns {
		session := gw.sessionOf(c)
		if session == nil {
			continue
		}
		session.conn = nil
		if !resumable {
			delete(gw.sessions, session.id)
		}
		c.push(api.OpInvalidSession, resumable)
	}
	gw.reportChange(wasOnline)
}

func (gw *Gateway) claimConnection() *faults.Planned {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	p := gw.c.Plan.Claim(faults.ClassConnection, func(*faults.Fault) bool { return true })
	if p != nil && p.Fault().Kind == faults.Refuse {
		gw.c.Plan.Hit(p)
	}
	return p
}

// sayHello sends the hello, or holds it until the fault is released.
func (gw *Gateway) sayHello(c *conn) {
	hello := func() {
		c.push(api.OpHello, map[string]any{"heartbeat_interval": gw.c.Heartbeat.Milliseconds(), "_trace": []string{"sandbox"}})
	}
	if c.fault == nil || c.fault.Fault().Kind != faults.NoHello {
		hello()
		return
	}
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.c.Plan.Hold(c.fault, hello)
	gw.c.Plan.Hit(c.fault)
}

// handshakeFault applies the connection's fault to its identify or resume.
// done reports that the frame needs no further handling, open that the
// connection stays open.
func (gw *Gateway) handshakeFault(c *conn, sessionID string) (done, open bool) {
	p := c.fault
	if p == nil || p.Fault().Kind != faults.Handshake {
		return false, true
	}
	c.fault = nil
	defer gw.c.Plan.Hit(p)
	switch f := p.Fault(); {
	case f.Code != 0:
		if api.EndsSession(f.Code) {
			delete(gw.sessions, sessionID)
		}
		return true, c.close(f.Code, "")
	case f.Op == api.OpReconnect:
		c.push(api.OpReconnect, nil)
		return true, true
	case f.Op == api.OpInvalidSession:
		if !f.Resumable {
			delete(gw.sessions, sessionID)
		}
		c.push(api.OpInvalidSession, f.Resumable)
		return true, true
	default: // a heartbeat or its acknowledgement precedes READY
		c.push(f.Op, nil)
		return false, true
	}
}
