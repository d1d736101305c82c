// Package gateway serves Discord's gateway: connections, compression, sessions
// with resume, and the dispatch of events.
package gateway

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
)

// Directory provides the bot's user and the guilds. Its functions are called with
// the lock held.
type Directory struct {
	BotUser     func() api.User
	Me          func() any                                       // the bot's user as it gets it itself
	GuildIDs    func() []string                                  // of all guilds, the bot's and others
	HasBot      func(guildID string) bool                        // the bot is a member
	GuildCreate func(guildID string, intents int) map[string]any // the data of the event
	Members     func(guildID string) []Member                    // the bot included
	SetPresence func(status string, activities []map[string]any)
}

// Config configures a gateway. Everything but Concurrency is required.
type Config struct {
	Lock        sync.Locker // the sandbox's; never held during a write
	Plan        *faults.Plan
	Directory   Directory
	Token       string
	URL         func() string // of the gateway; called with the lock held
	Now         func() time.Time
	Log         *slog.Logger
	Heartbeat   time.Duration
	Concurrency int                // Options.MaxConcurrency
	Strict      bool               // Options.Strict
	Disabled    int                // privileged intents that are not enabled
	MaxGuilds   int                // of a shard
	Shards      int                // Options.Shards
	Changed     func(online *bool) // called with the lock held; online is nil unless it changed
}

// Gateway serves Discord's gateway: connections, sessions and events. Methods
// whose comment does not say otherwise take the lock themselves.
type Gateway struct {
	c  Config
	mu sync.Locker

	// Guarded by mu.
	closed     bool
	sessions   map[string]*Session
	conns      map[*conn]bool
	identified map[int]time.Time // the last identify by rate limit bucket
	repeats    []repeat

	shards atomic.Int64 // the recommended number
}

// New returns a gateway without connections.
func New(c Config) *Gateway {
	gw := &Gateway{c: c, mu: c.Lock, sessions: map[string]*Session{}, conns: map[*conn]bool{}, identified: map[int]time.Time{}}
	gw.shards.Store(int64(max(c.Shards, 1)))
	return gw
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
	planned := gw.claimConnection()
	if planned != nil && planned.Fault().Kind == faults.Refuse {
		if planned.Fault().Status == 0 {
			panic(http.ErrAbortHandler) // net/http closes the connection without an answer
		}
		http.Error(w, "", planned.Fault().Status)
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
	c := &conn{ws: ws, fault: planned, encoder: enc, stream: q.Get("compress"), address: r.RemoteAddr, queue: api.NewQueue()}
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
		c.close(api.CloseInvalidVersion, "Invalid API version.")
		return
	}
	if refusal != "" {
		c.close(api.CloseDecodeError, refusal)
		return
	}
	gw.sayHello(c)
	gw.read(c)
}

// read handles frames until the connection ends. A client that misses two
// heartbeats, in real time, is closed with 4009.
func (gw *Gateway) read(c *conn) {
	window, count := time.Now(), 0
	timeout := 2*gw.c.Heartbeat + min(gw.c.Heartbeat, 5*time.Second)
	deadline := time.Now().Add(timeout)
	for {
		if c.ws.SetReadDeadline(deadline) != nil {
			return
		}
		raw, err := c.readPayload()
		if err != nil {
			gw.readFailed(c, err)
			return
		}
		if time.Since(window) > time.Minute {
			window, count = time.Now(), 0
		}
		if count++; count > maxEvents {
			c.close(api.CloseRateLimited, "Rate limited.")
			return
		}
		var f frame
		if json.Unmarshal(raw, &f) != nil {
			c.close(api.CloseDecodeError, "Error while decoding payload.")
			return
		}
		if f.Op == api.OpHeartbeat {
			deadline = time.Now().Add(timeout)
		}
		if !gw.handleFrame(c, f) {
			return
		}
	}
}

func (gw *Gateway) readFailed(c *conn, err error) {
	var netErr net.Error
	var closed *websocket.CloseError
	switch {
	case errors.As(err, &netErr) && netErr.Timeout():
		c.close(api.CloseTimedOut, "Session timed out.")
	case errors.Is(err, errTooLarge):
		c.close(api.CloseDecodeError, "Error while decoding payload.")
	case errors.As(err, &closed) && (closed.Code == websocket.CloseNormalClosure || closed.Code == websocket.CloseGoingAway):
		// "If you close the connection with the close code 1000 or 1001, your
		// session will be invalidated" (Gateway, disconnecting).
		gw.mu.Lock()
		if session := gw.sessionOf(c); session != nil {
			wasOnline := gw.Connected()
			delete(gw.sessions, session.id)
			gw.reportChange(wasOnline)
		}
		gw.mu.Unlock()
		c.close(closed.Code, "")
	default:
		c.close(api.CloseUnknown, "")
	}
}

func (gw *Gateway) handleFrame(c *conn, f frame) bool {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	if c.silent.Load() {
		return true
	}
	session := gw.sessionOf(c)
	switch f.Op {
	case api.OpHeartbeat:
		c.push(api.OpHeartbeatAck, nil)
		return true
	case api.OpIdentify, api.OpResume:
		if session != nil {
			return c.close(api.CloseAlreadyAuth, "Already authenticated.")
		}
		if f.Op == api.OpResume {
			return gw.resume(c, f.Data)
		}
		return gw.identify(c, f.Data)
	}
	handle := requests[f.Op]
	switch {
	case f.Op == api.OpVoiceState || f.Op == api.OpRequestSounds:
		gw.c.Log.Warn("not built here: voice and soundboards", "op", f.Op)
		return true
	case handle == nil:
		return c.close(api.CloseUnknownOpcode, "Unknown opcode.")
	case session == nil:
		return c.close(api.CloseNotAuthenticated, "Not authenticated.")
	case f.Op == api.OpPresence && gw.presenceLimited(session):
		return c.close(api.CloseRateLimited, "Rate limited.")
	case !handle(gw, session, f.Data):
		// "You sent an invalid Gateway opcode or an invalid payload for an opcode."
		return c.close(api.CloseUnknownOpcode, "Invalid payload.")
	}
	return true
}

// detach removes a connection; its session can be resumed.
func (gw *Gateway) detach(c *conn) {
	c.close(api.CloseUnknown, "")
	gw.mu.Lock()
	defer gw.mu.Unlock()
	wasOnline := gw.Connected()
	delete(gw.conns, c)
	if session := gw.sessionOf(c); session != nil {
		session.conn = nil
	}
	gw.reportChange(wasOnline)
}

// Info is a session as [Gateway.Sessions] lists it.
type Info struct {
	Shard   int `json:"shard"`
	Shards  int `json:"shards"`
	Intents int
	// Compression is "zlib-stream", "zstd-stream", "payload" or "".
	Compression string
	Resumed     int // how many times
	// Address is the client's, as in http.Request.RemoteAddr.
	Address string
}

// Sessions lists the sessions that are connected, ordered by shard.
func (gw *Gateway) Sessions() []Info {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	out := []Info{}
	for _, se := range gw.sessions {
		if se.conn == nil {
			continue
		}
		info := Info{Shard: se.shard, Shards: se.shards, Intents: se.Intents, Resumed: se.resumed, Compression: se.conn.stream, Address: se.conn.address}
		if se.conn.compressed.Load() {
			info.Compression = "payload"
		}
		out = append(out, info)
	}
	slices.SortFunc(out, func(a, b Info) int { return cmp.Compare(a.Shard, b.Shard) })
	return out
}

// Online reports whether a bot is connected and ready.
func (gw *Gateway) Online() bool {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	return gw.Connected()
}

// Connected is like Online, for callers that hold the lock.
func (gw *Gateway) Connected() bool {
	for _, session := range gw.sessions {
		if session.conn != nil {
			return true
		}
	}
	return false
}

// reportChange calls changed, with the new state if the bot has come or gone.
func (gw *Gateway) reportChange(wasOnline bool) {
	if online := gw.Connected(); online != wasOnline {
		gw.c.Changed(&online)
		return
	}
	gw.c.Changed(nil)
}

// shardOf returns the shard that gets a guild's events ("Sharding").
func shardOf(guildID string, shards int) int {
	id, _ := strconv.ParseUint(guildID, 10, 64)
	return int((id >> 22) % uint64(shards))
}

func (gw *Gateway) sessionOf(c *conn) *Session {
	for _, session := range gw.sessions {
		if session.conn == c {
			return session
		}
	}
	return nil
}
