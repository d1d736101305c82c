package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
)

const (
	address  = "ws://gateway.test"
	interval = 40 * time.Second // between heartbeats
	timeout  = 20 * time.Second // for an answer, and for a session to become ready
	patience = 24 * time.Hour   // of the bubble's time, for anything expected
)

// rig is a Gateway connected to a fake Discord that the test scripts, over
// pipes and in the time of a synctest bubble.
type rig struct {
	t       *testing.T
	conns   chan *peer
	events  chan any
	gateway *gateway.Gateway
	stop    context.CancelFunc
	ended   chan error
	log     buffer

	info    discord.GatewayInfo
	asked   []time.Time     // when GetGateway was called
	getErr  func() error    // of GetGateway; nil means none
	handle  func(event any) // called before an event is recorded, unless nil
	network chan net.Conn   // connections that the server accepts

	shards   int // Config.Shards
	assigner gateway.Assigner
}

// run runs a test in a bubble with a rig, which setup changes before it starts.
func run(t *testing.T, test func(r *rig), setup ...func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{
			t: t, conns: make(chan *peer, 100), events: make(chan any, 1000), ended: make(chan error, 1), network: make(chan net.Conn),
			info: discord.GatewayInfo{URL: address, SessionStartLimit: discord.SessionStartLimit{Total: 1000, Remaining: 1000, MaxConcurrency: 1}},
		}
		for _, f := range setup {
			f(r)
		}
		var server http.Server
		server.Handler = http.HandlerFunc(r.serve)
		go func() { _ = server.Serve(r) }()
		r.gateway = r.newGateway()
		var ctx context.Context
		ctx, r.stop = context.WithCancel(t.Context())
		go func() { r.ended <- r.gateway.Run(ctx) }()
		defer func() {
			synctest.Wait()
			r.stop()
			time.Sleep(time.Minute) // the timers of the last session
			close(r.network)
			if strings.Contains(r.log.String(), "secret-token") {
				t.Error("the token is in the log")
			}
			if t.Failed() {
				t.Log(r.log.String())
			}
		}()
		test(r)
	})
}

func (r *rig) newGateway() *gateway.Gateway {
	return gateway.New(gateway.Config{
		Token: "secret-token", GetGateway: r.getGateway, Handle: r.take, NetDial: r.dial,
		Shards: r.shards, Assigner: r.assigner,
		Logger: slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
}

// dial connects to the fake Discord; every other address is unreachable.
func (r *rig) dial(_ context.Context, _, target string) (net.Conn, error) {
	if target != "gateway.test:80" {
		return nil, errors.New("connection refused")
	}
	near, far := net.Pipe()
	r.network <- far
	return near, nil
}

// Accept, Close and Addr make the rig the listener of its server.
func (r *rig) Accept() (net.Conn, error) {
	if c, ok := <-r.network; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (r *rig) Close() error { return nil }

func (r *rig) Addr() net.Addr { return &net.UnixAddr{} }

func (r *rig) getGateway(context.Context) (discord.GatewayInfo, error) {
	r.asked = append(r.asked, time.Now())
	if r.getErr != nil {
		return r.info, r.getErr()
	}
	return r.info, nil
}

func (r *rig) take(event any) {
	if r.handle != nil {
		r.handle(event)
	}
	r.events <- event
}

// peer is Discord's end of a connection.
type peer struct {
	r      *rig
	ws     *websocket.Conn
	path   string
	query  string
	frames chan frame           // all but heartbeats
	beats  chan json.RawMessage // the data of heartbeats
	mute   atomic.Bool          // heartbeats are not acknowledged
	code   int                  // of the close, once frames is closed
	out    chan string          // frames to send
}

type frame struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
}

func (r *rig) serve(w http.ResponseWriter, q *http.Request) {
	var up websocket.Upgrader
	ws, err := up.Upgrade(w, q, nil)
	if err != nil {
		r.t.Error(err)
		return
	}
	p := &peer{r: r, ws: ws, path: q.URL.Path, query: q.URL.RawQuery, frames: make(chan frame, 100), beats: make(chan json.RawMessage, 1000), out: make(chan string, 100)}
	gone := make(chan struct{})
	defer close(gone)
	go func() {
		for {
			select {
			case text := <-p.out:
				_ = ws.WriteMessage(websocket.TextMessage, []byte(text)) // fails if the connection was abandoned
			case <-gone:
				return
			}
		}
	}()
	r.conns <- p
	for {
		var f frame
		if err := ws.ReadJSON(&f); err != nil {
			var closed *websocket.CloseError
			if errors.As(err, &closed) {
				p.code = closed.Code
			}
			ws.Close()
			close(p.frames)
			return
		}
		switch {
		case f.Op != 1:
			p.frames <- f
		default:
			select {
			case p.beats <- f.D:
			default: // the test does not look at them
			}
			if !p.mute.Load() {
				p.out <- `{"op":11,"d":null}`
			}
		}
	}
}

// next returns the next connection.
func (r *rig) next() *peer {
	r.t.Helper()
	return receive(r.t, "connection", r.conns)
}

// event returns the next event that was handed on, which must have the type T.
func event[T any](r *rig) T {
	r.t.Helper()
	e := receive(r.t, "event", r.events)
	synctest.Wait()
	want, ok := e.(T)
	if !ok {
		r.t.Fatalf("got event %T, want %T", e, want)
	}
	return want
}

// clicked expects an interaction as the next event, by its identifier.
func (r *rig) clicked(id string) {
	r.t.Helper()
	if got := event[*discordgo.InteractionCreate](r); got.ID != id {
		r.t.Fatalf("got event %s, want %s", got.ID, id)
	}
}

// replayed expects a replayed interaction as the next event, by its identifier.
func (r *rig) replayed(id string) {
	r.t.Helper()
	if got := event[gateway.Replayed](r); got.ID != id {
		r.t.Fatalf("got event %s, want %s", got.ID, id)
	}
}

// runError returns the result of Run.
func (r *rig) runError() error {
	r.t.Helper()
	return receive(r.t, "end of Run", r.ended)
}

func receive[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s", what)
		panic("unreachable")
	}
}

// says sends a text frame. Like the other methods of peer, it first waits until
// the bot is idle.
func (p *peer) says(text string) {
	synctest.Wait()
	p.out <- text
}

func (p *peer) hello() {
	p.says(fmt.Sprintf(`{"op":10,"d":{"heartbeat_interval":%d}}`, interval.Milliseconds()))
}

func (p *peer) ready(session, resumeAddress string) {
	p.says(fmt.Sprintf(`{"op":0,"s":1,"t":"READY","d":{"v":10,"session_id":%q,"resume_gateway_url":%q,
		"user":{"id":"7","username":"Castellan"},"application":{"id":"9"},"guilds":[]}}`, session, resumeAddress))
}

func (p *peer) resumed(n int) { p.says(fmt.Sprintf(`{"op":0,"s":%d,"t":"RESUMED","d":{}}`, n)) }

// click sends an interaction with a sequence number, which is its identifier
// too.
func (p *peer) click(n int) {
	p.says(fmt.Sprintf(`{"op":0,"s":%d,"t":"INTERACTION_CREATE","d":{"id":"%d","type":3,"token":"t","data":{"custom_id":"x","component_type":2}}}`, n, n))
}

// expect returns the data of the next frame, which must have an opcode.
func (p *peer) expect(op int) json.RawMessage {
	p.r.t.Helper()
	f := receive(p.r.t, fmt.Sprintf("frame with opcode %d", op), p.frames)
	if f.Op != op {
		p.r.t.Fatalf("got opcode %d (close code %d), want %d", f.Op, p.code, op)
	}
	return f.D
}

// closed waits for the end of the connection and returns the close code; 0 means
// none.
func (p *peer) closed() int {
	p.r.t.Helper()
	receive(p.r.t, "close", p.frames)
	return p.code
}

// abandoned sends a frame after which the gateway must close the connection so
// that the session stays resumable.
func (p *peer) abandoned(text string) {
	p.r.t.Helper()
	p.says(text)
	if code := p.closed(); code != 4000 {
		p.r.t.Errorf("after %s the connection was closed with %d, want 4000", text, code)
	}
}

// drop breaks the connection without a close.
func (p *peer) drop() {
	synctest.Wait()
	p.ws.NetConn().Close()
}

// close closes the connection with a code.
func (p *peer) close(code int) {
	synctest.Wait()
	_ = p.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
	p.ws.Close()
}

// handshake answers the next connection until it has identified.
func (r *rig) handshake() *peer {
	r.t.Helper()
	p := r.next()
	p.hello()
	p.expect(2)
	return p
}

// identified answers the next connection until READY was handed on and the
// first heartbeat acknowledged.
func (r *rig) identified(session string) *peer {
	r.t.Helper()
	p := r.handshake()
	p.ready(session, address+"/resume")
	event[*discordgo.Ready](r)
	return p
}

// resumes answers the next connection until it has asked to resume a session.
func (r *rig) resumes(session string, sequence int) *peer {
	r.t.Helper()
	p := r.next()
	p.hello()
	var got struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	if err := json.Unmarshal(p.expect(6), &got); err != nil {
		r.t.Fatal(err)
	}
	if got.Session != session || got.Seq != sequence || !strings.HasSuffix(got.Token, "secret-token") {
		r.t.Fatalf("resumed %+v, want %s from %d", got, session, sequence)
	}
	return p
}

// buffer is a bytes.Buffer that can be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
