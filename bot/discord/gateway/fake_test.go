package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
)

// patience bounds every wait of these tests; none of them needs it.
const patience = 30 * time.Second

// opening is how long finding the gateway, and making a session ready, may
// take.
const opening = 20 * time.Second

// hour is a heartbeat interval that never passes.
const hour = 60 * 60 * 1000

// rig is a gateway that is scripted by the test, and a Gateway that is
// connected to it. Time passes when the test says so.
type rig struct {
	t       *testing.T
	clock   *clock
	address string
	dialled chan *peer
	events  chan any
	gateway *gateway.Gateway
	stop    context.CancelFunc
	ended   chan error
	log     *book

	mu     sync.Mutex
	found  discord.GatewayInfo
	finds  int
	refuse func() error      // of Find; nil refuses nothing
	handle func(event any)   // before the event is noted; nil does nothing
	peers  []*websocket.Conn // closed at the end
}

func newRig(t *testing.T, change ...func(*rig)) *rig {
	t.Helper()
	r := &rig{
		t: t, clock: newClock(), dialled: make(chan *peer, 100), events: make(chan any, 1000),
		ended: make(chan error, 1), log: &book{},
	}
	server := httptest.NewServer(http.HandlerFunc(r.serve))
	r.address = "ws" + strings.TrimPrefix(server.URL, "http")
	r.found = discord.GatewayInfo{URL: r.address, Shards: 1, SessionStartLimit: discord.SessionStartLimit{Total: 1000, Remaining: 1000, MaxConcurrency: 1}}
	for _, c := range change {
		c(r)
	}
	r.gateway = gateway.New(gateway.Config{
		Token: "secret-token", Intents: discordgo.IntentsGuilds, GetGateway: r.find, Handle: r.take,
		Logger: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now:    r.clock.Now, Timer: r.clock.Timer, Seed: 1,
	})
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() { r.ended <- r.gateway.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		r.mu.Lock()
		for _, p := range r.peers {
			p.Close()
		}
		r.mu.Unlock()
		server.CloseClientConnections()
		server.Close()
		if strings.Contains(r.log.String(), "secret-token") {
			t.Error("the token is in the log")
		}
		if t.Failed() {
			t.Log(r.log.String())
		}
	})
	return r
}

func (r *rig) find(ctx context.Context) (discord.GatewayInfo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finds++
	var err error
	if r.refuse != nil {
		err = r.refuse()
	}
	return r.found, err
}

func (r *rig) take(event any) {
	r.mu.Lock()
	handle := r.handle
	r.mu.Unlock()
	if handle != nil {
		handle(event)
	}
	r.events <- event
}

func (r *rig) serve(w http.ResponseWriter, q *http.Request) {
	var up websocket.Upgrader
	ws, err := up.Upgrade(w, q, nil)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.peers = append(r.peers, ws)
	r.mu.Unlock()
	p := &peer{r: r, ws: ws, query: q.URL.RawQuery, path: q.URL.Path, frames: make(chan frame, 100)}
	r.dialled <- p
	for {
		_, raw, err := ws.ReadMessage()
		if err != nil {
			var closed *websocket.CloseError
			if errors.As(err, &closed) {
				p.code = closed.Code
			}
			close(p.frames)
			return
		}
		var f frame
		if err := json.Unmarshal(raw, &f); err != nil {
			r.t.Errorf("the gateway got %s", raw)
		}
		p.frames <- f
	}
}

// peer is Discord's end of one connection.
type peer struct {
	r      *rig
	ws     *websocket.Conn
	query  string
	path   string
	frames chan frame
	code   int // of the close, once frames is closed
}

type frame struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
}

// next is the next connection.
func (r *rig) next() *peer {
	r.t.Helper()
	return receive(r.t, "a connection", r.dialled)
}

// event is the next event that was handed on, which is of that type.
func event[T any](r *rig) T {
	r.t.Helper()
	e := receive(r.t, "an event", r.events)
	want, ok := e.(T)
	if !ok {
		r.t.Fatalf("the event is a %T, not a %T", e, want)
	}
	return want
}

// run is how Run ended.
func (r *rig) run() error {
	r.t.Helper()
	return receive(r.t, "the end", r.ended)
}

func receive[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s does not come", what)
		panic("not reached")
	}
}

// says sends a text as it is.
func (p *peer) says(text string) {
	p.r.t.Helper()
	if err := p.ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		p.r.t.Logf("Discord cannot say %s: %v", text, err) // it has been left
	}
}

func (p *peer) hello(interval int) {
	p.says(fmt.Sprintf(`{"op":10,"d":{"heartbeat_interval":%d}}`, interval))
}

func (p *peer) ready(session string) {
	p.says(fmt.Sprintf(`{"op":0,"s":1,"t":"READY","d":{"v":10,"session_id":%q,"resume_gateway_url":%q,
		"user":{"id":"7","username":"Castellan"},"application":{"id":"9"},"guilds":[]}}`, session, p.r.address+"/resume"))
}

func (p *peer) resumed(n int) { p.says(fmt.Sprintf(`{"op":0,"s":%d,"t":"RESUMED","d":{}}`, n)) }

// clicked sends an interaction as event n, with n as its identifier.
func (p *peer) clicked(n int) {
	p.says(fmt.Sprintf(`{"op":0,"s":%d,"t":"INTERACTION_CREATE","d":{"id":"%d","type":3,"token":"t","data":{"custom_id":"x","component_type":2}}}`, n, n))
}

// expect is the data of the next frame of an opcode; heartbeats before it are
// acknowledged.
func (p *peer) expect(op int) json.RawMessage {
	p.r.t.Helper()
	for {
		f, open := p.hear()
		switch {
		case !open:
			p.r.t.Fatalf("the connection was closed with %d, opcode %d was expected", p.code, op)
		case f.Op == op:
			return f.D
		case f.Op == 1:
			p.says(`{"op":11}`)
		default:
			p.r.t.Fatalf("opcode %d %s, not %d", f.Op, f.D, op)
		}
	}
}

func (p *peer) hear() (f frame, open bool) {
	p.r.t.Helper()
	select {
	case f, open = <-p.frames:
		return f, open
	case <-time.After(patience):
		p.r.t.Fatal("nothing is sent")
		panic("not reached")
	}
}

// closed waits for the close of the connection and is its code; 0 is none.
func (p *peer) closed() int {
	p.r.t.Helper()
	for {
		if _, open := p.hear(); !open {
			return p.code
		}
	}
}

// drop breaks the connection without a close.
func (p *peer) drop() { p.ws.NetConn().Close() }

// closes closes the connection with a code.
func (p *peer) closes(code int) {
	_ = p.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(patience))
	p.ws.Close()
}

// identified takes a session to READY and waits until that was handed on.
func (r *rig) identified(session string, interval int) *peer {
	r.t.Helper()
	p := r.next()
	p.hello(interval)
	p.expect(2)
	p.ready(session)
	event[*discordgo.Ready](r)
	return p
}

// resumes takes a connection to where it has asked to resume.
func (r *rig) resumes(session string, sequence int) *peer {
	r.t.Helper()
	p := r.next()
	p.hello(hour)
	var got struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	if err := json.Unmarshal(p.expect(6), &got); err != nil {
		r.t.Fatal(err)
	}
	if got.Session != session || got.Seq != sequence || !strings.HasSuffix(got.Token, "secret-token") {
		r.t.Fatalf("it resumes %+v, not %s from %d", got, session, sequence)
	}
	return p
}

// clock is a clock whose timers run out when the test says so; waits of up to
// short, which are those between attempts, pass at once.
type clock struct {
	mu     sync.Mutex
	more   *sync.Cond
	now    time.Time
	timers map[*timer]bool
	short  time.Duration
	passed []time.Duration // the waits that passed at once
	made   int             // timers that did not
}

type timer struct {
	d time.Duration
	c chan time.Time
}

func newClock() *clock {
	c := &clock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), timers: map[*timer]bool{}, short: 10 * time.Second}
	c.more = sync.NewCond(&c.mu)
	return c
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := &timer{d, make(chan time.Time, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if d <= c.short && d != opening {
		c.now = c.now.Add(d)
		c.passed = append(c.passed, d)
		t.c <- c.now
		return t.c, func() {}
	}
	c.timers[t] = true
	c.made++
	c.more.Broadcast()
	return t.c, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
	}
}

// pass lets time go by without a timer.
func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// waited is the waits that passed at once since it was last called.
func (c *clock) waited() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.passed = nil }()
	return c.passed
}

// runOut waits until there is a timer between two lengths, and lets its time
// pass.
func (c *clock) runOut(t *testing.T, least, most time.Duration) {
	t.Helper()
	c.await(t, fmt.Sprintf("a timer of %v to %v", least, most), func() bool {
		for timer := range c.timers {
			if timer.d >= least && timer.d <= most {
				delete(c.timers, timer)
				c.now = c.now.Add(timer.d)
				timer.c <- c.now
				return true
			}
		}
		return false
	})
}

// await waits for a condition, which is asked with the lock held whenever
// there is a new timer.
func (c *clock) await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	overdue := false
	guard := time.AfterFunc(patience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		overdue = true
		c.more.Broadcast()
	})
	defer guard.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !cond() {
		if overdue {
			t.Fatalf("%s does not come", what)
		}
		c.more.Wait()
	}
}

// book is a log.
type book struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
