package gateway

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// version is that of the gateway; the REST side uses the same.
const version = "10"

// life is one session on its line.
type life struct {
	g     *Gateway
	line  *line
	ready chan struct{} // closed by READY or RESUMED
	once  sync.Once     // of closing ready
}

// live runs one session until it ends, and says why it did. When it returns,
// no event of the session is handed on any more. The session itself may hang
// for ever: nothing waits for it.
func (g *Gateway) live(ctx context.Context, address string, at point) error {
	kind := Identified
	if at.session != "" {
		kind = Resumed
	}
	overdue, release := g.config.Timer(openWithin)
	defer release()
	out, err := g.dial(ctx, address, overdue)
	if err != nil {
		return err
	}
	l := &life{g: g, line: newLine(out, kind, at.sequence), ready: make(chan struct{})}
	g.enter(l)
	defer g.leave()
	session, err := newSession(g.config.Token, g.config.Intents, l.line)
	if err != nil {
		l.line.end(err)
		return err
	}
	go l.open(session, kind, at)
	return l.watch(ctx, overdue)
}

// dial connects to Discord, until it is overdue or the context is done.
func (g *Gateway) dial(ctx context.Context, address string, overdue <-chan time.Time) (*websocket.Conn, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the gateway's address: %w", err)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = url.Values{"v": {version}, "encoding": {"json"}}.Encode()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type dialled struct {
		out *websocket.Conn
		err error
	}
	answered := make(chan dialled)
	go func() {
		d := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: openWithin}
		out, response, err := d.DialContext(ctx, u.String(), nil)
		if err != nil && response != nil {
			err = fmt.Errorf("%w: %s", err, response.Status)
		}
		select {
		case answered <- dialled{out, err}:
		case <-ctx.Done():
			if err == nil {
				out.Close() // nobody waits for it any more
			}
		}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return nil, fmt.Errorf("connecting to %s: %w", u.Host, a.err)
		}
		return a.out, nil
	case <-overdue:
		return nil, fmt.Errorf("connecting to %s: no answer within %v", u.Host, openWithin)
	case <-ctx.Done():
		return nil, errStopped
	}
}

// enter makes a life the one whose events count.
func (g *Gateway) enter(l *life) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current = l
}

// leave ends a life's claim to its events, and notes for how long it was
// connected. An event that is being handed on at this moment has been counted.
func (g *Gateway) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current = nil
	if g.state.Connected {
		now := g.config.Now()
		g.lasted = now.Sub(g.state.Since)
		g.state.Connected, g.state.Since = false, now
	}
}

// open opens the session. It may never return.
func (l *life) open(session *discordgo.Session, kind Kind, at point) {
	if kind == Resumed {
		if err := prime(session, at); err != nil {
			l.line.end(err)
			return
		}
	}
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { l.event(e) })
	if err := session.Open(); err != nil {
		// Where the line has ended, that was the reason and not this.
		l.line.end(fmt.Errorf("opening the session: %w", err))
	}
}

// watch waits for the end of the session, and ends it where it hangs, goes
// silent, or the bot stops.
func (l *life) watch(ctx context.Context, overdue <-chan time.Time) error {
	var silent <-chan time.Time // fires when acknowledgements are missing
	release := func() {}
	defer func() { release() }()
	var interval time.Duration
	rearm := func() {
		release()
		silent, release = l.g.config.Timer(2 * interval)
	}
	ready := (<-chan struct{})(l.ready)
	for {
		select {
		case interval = <-l.line.hello:
		case <-ready:
			// The hello came before, and its interval waits to be received.
			ready, overdue = nil, nil
			if interval == 0 {
				interval = <-l.line.hello
			}
			rearm()
		case <-l.line.acks:
			l.g.acknowledged()
			if ready == nil {
				rearm()
			}
		case <-overdue:
			l.line.end(errNotOpened)
		case <-silent:
			l.line.end(errSilent)
		case <-ctx.Done():
			l.line.end(errStopped)
		case <-l.line.done:
			if ctx.Err() != nil {
				<-l.line.gone // so that Discord hears of the end before the process ends
			}
			return l.line.reason()
		}
	}
}

// event hands an event on, if it is the first with its number and the session
// is the current one. It never panics: discordgo would take the process along.
func (l *life) event(e *discordgo.Event) {
	g := l.g
	defer func() {
		if p := recover(); p != nil {
			g.log.Error("gateway: panic while handling an event",
				"type", e.Type, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	if !g.count(l, e) {
		return
	}
	if began(e) {
		s := g.State()
		g.log.Info("gateway: connected", "session", string(s.Kind), "connections", s.Connections)
		l.once.Do(func() { close(l.ready) })
	}
	if e.Struct != nil {
		g.config.Handle(e.Struct)
	}
}

// began reports whether an event says that the session is ready.
func began(e *discordgo.Event) bool { return e.Type == "READY" || e.Type == "RESUMED" }

// count notes the number of an event, and with the first where the session can
// be taken up and that it is ready. It reports false where the event is not to
// be handed on.
func (g *Gateway) count(l *life, e *discordgo.Event) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current != l {
		return false
	}
	r, ready := e.Struct.(*discordgo.Ready)
	switch {
	case ready:
		g.at = point{session: r.SessionID, address: r.ResumeGatewayURL, sequence: e.Sequence}
	case began(e):
		g.at.sequence = max(g.at.sequence, e.Sequence)
	case e.Sequence != 0 && e.Sequence <= g.at.sequence:
		g.log.Debug("gateway: an event came again", "type", e.Type, "number", e.Sequence)
		return false
	default:
		g.at.sequence = max(g.at.sequence, e.Sequence)
	}
	if began(e) {
		g.connected(l)
	}
	return true
}

// connected notes that a session is ready. It is called with the lock held.
func (g *Gateway) connected(l *life) {
	g.acked = g.config.Now()
	g.astray, g.unheard = 0, 0
	s := &g.state
	s.Connected, s.Since, s.Kind, s.Failures = true, g.acked, l.line.kind, 0
	s.Connections++
}

func (g *Gateway) acknowledged() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.acked = g.config.Now()
}
