package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"castellan/bot/discord"
)

// apiVersion is the version of the gateway; REST requests use the same.
const apiVersion = "10"

// pipeAddress is the gateway address that discordgo gets. Its reserved name
// (RFC 2606) is never looked up, because the dialer returns a pipe.
const pipeAddress = "ws://gateway.invalid/"

// session is one discordgo session on its connection.
type session struct {
	h     *shard
	conn  *conn
	kind  Kind
	ready chan struct{} // closed by READY or RESUMED
	once  sync.Once     // of closing ready
}

// runSession runs one session until it ends and returns why it did. The
// discordgo session may hang for ever: nothing waits for it.
func (h *shard) runSession(ctx context.Context, address string, resume Handover, identify *permit) error {
	config := &h.g.config
	opening, cancel := h.g.withTimeout(ctx, openTimeout)
	defer cancel()
	ws, err := h.g.dial(opening, address)
	if err != nil {
		return err
	}
	s := &session{h: h, conn: newConn(ws, resume.Sequence, config.Now, identify.sent, h.valid), kind: Identified, ready: make(chan struct{})}
	if resume.SessionID != "" {
		s.kind = Resumed
	}
	library, err := newLibrarySession(config.Token, config.Intents, s.conn)
	if err != nil {
		s.conn.end(err)
		return err
	}
	library.ShardID, library.ShardCount = h.id, h.of
	h.mu.Lock()
	h.current = s
	h.mu.Unlock()
	go s.open(library, resume)
	return s.watch(ctx, opening, identify)
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

// open opens the session. It may never return.
func (s *session) open(library *discordgo.Session, resume Handover) {
	if s.kind == Resumed {
		if err := prime(library, resume); err != nil {
			s.conn.end(err)
			return
		}
	}
	library.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { s.handle(e) })
	if err := library.Open(); err != nil {
		s.conn.end(fmt.Errorf("opening the session: %w", err)) // no effect if the connection ended before
	}
}

// watch waits for the end of the session, and ends it if it does not become
// ready in time, if heartbeats are not acknowledged, or if the bot stops.
//
// Heartbeats are sent when the session is ready and after every interval. Discord
// acknowledges each before the next, usually within a fraction of a second
// ("Gateway", Sending Heartbeats). The session waits a quarter of an interval, so
// that a silent connection of the usual 41.25 s is replaced 52 s after the last
// acknowledgement. Replacing one whose acknowledgement was merely late costs a
// resume.
func (s *session) watch(ctx, opening context.Context, identify *permit) error {
	config := &s.h.g.config
	var overdue <-chan time.Time // receives when an acknowledgement is missing
	stop := func() {}
	defer func() { stop() }()
	ready, notReady := (<-chan struct{})(s.ready), opening.Done()
	for {
		select {
		case <-ready:
			ready, notReady = nil, nil
			identify.release()
			overdue, stop = config.Timer(s.conn.interval / 4)
		case <-s.conn.acks:
			s.h.acknowledged(s.conn)
			if ready == nil {
				stop()
				overdue, stop = config.Timer(s.conn.interval * 5 / 4)
			}
		case <-notReady:
			notReady = nil
			if ctx.Err() == nil {
				s.conn.end(errNotReady)
			}
		case <-overdue:
			s.conn.end(errNoAck)
		case <-ctx.Done():
			why := errStopped
			if errors.Is(context.Cause(ctx), ErrHandOver) {
				why = ErrHandOver
			}
			s.conn.end(why)
			<-s.conn.closed // so that Discord learns of it before the process ends
			return s.conn.reason()
		case <-s.conn.done:
			return s.conn.reason()
		}
	}
}

// handle hands an event on if it is new and the session is the current one. It
// never panics: discordgo would not recover, and the process would end.
func (s *session) handle(e *discordgo.Event) {
	h := s.h
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("gateway: panic while handling an event",
				"type", e.Type, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	if !h.accept(s, e) {
		return
	}
	replayed := s.kind == Resumed && !s.isReady()
	if isStart(e) {
		state := h.snapshot()
		h.log.Info("gateway: connected", "session", string(state.Kind), "connections", state.Connections)
		s.once.Do(func() { close(s.ready) })
		defer h.onReady()
	}
	i, ok := e.Struct.(*discordgo.InteractionCreate)
	if ok {
		i.AppPermissions = discord.ChannelPermissions(i.AppPermissions, e.RawData)
	}
	switch {
	case ok && replayed:
		h.g.handOn(h, Replayed{i})
	case e.Struct != nil:
		h.g.handOn(h, e.Struct)
	}
}

// isReady reports whether READY or RESUMED has arrived.
func (s *session) isReady() bool {
	select {
	case <-s.ready:
		return true
	default:
		return false
	}
}

// Replayed is an interaction that Discord has sent again while a session was
// resumed, because the session may not have received it. If another process has
// handed the session over or died, that may have answered the interaction.
type Replayed struct{ *discordgo.InteractionCreate }

func isStart(e *discordgo.Event) bool { return e.Type == "READY" || e.Type == "RESUMED" }

// accept reports whether an event is to be handed on, and records what it
// changes: the sequence number, where to resume, and that the session is ready.
func (h *shard) accept(s *session, e *discordgo.Event) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current != s || !h.valid() {
		return false
	}
	now := h.g.config.Now()
	if r, ok := e.Struct.(*discordgo.Ready); ok {
		h.resume = Handover{SessionID: r.SessionID, Address: r.ResumeGatewayURL}
		h.state.Identified = now
	} else if !isStart(e) && e.Sequence != 0 && e.Sequence <= h.resume.Sequence {
		h.log.Debug("gateway: repeated event", "type", e.Type, "sequence", e.Sequence)
		return false
	}
	h.resume.Sequence = max(h.resume.Sequence, e.Sequence)
	st := &h.state
	st.LastEvent = now
	if isStart(e) {
		h.acked = now
		h.resumeFailures, h.resumeTimeouts = 0, 0
		st.Connected, st.Since, st.Kind, st.Failures = true, now, s.kind, 0
		st.Connections++
		h.drainTo = 0 // a resume has sent everything
	}
	h.checkDrained()
	return true
}

// acknowledged records that Discord has acknowledged a heartbeat.
func (h *shard) acknowledged(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acked = h.g.config.Now()
	h.state.Latency, h.drainTo = c.acknowledgement()
	h.checkDrained()
}

// newLibrarySession returns a discordgo session that connects to a pipe: with
// no privileged intents, no cache and no reconnects of its own, and with its
// handlers called one after another.
func newLibrarySession(token string, intents discordgo.Intent, c *conn) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.Identify.Intents = intents
	s.Identify.Compress, s.Compress = false, false
	s.StateEnabled = false
	s.ShouldReconnectOnError = false
	s.ShouldReconnectVoiceOnSessionError = false
	s.SyncEvents = true
	s.LogLevel = -1 // State and the log say all that it would print
	s.MaxRestRetries = 0
	s.Client = &http.Client{Transport: pipeLocator{}}
	s.Dialer = pipeDialer(c.pipe)
	return s, nil
}

// pipeLocator answers the one request that a session makes, for the gateway's
// address.
type pipeLocator struct{}

func (pipeLocator) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Request: r, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(`{"url":"` + pipeAddress + `"}`)),
	}, nil
}

func pipeDialer(pipe func() (net.Conn, error)) *websocket.Dialer {
	return &websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return pipe() }}
}

// prime makes a new discordgo session resume when it is opened. discordgo takes
// the identifier of a session from READY only, so the session is first opened
// on a pipe that sends only READY. discordgo stores the identifier, and Open then
// fails because there is no hello.
func prime(library *discordgo.Session, resume Handover) error {
	ready, err := json.Marshal(map[string]any{
		"op": opDispatch, "s": resume.Sequence, "t": "READY",
		"d": map[string]any{"session_id": resume.SessionID, "resume_gateway_url": pipeAddress},
	})
	if err != nil {
		return err
	}
	near, far := net.Pipe()
	defer near.Close()
	dialer := library.Dialer
	defer func() { library.Dialer = dialer }()
	library.Dialer = pipeDialer(func() (net.Conn, error) { return far, nil })
	go func() {
		if ws, err := acceptWebsocket(near); err == nil {
			_ = ws.WriteMessage(websocket.TextMessage, ready) // Open fails otherwise
		}
	}()
	if err := library.Open(); err == nil || !strings.Contains(err.Error(), "expecting Op 10") {
		return fmt.Errorf("%w: opening without a hello: %v", errNotPrimed, err)
	}
	return nil
}
