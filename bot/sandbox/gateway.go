package sandbox

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
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

// gatewayConn is one websocket. Frames are queued, and a goroutine of its own
// writes them, so that no caller waits for the network.
type gatewayConn struct {
	ws      *websocket.Conn
	version int      // of the API, 9 or 10
	encoder encoder  // used by write alone
	fault   *Planned // that the connection meets; guarded by the sandbox's lock

	mu         sync.Mutex
	queue      [][]byte
	wake       chan struct{}
	closed     bool
	silent     bool // neither reads nor writes, but stays open
	compressed bool // the client asked for compressed payloads
	code       int
	reason     string
}

func (c *gatewayConn) push(op int, data any) {
	d, err := json.Marshal(data)
	if err != nil {
		return // plain values of our own always marshal
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

// close queues the end of the connection with a close code.
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
			encode := c.encoder.encode
			if packed {
				encode = compressOne
			}
			kind, data, err := encode(raw)
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

// Directory is what the gateway asks about bots and guilds. Its methods are
// called with the lock held.
type Directory interface {
	// BotUser returns the bot's user.
	BotUser() UserObject
	// GuildIDs lists all guilds, the bot's and others.
	GuildIDs() []string
	// HasBot reports whether the bot is a member of a guild.
	HasBot(guildID string) bool
	// GuildCreate returns the data of a GUILD_CREATE for a session's intents.
	GuildCreate(guildID string, intents int) map[string]any
}

// GatewayConfig configures a gateway. Everything but Concurrency is required.
type GatewayConfig struct {
	Lock        sync.Locker // the sandbox's; never held during a write
	Plan        *Plan
	Directory   Directory
	Token       string
	URL         func() string // of the gateway; called with the lock held
	Now         func() time.Time
	Log         *slog.Logger
	Heartbeat   time.Duration
	Concurrency int                // Options.MaxConcurrency
	Changed     func(online *bool) // called with the lock held; online is nil unless it changed
}

// Gateway serves Discord's gateway: connections, sessions and events. Methods
// whose comment does not say otherwise take the lock themselves.
type Gateway struct {
	mu          sync.Locker
	plan        *Plan
	dir         Directory
	token       string
	url         func() string
	now         func() time.Time
	log         *slog.Logger
	heartbeat   time.Duration
	concurrency int
	changed     func(online *bool)

	// Guarded by mu.
	closed     bool
	sessions   map[string]*Session
	conns      map[*gatewayConn]bool
	identified map[int]time.Time // the last identify by rate limit bucket
	repeats    []repeat
}

// NewGateway returns a gateway without connections.
func NewGateway(c GatewayConfig) *Gateway {
	return &Gateway{
		mu: c.Lock, plan: c.Plan, dir: c.Directory, token: c.Token, url: c.URL, now: c.Now, log: c.Log, heartbeat: c.Heartbeat,
		concurrency: c.Concurrency, changed: c.Changed,
		sessions: map[string]*Session{}, conns: map[*gatewayConn]bool{}, identified: map[int]time.Time{},
	}
}

// Close closes every connection, and refuses new ones. The caller holds the
// lock.
func (gw *Gateway) Close() {
	gw.closed = true
	for c := range gw.conns {
		c.close(websocket.CloseGoingAway, "")
	}
}

// ServeHTTP runs one connection: it says hello and handles the client's frames.
func (gw *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := gw.claimConnection()
	if fault != nil && fault.fault.Kind == FaultRefuse {
		refuseConnection(w, fault.fault.Status)
		return
	}
	// Bots send no Origin. A page in a browser must not connect.
	up := websocket.Upgrader{CheckOrigin: func(r *http.Request) bool { return r.Header.Get("Origin") == "" }}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	q := r.URL.Query()
	enc, refusal := newEncoder(q.Get("encoding"), q.Get("compress"))
	c := &gatewayConn{ws: ws, fault: fault, encoder: enc, wake: make(chan struct{}, 1)}
	go c.write()
	gw.mu.Lock()
	closed := gw.closed
	gw.conns[c] = true
	gw.mu.Unlock()
	defer gw.detach(c)
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
	gw.sayHello(c)
	gw.read(c)
}

// read handles frames until the connection ends. A client that misses two
// heartbeats, in real time, is closed with 4009.
func (gw *Gateway) read(c *gatewayConn) {
	c.ws.SetReadLimit(maxGatewayPayload)
	window, count := time.Now(), 0
	timeout := 2*gw.heartbeat + min(gw.heartbeat, 5*time.Second)
	deadline := time.Now().Add(timeout)
	for {
		if c.ws.SetReadDeadline(deadline) != nil {
			return
		}
		kind, raw, err := c.ws.ReadMessage()
		if err != nil {
			gw.readFailed(c, err)
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
			deadline = time.Now().Add(timeout)
		}
		if !gw.handleFrame(c, f) {
			return
		}
	}
}

func (gw *Gateway) readFailed(c *gatewayConn, err error) {
	var netErr net.Error
	var closed *websocket.CloseError
	switch {
	case errors.As(err, &netErr) && netErr.Timeout():
		c.close(closeTimedOut, "Session timed out.")
	case errors.Is(err, websocket.ErrReadLimit):
		c.close(closeDecodeError, "Payload too large.")
	case errors.As(err, &closed) && (closed.Code == websocket.CloseNormalClosure || closed.Code == websocket.CloseGoingAway):
		// "If you close the connection with the close code 1000 or 1001, your
		// session will be invalidated" (Gateway, disconnecting).
		gw.mu.Lock()
		if session := gw.sessionOf(c); session != nil {
			wasOnline := gw.online()
			delete(gw.sessions, session.id)
			gw.reportChange(wasOnline)
		}
		gw.mu.Unlock()
		c.close(closed.Code, "")
	default:
		c.close(closeUnknown, "")
	}
}

// handleFrame acts on a frame; false ends the connection.
func (gw *Gateway) handleFrame(c *gatewayConn, f frame) bool {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	if c.isSilent() {
		return true
	}
	session := gw.sessionOf(c)
	switch f.Op {
	case opHeartbeat:
		c.push(opHeartbeatAck, nil)
		return true
	case opIdentify:
		if session != nil {
			c.close(closeAlreadyAuth, "Already authenticated.")
			return false
		}
		return gw.identify(c, f.Data)
	case opResume:
		if session != nil {
			c.close(closeAlreadyAuth, "Already authenticated.")
			return false
		}
		return gw.resume(c, f.Data)
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

// detach removes a connection; its session can be resumed.
func (gw *Gateway) detach(c *gatewayConn) {
	c.close(closeUnknown, "")
	gw.mu.Lock()
	defer gw.mu.Unlock()
	wasOnline := gw.online()
	delete(gw.conns, c)
	if session := gw.sessionOf(c); session != nil {
		session.conn = nil
	}
	gw.reportChange(wasOnline)
}

// Online reports whether a bot is connected and ready.
func (gw *Gateway) Online() bool {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	return gw.online()
}

func (gw *Gateway) online() bool {
	for _, session := range gw.sessions {
		if session.conn != nil {
			return true
		}
	}
	return false
}

// reportChange calls changed, with the new state if the bot has come or gone.
func (gw *Gateway) reportChange(wasOnline bool) {
	if online := gw.online(); online != wasOnline {
		gw.changed(&online)
	} else {
		gw.changed(nil)
	}
}

// shardOf returns the shard that gets a guild's events ("Sharding").
func shardOf(guildID string, shards int) int {
	id, _ := strconv.ParseUint(guildID, 10, 64)
	return int((id >> 22) % uint64(shards))
}

func (gw *Gateway) sessionOf(c *gatewayConn) *Session {
	for _, session := range gw.sessions {
		if session.conn == c {
			return session
		}
	}
	return nil
}
