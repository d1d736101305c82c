package gateway

import (
	"context"
	"encoding/json"
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
	g     *Gateway
	conn  *conn
	kind  Kind
	ready chan struct{} // closed by READY or RESUMED
	once  sync.Once     // of closing ready
}

// runSession runs one session until it ends and returns why it did. The
// discordgo session may hang for ever: nothing waits for it.
func (g *Gateway) runSession(ctx context.Context, address string, resume resumeState) error {
	opening, cancel := g.withTimeout(ctx, openTimeout)
	defer cancel()
	ws, err := g.dial(opening, address)
	if err != nil {
		return err
	}
	s := &session{g: g, conn: newConn(ws, resume.sequence), kind: Identified, ready: make(chan struct{})}
	if resume.sessionID != "" {
		s.kind = Resumed
	}
	library, err := newLibrarySession(g.config.Token, g.config.Intents, s.conn)
	if err != nil {
		s.conn.end(err)
		return err
	}
	g.mu.Lock()
	g.current = s
	g.mu.Unlock()
	go s.open(library, resume)
	return s.watch(ctx, opening)
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
func (s *session) open(library *discordgo.Session, resume resumeState) {
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
func (s *session) watch(ctx, opening context.Context) error {
	var overdue <-chan time.Time // receives when an acknowledgement is missing
	stop := func() {}
	defer func() { stop() }()
	ready, notReady := (<-chan struct{})(s.ready), opening.Done()
	for {
		select {
		case <-ready:
			ready, notReady = nil, nil
			overdue, stop = s.g.config.Timer(s.conn.interval / 4)
		case <-s.conn.acks:
			s.g.acknowledged()
			if ready == nil {
				stop()
				overdue, stop = s.g.config.Timer(s.conn.interval * 5 / 4)
			}
		case <-notReady:
			notReady = nil
			if ctx.Err() == nil {
				s.conn.end(errNotReady)
			}
		case <-overdue:
			s.conn.end(errNoAck)
		case <-ctx.Done():
			s.conn.end(errStopped)
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
	g := s.g
	defer func() {
		if p := recover(); p != nil {
			g.log.Error("gateway: panic while handling an event",
				"type", e.Type, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	if !g.accept(s, e) {
		return
	}
	if isStart(e) {
		state := g.State()
		g.log.Info("gateway: connected", "session", string(state.Kind), "connections", state.Connections)
		s.once.Do(func() { close(s.ready) })
	}
	if i, ok := e.Struct.(*discordgo.InteractionCreate); ok {
		i.AppPermissions = discord.ChannelPermissions(i.AppPermissions, e.RawData)
	}
	if e.Struct != nil {
		g.config.Handle(e.Struct)
	}
}

func isStart(e *discordgo.Event) bool { return e.Type == "READY" || e.Type == "RESUMED" }

// accept reports whether an event is to be handed on, and records what it
// changes: the sequence number, where to resume, and that the session is ready.
func (g *Gateway) accept(s *session, e *discordgo.Event) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current != s {
		return false
	}
	if r, ok := e.Struct.(*discordgo.Ready); ok {
		g.resume = resumeState{sessionID: r.SessionID, address: r.ResumeGatewayURL}
	} else if !isStart(e) && e.Sequence != 0 && e.Sequence <= g.resume.sequence {
		g.log.Debug("gateway: repeated event", "type", e.Type, "sequence", e.Sequence)
		return false
	}
	g.resume.sequence = max(g.resume.sequence, e.Sequence)
	if isStart(e) {
		g.acked = time.Now()
		g.resumeFailures, g.resumeTimeouts = 0, 0
		st := &g.state
		st.Connected, st.Since, st.Kind, st.Failures = true, g.acked, s.kind, 0
		st.Connections++
	}
	return true
}

func (g *Gateway) acknowledged() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.acked = time.Now()
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
func prime(library *discordgo.Session, resume resumeState) error {
	ready, err := json.Marshal(map[string]any{
		"op": opDispatch, "s": resume.sequence, "t": "READY",
		"d": map[string]any{"session_id": resume.sessionID, "resume_gateway_url": pipeAddress},
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
