package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"castellan/bot/discord"
)

// apiVersion is the version of the gateway; REST requests use the same.
const apiVersion = "10"

// Gateway opcodes ("Opcodes and Status Codes", Gateway Opcodes).
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

const (
	// maxFrame bounds the size of a frame from Discord. The largest event is a
	// guild with all its channels, of some megabytes.
	maxFrame = 32 << 20
	// writeTimeout bounds a write to Discord.
	writeTimeout = 10 * time.Second
)

// frame is a message of the gateway.
type frame struct {
	Op       int             `json:"op"`
	Data     json.RawMessage `json:"d"`
	Sequence int64           `json:"s"`
	Type     string          `json:"t"` // of an event
}

// eventTypes makes values of the events that are handed on. The others, and the
// fields that discordgo's types lack, nobody reads.
var eventTypes = map[string]func() any{
	"READY":              func() any { return new(discordgo.Ready) },
	"RESUMED":            func() any { return new(discordgo.Resumed) },
	"INTERACTION_CREATE": func() any { return new(discordgo.InteractionCreate) },
	"GUILD_CREATE":       func() any { return new(discordgo.GuildCreate) },
	"GUILD_UPDATE":       func() any { return new(discordgo.GuildUpdate) },
	"GUILD_DELETE":       func() any { return new(discordgo.GuildDelete) },
	"GUILD_ROLE_UPDATE":  func() any { return new(discordgo.GuildRoleUpdate) },
	"CHANNEL_UPDATE":     func() any { return new(discordgo.ChannelUpdate) },
	"CHANNEL_DELETE":     func() any { return new(discordgo.ChannelDelete) },
	"THREAD_UPDATE":      func() any { return new(discordgo.ThreadUpdate) },
	"THREAD_DELETE":      func() any { return new(discordgo.ThreadDelete) },
}

// session serves one connection. The mutex of the shard guards its last fields.
type session struct {
	h        *shard
	ws       *websocket.Conn
	kind     Kind
	from     Handover // to resume
	identify *permit  // nil if it resumes

	interval time.Duration // between heartbeats; 0 before the hello; only the reader uses it
	ready    chan struct{} // closed by READY or RESUMED
	acks     chan struct{} // receives when a heartbeat was acknowledged
	ended    chan struct{} // closed when the session has ended
	closed   chan struct{} // closed when Discord has been told, if possible
	write    sync.Mutex    // held while a frame is written

	err         error // why the session ended; set before ended is closed
	sent, acked int   // heartbeats, which Discord acknowledges in their order
	lastSent    time.Time
	drain       int // the number of the heartbeat that shard.drain sent; 0 if none
}

// runSession runs one session until it ends and returns why it did. It does not
// wait for a handler that hangs.
func (h *shard) runSession(ctx context.Context, address string, resume Handover, identify *permit) error {
	opening, cancel := h.g.config.WithTimeout(ctx, openTimeout)
	defer cancel()
	ws, err := h.g.dial(opening, address)
	if err != nil {
		return err
	}
	ws.SetReadLimit(maxFrame)
	ws.SetCloseHandler(func(int, string) error { return nil }) // a close is not echoed
	s := &session{
		h: h, ws: ws, kind: Identified, from: resume, identify: identify,
		ready: make(chan struct{}), acks: make(chan struct{}, 1), ended: make(chan struct{}), closed: make(chan struct{}),
	}
	if resume.SessionID != "" {
		s.kind = Resumed
	}
	h.mu.Lock()
	h.current = s
	h.mu.Unlock()
	go func() { s.end(s.read()) }()

	select {
	case <-s.ready:
		cancel()
		identify.release()
	case <-opening.Done():
		if ctx.Err() == nil {
			s.end(errNotReady)
		}
	case <-s.ended:
	}
	select {
	case <-s.ended:
	case <-ctx.Done():
		why := errStopped
		if errors.Is(context.Cause(ctx), ErrHandOver) {
			why = ErrHandOver
		}
		s.end(why)
		<-s.closed // so that Discord learns of it before the process ends
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.err
}

func (g *Gateway) dial(ctx context.Context, address string) (*websocket.Conn, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the gateway's address: %w", err)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = url.Values{"v": {apiVersion}, "encoding": {"json"}}.Encode()
	d := websocket.Dialer{Proxy: http.ProxyFromEnvironment, NetDialContext: g.config.NetDial}
	ws, response, err := d.DialContext(ctx, u.String(), nil)
	if err != nil && response != nil {
		err = fmt.Errorf("%w: %s", err, response.Status)
	}
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", u.Host, timeoutCause(ctx, err))
	}
	return ws, nil
}

// end ends the session for a reason, unless it has ended before. It does not
// block; pending reads and writes fail.
func (s *session) end(why error) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = why
	close(s.ended)
	code := closeToResume
	if errors.Is(why, errStopped) {
		code = websocket.CloseNormalClosure
	}
	go func() {
		defer close(s.closed)
		_ = s.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
		s.ws.Close()
	}()
}

// read handles frames until the connection ends, and returns why it did. Events
// are handed on before the next frame is read, so a handler that hangs leaves
// heartbeats without acknowledgements, which ends the session.
func (s *session) read() error {
	for {
		_, raw, err := s.ws.ReadMessage()
		if err != nil {
			return err
		}
		var f *frame
		if json.Unmarshal(raw, &f) != nil || f == nil {
			return errBadFrame
		}
		if err := s.receive(f); err != nil {
			return err
		}
	}
}

// receive handles a frame. An error ends the session.
func (s *session) receive(f *frame) error {
	switch {
	case f.Op == opReconnect:
		return errReconnect
	case f.Op == opInvalidSession:
		var resumable bool
		_ = json.Unmarshal(f.Data, &resumable) // anything else means no
		if resumable {
			return errInvalidResumable
		}
		return errInvalidSession
	case s.interval == 0:
		return s.begin(f)
	}
	switch f.Op {
	case opDispatch:
		s.handle(f)
	case opHeartbeatAck:
		s.acknowledged()
	case opHeartbeat:
		return s.sendHeartbeat(false)
	}
	return nil
}

// begin answers the hello: it identifies or resumes, and begins the heartbeats.
func (s *session) begin(f *frame) error {
	if f.Op != opHello {
		return errNoHello
	}
	var hello struct {
		Interval int64 `json:"heartbeat_interval"` // milliseconds
	}
	if json.Unmarshal(f.Data, &hello) != nil || hello.Interval <= 0 {
		return errBadFrame
	}
	s.interval = time.Duration(hello.Interval) * time.Millisecond
	go s.heartbeat(s.interval)
	token := "Bot " + s.h.g.config.Token
	if s.kind == Resumed {
		return s.send(opResume, map[string]any{"token": token, "session_id": s.from.SessionID, "seq": s.from.Sequence})
	}
	identify := map[string]any{
		"token": token, "intents": discordgo.IntentsGuilds,
		"properties": map[string]string{"os": runtime.GOOS, "browser": "castellan", "device": "castellan"},
	}
	if s.h.of > 1 {
		identify["shard"] = [2]int{s.h.id, s.h.of}
	}
	err := s.send(opIdentify, identify)
	s.identify.sent()
	return err
}

// heartbeat sends heartbeats until the session ends. The first comes at a random
// time within the interval ("Gateway", Sending Heartbeats).
//
// Discord acknowledges each, usually within a fraction of a second. The session
// waits a quarter of an interval, so that a silent connection of the usual 41.25 s
// is replaced 52 s after the last acknowledgement. Replacing one whose
// acknowledgement was merely late costs a resume.
func (s *session) heartbeat(interval time.Duration) {
	timer := s.h.g.config.Timer
	next, stop := timer(rand.N(interval))
	defer func() { stop() }()
	for {
		select {
		case <-next:
		case <-s.ended:
			return
		}
		select {
		case <-s.acks: // of an earlier one
		default:
		}
		if err := s.sendHeartbeat(false); err != nil {
			s.end(err)
			return
		}
		stop()
		next, stop = timer(interval)
		overdue, stopOverdue := timer(interval / 4)
		select {
		case <-s.acks:
		case <-overdue:
			s.end(errNoAck)
		case <-s.ended:
		}
		stopOverdue()
	}
}

// sendHeartbeat sends a heartbeat with the number of the last event.
func (s *session) sendHeartbeat(drain bool) error {
	s.write.Lock()
	defer s.write.Unlock()
	s.h.mu.Lock()
	s.sent++
	s.lastSent = s.h.g.config.Now()
	if drain {
		s.drain = s.sent
	}
	last := "null" // before any event
	if n := s.h.resume.Sequence; n > 0 {
		last = strconv.FormatInt(n, 10)
	}
	s.h.mu.Unlock()
	return s.sendLocked(opHeartbeat, json.RawMessage(last))
}

// acknowledged records that Discord has acknowledged a heartbeat. All events that
// it sent before have been handed on.
func (s *session) acknowledged() {
	h := s.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current != s {
		return
	}
	s.acked++
	h.acked = h.g.config.Now()
	if s.acked == s.sent {
		h.state.Latency = h.acked.Sub(s.lastSent)
	}
	if s.drain > 0 && s.acked >= s.drain {
		h.setDrained()
	}
	select {
	case s.acks <- struct{}{}:
	default:
	}
}

func (s *session) send(op int, data any) error {
	s.write.Lock()
	defer s.write.Unlock()
	return s.sendLocked(op, data)
}

// sendLocked writes a frame. The caller holds the write lock.
func (s *session) sendLocked(op int, data any) error {
	if !s.h.valid() {
		return ErrHandOver
	}
	raw, err := json.Marshal(map[string]any{"op": op, "d": data})
	if err != nil {
		return err
	}
	if err := s.ws.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return s.ws.WriteMessage(websocket.TextMessage, raw)
}

// Replayed is an interaction that Discord has sent again while a session was
// resumed, because the session may not have received it. If another process has
// handed the session over or died, that may have answered the interaction.
type Replayed struct{ *discordgo.InteractionCreate }

// handle hands an event on if it is new and the session is the current one. A
// panic, of the handler or of discordgo's decoders, loses that event only.
func (s *session) handle(f *frame) {
	h := s.h
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("gateway: panic while handling an event",
				"type", f.Type, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	var event any
	if create := eventTypes[f.Type]; create != nil {
		event = create()
		if err := json.Unmarshal(f.Data, event); err != nil {
			h.log.Warn("gateway: an event cannot be read", "type", f.Type, "error", err)
			event = nil
		}
	}
	if !h.accept(s, f.Sequence, event) {
		return
	}
	replayed := s.kind == Resumed && !isClosed(s.ready)
	switch e := event.(type) {
	case nil:
		return
	case *discordgo.Ready, *discordgo.Resumed:
		state := h.snapshot()
		h.log.Info("gateway: connected", "session", string(state.Kind), "connections", state.Connections)
		if !isClosed(s.ready) {
			close(s.ready)
		}
		defer h.onReady()
	case *discordgo.InteractionCreate:
		e.AppPermissions = discord.ChannelPermissions(e.AppPermissions, f.Data)
		if replayed {
			event = Replayed{e}
		}
	}
	h.g.handOn(h, event)
}

// accept reports whether an event is to be handed on, and records what it
// changes: the sequence number, where to resume, and that the session is ready.
func (h *shard) accept(s *session, sequence int64, event any) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current != s || !h.valid() {
		return false
	}
	now, starts := h.g.config.Now(), false
	switch e := event.(type) {
	case *discordgo.Ready:
		starts = true
		h.resume = Handover{SessionID: e.SessionID, Address: e.ResumeGatewayURL}
		h.state.Identified = now
	case *discordgo.Resumed:
		starts = true
	default:
		if sequence != 0 && sequence <= h.resume.Sequence {
			h.log.Debug("gateway: repeated event", "sequence", sequence)
			return false
		}
	}
	h.resume.Sequence = max(h.resume.Sequence, sequence)
	st := &h.state
	st.LastEvent = now
	if starts {
		h.acked = now
		h.resumeFailures, h.resumeTimeouts = 0, 0
		st.Connected, st.Since, st.Kind, st.Failures = true, now, s.kind, 0
		st.Connections++
		h.setDrained() // a resume has sent everything
	}
	return true
}
