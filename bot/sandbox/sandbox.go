package sandbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options configures a sandbox; the zero value is a good one.
type Options struct {
	// Base is the address under which the sandbox is reached, such as
	// "http://127.0.0.1:8080"; the gateway's and the attachments' addresses
	// are made from it. Empty: Serve sets it, or the first request that
	// arrives does, from the address that it arrived at.
	Base string
	// Now is the clock; default time.Now.
	Now func() time.Time
	// AfterFunc starts a timer of that clock; default time.AfterFunc. The
	// three seconds of an interaction are measured with it. It must not run f
	// itself, nor may f run while a lock is held that AfterFunc or stop needs.
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
	// Observe is told of every request to the REST API and its answer, when
	// the answer is made and before it is sent: who has the answer can rely
	// on the exchange having been observed. It must not call the sandbox's
	// REST API itself. May be nil.
	Observe func(Exchange)
	// Logger gets what is worth knowing of connections and refusals, never
	// tokens; default: nothing is logged.
	Logger *slog.Logger
	// World is the server with its people; the zero value is DefaultWorld.
	World World
	// HeartbeatInterval is the interval that the gateway asks for; default
	// 41.25 s. It is measured in real time, whatever Now says, since it
	// guards a real connection.
	HeartbeatInterval time.Duration
	// Shards is how many shards a bot is told to start; default 1.
	Shards int
	// MaxConcurrency is how many shards may identify in five seconds, by the
	// clock; more are told that their session is invalid. 0: one is told, and
	// none is refused.
	MaxConcurrency int
	// Keep bounds what a long life takes: that many messages of each channel,
	// the newest, and as many interactions as messages. 0 keeps every message,
	// and interactions for half an hour. What goes on counts in a Tally.
	Keep int
}

// Sandbox is a Discord look-alike: an http.Handler with the REST API, the
// gateway, the page and what the page needs. Its methods may be used from
// several goroutines.
type Sandbox struct {
	world     World
	token     string
	now       func() time.Time
	afterFunc func(time.Duration, func()) func() bool
	observe   func(Exchange)
	log       *slog.Logger
	heartbeat time.Duration
	shards    int
	// concurrency is Options.MaxConcurrency.
	concurrency int
	keep        int
	routes      *router

	// mu guards everything below. It is never held while something is
	// written to a connection.
	mu           sync.Mutex
	base         string
	ids          *snowflakes
	closed       bool
	changed      chan struct{} // closed and replaced at every change
	messages        map[string][]*post
	files        map[string]*storedFile
	unread        map[[2]string]*unreadState // by user and channel
	nonces       map[string]*post
	commands     []*command
	interactions map[string]*interaction
	tokens       map[string]*interaction
	interactionOrder        []*interaction // those in interactions, oldest first
	sessions     map[string]*session
	conns        map[*gatewayConn]bool
	streams      map[*stream]bool
	plan         []*Planned
	planned      int       // faults ever, for their ids
	guilds      []*server // the world's first comes first
	channels       map[string]*place
	installed    map[string]bool   // who has the application installed for themselves
	dmsClosed     map[string]bool   // whom nobody may write to directly
	identified   map[int]time.Time // the last identify by bucket
	requests     map[Request]int
	notifications      []Notification
	trimmed    map[string]int // interactions by state that are no longer kept
	traffic         []trafficEntry        // the last of the traffic
	trafficCount    int
	server       *http.Server
}

// New makes a sandbox.
func New(o Options) (*Sandbox, error) {
	world, err := o.World.complete()
	if err != nil {
		return nil, err
	}
	s := &Sandbox{
		world: world, token: "sandbox." + rand.Text(), base: strings.TrimSuffix(o.Base, "/"),
		now: o.Now, afterFunc: o.AfterFunc, observe: o.Observe, log: o.Logger, heartbeat: o.HeartbeatInterval, shards: o.Shards, concurrency: o.MaxConcurrency, identified: map[int]time.Time{}, keep: o.Keep,
		changed: make(chan struct{}), messages: map[string][]*post{}, files: map[string]*storedFile{},
		unread: map[[2]string]*unreadState{}, nonces: map[string]*post{}, interactions: map[string]*interaction{},
		tokens: map[string]*interaction{}, sessions: map[string]*session{}, conns: map[*gatewayConn]bool{}, streams: map[*stream]bool{},
		channels: map[string]*place{}, installed: map[string]bool{}, dmsClosed: map[string]bool{}, requests: map[Request]int{}, trimmed: map[string]int{},
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.afterFunc == nil {
		s.afterFunc = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.heartbeat <= 0 {
		s.heartbeat = 41250 * time.Millisecond
	}
	if s.ids, err = newSnowflakes(s.now); err != nil {
		return nil, fmt.Errorf("start the id generator: %w", err)
	}
	s.addGuilds(world)
	for _, u := range world.Users {
		s.installed[u.ID], s.dmsClosed[u.ID] = u.Installed, u.ClosedMessages
	}
	s.routes = s.restRoutes()
	return s, nil
}

// ApplicationID is the id of the bot's application and of its bot user.
func (s *Sandbox) ApplicationID() string { return s.world.Application.ID }

// Token is the bot's token, without the word "Bot" before it. It is made
// anew for each sandbox.
func (s *Sandbox) Token() string { return s.token }

// Base is the address under which the sandbox is reached, "" while unknown.
func (s *Sandbox) Base() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base
}

// Serve answers requests from the listener until Close is called or the
// listener fails. It sets Base from the listener's address if it is empty.
func (s *Sandbox) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return http.ErrServerClosed
	}
	if s.base == "" {
		s.base = "http://" + l.Addr().String()
	}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	server := s.server
	s.mu.Unlock()
	return server.Serve(l)
}

// Close ends gateway connections and event streams, and the server that Serve
// runs. Serve then returns http.ErrServerClosed.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		c.close(1001, "")
	}
	for st := range s.streams {
		st.end()
	}
	for _, i := range s.interactions {
		i.stopTimer()
	}
	for _, p := range slices.Clone(s.plan) {
		p.remove()
	}
	server := s.server
	s.wake()
	s.mu.Unlock()
	if server != nil {
		return server.Close()
	}
	return nil
}

// askAgain is after how long Wait asks again unless something changes before.
const pollInterval = 50 * time.Millisecond

// Wait returns when cond is true. It asks at once, again after every change of
// the sandbox's state, and now and then besides, for what only the bot knows or
// who observes it; cond may call any method. The error is the context's, or
// io.ErrClosedPipe when the sandbox was closed.
func (s *Sandbox) Wait(ctx context.Context, cond func() bool) error {
	again := time.NewTicker(pollInterval)
	defer again.Stop()
	for {
		s.mu.Lock()
		changed, closed := s.changed, s.closed
		s.mu.Unlock()
		if cond() {
			return nil
		}
		if closed {
			return io.ErrClosedPipe
		}
		select {
		case <-changed:
		case <-again.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// touch tells those who wait that the state has changed. The caller holds the
// lock.
func (s *Sandbox) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// user finds a person of the world.
func (s *Sandbox) user(id string) (User, bool) {
	for _, u := range s.world.Users {
		if u.ID == id {
			return u, true
		}
	}
	return User{}, false
}

// userObject is a person or the bot in Discord's shape.
func (s *Sandbox) userObject(id string) (UserObject, bool) {
	if id == s.world.Application.ID {
		return s.botUser(), true
	}
	u, ok := s.user(id)
	if !ok {
		return UserObject{}, false
	}
	out := UserObject{ID: u.ID, Username: u.Username, Discriminator: "0"}
	if u.GlobalName != "" {
		out.GlobalName = &u.GlobalName
	}
	return out, true
}

func (s *Sandbox) botUser() UserObject {
	return UserObject{ID: s.world.Application.ID, Username: s.world.Application.Name, Discriminator: "0", Bot: true}
}
