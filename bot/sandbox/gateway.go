package sandbox

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway opcodes and close codes ("Opcodes and Status Codes").
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opVoiceState     = 4
	opResume         = 6
	opReconnect      = 7
	opRequestMembers = 8
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11

	closeUnknown           = 4000
	closeUnknownOpcode     = 4001
	closeDecodeError       = 4002
	closeNotAuthenticated  = 4003
	closeBadToken          = 4004
	closeAlreadyAuth       = 4005
	closeInvalidSeq        = 4007
	closeRateLimited       = 4008
	closeTimedOut          = 4009
	closeInvalidShard      = 4010
	closeShardingRequired  = 4011
	closeInvalidVersion    = 4012
	closeInvalidIntents    = 4013
	closeDisallowedIntents = 4014
)

// Limits of a connection ("Gateway", rate limiting and payload size).
const (
	maxGatewayPayload = 4096
	maxGatewayEvents  = 120 // a minute
	writeTimeout      = 10 * time.Second
)

// Intents that the sandbox knows to honour ("Gateway Intents").
const (
	intentGuilds         = 1 << 0
	intentGuildMembers   = 1 << 1
	intentGuildMessages  = 1 << 9
	intentDirectMessages = 1 << 12
	intentMessageContent = 1 << 15
	intentsAll           = 1<<26 - 1
)

// frame is one gateway message.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Type *string         `json:"t"`
}

// gatewayConn is one websocket. Frames are queued and written by a goroutine
// of its own, so that nobody waits for the network.
type gatewayConn struct {
	ws      *websocket.Conn
	version int      // of the API, 9 or 10
	encoder  encoder   // used by write alone
	fault   *Planned // that the connection meets, guarded by the sandbox's lock

	mu     sync.Mutex
	queue  [][]byte
	wake   chan struct{}
	closed bool
	silent bool // dead without being closed
	compressed bool // the client asked for compressed payloads
	code   int
	reason string
}

func (c *gatewayConn) push(op int, data any) {
	d, err := json.Marshal(data)
	if err != nil {
		return // only our own plain values come here
	}
	raw, err := json.Marshal(frame{Op: op, Data: d})
	if err != nil {
		return
	}
	c.send(raw)
}

func (c *gatewayConn) send(raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.silent {
		return
	}
	c.queue = append(c.queue, raw)
	c.signal()
}

// close ends the connection with a close code once what is queued is written.
func (c *gatewayConn) close(code int, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed, c.code, c.reason = true, code, reason
		c.signal()
	}
}

func (c *gatewayConn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// write sends the queue until the connection is closed.
func (c *gatewayConn) write() {
	defer c.ws.Close()
	for range c.wake {
		c.mu.Lock()
		queue, closed, packed := c.queue, c.closed, c.compressed
		c.queue = nil
		c.mu.Unlock()
		for _, raw := range queue {
			pack := c.encoder.pack
			if packed {
				pack = compressOne
			}
			kind, data, err := pack(raw)
			// A real deadline: it guards a real connection.
			if err != nil || c.ws.SetWriteDeadline(time.Now().Add(writeTimeout)) != nil || c.ws.WriteMessage(kind, data) != nil {
				return
			}
		}
		if closed {
			msg := websocket.FormatCloseMessage(c.code, c.reason)
			_ = c.ws.WriteControl(websocket.CloseMessage, msg, time.Now().Add(time.Second)) // the peer may be gone
			return
		}
	}
}

func (s *Sandbox) getGateway(*call) (int, any, error) {
	return http.StatusOK, map[string]any{"url": s.gatewayURL()}, nil
}

func (s *Sandbox) getGatewayBot(*call) (int, any, error) {
	return http.StatusOK, map[string]any{
		"url": s.gatewayURL(), "shards": max(s.shards, 1),
		"session_start_limit": map[string]any{"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": max(s.concurrency, 1)},
	}, nil
}

func (s *Sandbox) gatewayURL() string { return "ws" + strings.TrimPrefix(s.base, "http") + "/gateway/" }

// serveGateway runs one connection: hello, then what the client sends.
func (s *Sandbox) serveGateway(w http.ResponseWriter, r *http.Request) {
	fault := s.claimConnection()
	if fault != nil && fault.fault.Kind == FaultRefuse {
		refuseConnection(w, fault.fault.Status)
		return
	}
	// Bots send no Origin; a page of a browser has nothing to do here.
	up := websocket.Upgrader{CheckOrigin: func(r *http.Request) bool { return r.Header.Get("Origin") == "" }}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	q := r.URL.Query()
	pack, refusal := newEncoder(q.Get("encoding"), q.Get("compress"))
	c := &gatewayConn{ws: ws, fault: fault, encoder: pack, wake: make(chan struct{}, 1)}
	go c.write()
	s.mu.Lock()
	closed := s.closed
	s.conns[c] = true
	s.mu.Unlock()
	defer s.detach(c)
	if closed {
		c.close(websocket.CloseGoingAway, "")
		return
	}
	if c.version, err = strconv.Atoi(q.Get("v")); err != nil || c.version != 9 && c.version != 10 {
		c.close(closeInvalidVersion, "Invalid API version.")
		return
	}
	if refusal != "" {
		c.close(closeDecodeError, refusal)
		return
	}
	s.sayHello(c)
	s.read(c)
}

// read takes frames until the connection ends. Real time guards it: a client
// that misses two heartbeats is closed with 4009.
func (s *Sandbox) read(c *gatewayConn) {
	c.ws.SetReadLimit(maxGatewayPayload)
	window, count := time.Now(), 0
	patience := 2*s.heartbeat + min(s.heartbeat, 5*time.Second)
	deadline := time.Now().Add(patience)
	for {
		if c.ws.SetReadDeadline(deadline) != nil {
			return
		}
		kind, raw, err := c.ws.ReadMessage()
		if err != nil {
			s.readFailed(c, err)
			return
		}
		if time.Since(window) > time.Minute {
			window, count = time.Now(), 0
		}
		if count++; count > maxGatewayEvents {
			c.close(closeRateLimited, "Rate limited.")
			return
		}
		var f frame
		if kind != websocket.TextMessage || json.Unmarshal(raw, &f) != nil {
			c.close(closeDecodeError, "Error while decoding payload.")
			return
		}
		if f.Op == opHeartbeat {
			deadline = time.Now().Add(patience)
		}
		if !s.handleFrame(c, f) {
			return
		}
	}
}

func (s *Sandbox) readFailed(c *gatewayConn, err error) {
	var timeout net.Error
	var gone *websocket.CloseError
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		c.close(closeTimedOut, "Session timed out.")
	case errors.Is(err, websocket.ErrReadLimit):
		c.close(closeDecodeError, "Payload too large.")
	case errors.As(err, &gone) && (gone.Code == websocket.CloseNormalClosure || gone.Code == websocket.CloseGoingAway):
		// "If you close the connection with the close code 1000 or 1001, your
		// session will be invalidated" (Gateway, disconnecting).
		s.mu.Lock()
		if session := s.sessionOf(c); session != nil {
			wasOnline := s.online()
			delete(s.sessions, session.id)
			s.announceOnline(wasOnline)
		}
		s.mu.Unlock()
		c.close(gone.Code, "")
	default:
		c.close(closeUnknown, "")
	}
}

// handleFrame does what a frame asks for; false ends the connection.
func (s *Sandbox) handleFrame(c *gatewayConn, f frame) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.isSilent() {
		return true
	}
	session := s.sessionOf(c)
	switch f.Op {
	case opHeartbeat:
		c.push(opHeartbeatAck, nil)
		return true
	case opIdentify:
		if session != nil {
			c.close(closeAlreadyAuth, "Already authenticated.")
			return false
		}
		return s.identify(c, f.Data)
	case opResume:
		if session != nil {
			c.close(closeAlreadyAuth, "Already authenticated.")
			return false
		}
		return s.resume(c, f.Data)
	case opPresence, opVoiceState, opRequestMembers:
		if session == nil {
			c.close(closeNotAuthenticated, "Not authenticated.")
			return false
		}
		return true
	}
	c.close(closeUnknownOpcode, "Unknown opcode.")
	return false
}

// detach forgets a connection; its session stays and can be resumed.
func (s *Sandbox) detach(c *gatewayConn) {
	c.close(closeUnknown, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	wasOnline := s.online()
	delete(s.conns, c)
	if session := s.sessionOf(c); session != nil {
		session.conn = nil
	}
	s.announceOnline(wasOnline)
}

// Online says whether a bot is connected and ready.
func (s *Sandbox) Online() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.online()
}

func (s *Sandbox) online() bool {
	for _, session := range s.sessions {
		if session.conn != nil {
			return true
		}
	}
	return false
}

func (s *Sandbox) announceOnline(was bool) {
	if is := s.online(); is != was {
		s.emitAll(map[string]any{"type": "online", "online": is})
	}
	s.wake()
}

// shardOf is the shard that gets a guild's events ("Sharding").
func shardOf(guildID string, shards int) int {
	id, _ := strconv.ParseUint(guildID, 10, 64)
	return int((id >> 22) % uint64(shards))
}

func (s *Sandbox) sessionOf(c *gatewayConn) *session {
	for _, session := range s.sessions {
		if session.conn == c {
			return session
		}
	}
	return nil
}

// scope is where an event happens, which says whose it is.
type scope struct {
	server *server // nil: direct messages, which go to shard 0 ("Sharding")
	absent bool    // sent even where the bot is not in the server
}

// covers says whether a session gets what happens there.
func (sc scope) covers(se *session) bool {
	if sc.server == nil {
		return se.shard == 0
	}
	return (sc.server.hasBot || sc.absent) && shardOf(sc.server.id, se.shards) == se.shard
}

// sessionsFor lists the sessions whose shard it is and that asked for one of
// the intents (0: any session), in a stable order.
func (s *Sandbox) sessionsFor(sc scope, intents int) []*session {
	var out []*session
	for _, session := range s.sessions {
		if sc.covers(session) && (intents == 0 || session.intents&intents != 0) {
			out = append(out, session)
		}
	}
	slices.SortFunc(out, func(a, b *session) int { return strings.Compare(a.id, b.id) })
	return out
}
