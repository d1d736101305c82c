package sandbox

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
	"castellan/bot/sandbox/gateway"
)

// Options configures a sandbox; the zero value uses the defaults.
type Options struct {
	// Base is the URL of the sandbox, such as "http://127.0.0.1:8080"; by default
	// that of Serve's listener, or of the first request.
	Base string
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Clock is a clock that the page can move. It replaces Now.
	Clock *Clock
	// AfterFunc starts a timer of that clock, for the three seconds of an
	// interaction; default time.AfterFunc. It must not call f itself.
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
	// Observe is called with every request to the REST API and its response, before
	// the response is sent, and with answers of the interactions endpoint, as
	// requests to the callback route. It must not call the REST API. May be nil.
	Observe func(api.Exchange)
	// Logger gets connections and refusals, never tokens; default: none.
	Logger *slog.Logger
	// Token is the bot's token, without the prefix "Bot"; default: a random one.
	// The first part of a token, up to a point, is the application's id in
	// Base64, which libraries rely on. If Token has such a part, it sets the
	// world's application id.
	Token string
	// World is the guilds with their people; default DefaultWorld.
	World World
	// HeartbeatInterval is the interval that the gateway asks for; default
	// 41.25 s. It is measured in real time, whatever Now says, because it
	// guards a real connection.
	HeartbeatInterval time.Duration
	// Shards is how many shards a bot is told to start; default 1.
	Shards int
	// MaxConcurrency is how many shards may identify within five seconds of
	// the clock; further ones get "invalid session". 0 tells bots one and
	// refuses none.
	MaxConcurrency int
	// Strict refuses whatever Discord refuses: its rate limits, the ban after
	// too many invalid requests, and rules that only bots in trouble meet.
	// Without it the sandbox lets a bot under development go on.
	Strict bool
	// Limits are the limits of Strict; zero values are Discord's own.
	Limits Limits
	// Rates is the clock of the rate limits; default Now.
	Rates func() time.Time
	// Pace is how far each action of a person advances the clock of the rate
	// limits. Tests in which people act faster than in reality set it, so that
	// limits do not stop them.
	Pace time.Duration
	// Keep bounds memory: it keeps that many messages of each channel, the
	// newest, and as many interactions as messages. 0 keeps every message,
	// and interactions for half an hour. A Tally counts removed ones too.
	Keep int
}

// Limits are limits of Discord that tests lower in order to reach them. Zero
// means Discord's own.
type Limits struct {
	Invalid       int // responses of 401, 403 and 429 in ten minutes before the address is banned: 10,000
	PerSecond     int // requests, without those of interactions: 50
	PerRoute      int // requests of each route a second; each has its own rate if 0
	ActiveThreads int // in a guild: 1,000
	Guilds        int // of a shard: 2,500
}

// complete returns the limits with Discord's own for those that are zero.
func (l Limits) complete() Limits {
	return Limits{cmp.Or(l.Invalid, 10000), cmp.Or(l.PerSecond, 50), l.PerRoute, cmp.Or(l.ActiveThreads, 1000), cmp.Or(l.Guilds, 2500)}
}

// Sandbox is a Discord look-alike: an http.Handler with the REST API, the
// gateway, and the page with its API. Its exported methods may be called from
// several goroutines; the others expect the caller to hold the lock unless their
// comments say otherwise.
type Sandbox struct {
	// Gateway has the bot's connections. Its methods disturb them.
	Gateway *gateway.Gateway

	o          Options // complete
	rates      func() time.Time
	actions    atomic.Int64      // of people
	routes     map[string]*route // by Discord's method and template
	plan       *faults.Plan
	endpoint   *endpoint
	limiter    *limiter
	moving     sync.Mutex // held while it is
	mux, pages *http.ServeMux

	serverMu sync.Mutex
	server   *http.Server
	stopped  bool // no server may start any more

	// mu guards everything below. It is never held during a write to a
	// connection.
	mu               sync.Mutex
	url              string // URL of the sandbox, "" if not known yet
	ids              *api.Snowflakes
	closed           bool
	changed          chan struct{} // closed and replaced at every change
	messages         map[string][]*storedMessage
	files            map[string]*api.StoredFile
	gone             []*api.StoredFile          // that no message has any more, oldest first
	unread           map[[2]string]*unreadState // by user and channel
	nonces           map[string]*storedMessage
	commands         []*api.ApplicationCommand
	commandVersion   int // of all commands, for pages
	interactions     map[string]*storedInteraction
	tokens           map[string]*storedInteraction
	interactionOrder []*storedInteraction // those in interactions, oldest first
	streams          map[*stream]bool
	guilds           []*guildState // the world's first comes first
	channels         map[string]*channelState
	installed        map[string]bool // users who have the application installed for themselves
	dmsClosed        map[string]bool // users who accept no direct messages
	requests         map[Request]int
	invalid          int // requests
	notifications    []Notification
	trimmed          map[string]int // removed interactions by state
	traffic          []trafficEntry // the latest
	trafficCount     int
	botStatus        string // as the bot has set it, with its activities
	botActivities    []map[string]any
	keeper           *Timekeeper
	events           int               // sent to pages so far
	creates          map[string]*quota // of commands, by guild
	endpointURL      string            // of interactions over HTTP, "" if they go to the gateway
	uploads          []string          // ids of files that people have uploaded, oldest first
	nextArchive      time.Time         // not after the first thread is to be archived; zero if none is
}

// New returns a sandbox. It fails if the world contradicts itself.
func New(o Options) (*Sandbox, error) {
	if id := tokenApplication(o.Token); id != "" {
		o.World.Application.ID = id
	}
	var err error
	if o.World, err = o.World.complete(); err != nil {
		return nil, err
	}
	if o.Clock != nil {
		o.Now = o.Clock.Now
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rates == nil {
		o.Rates = o.Now
	}
	if o.AfterFunc == nil {
		o.AfterFunc = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Token == "" {
		o.Token = base64.RawStdEncoding.EncodeToString([]byte(o.World.Application.ID)) + ".sandbox." + rand.Text()
	}
	o.Limits = o.Limits.complete()
	s := &Sandbox{
		o: o, endpoint: newEndpoint(o.Token, o.Now), mux: http.NewServeMux(),
		url: strings.TrimSuffix(o.Base, "/"), ids: api.NewSnowflakes(o.Now), changed: make(chan struct{}),
		messages: map[string][]*storedMessage{}, files: map[string]*api.StoredFile{}, unread: map[[2]string]*unreadState{}, nonces: map[string]*storedMessage{},
		interactions: map[string]*storedInteraction{}, tokens: map[string]*storedInteraction{}, streams: map[*stream]bool{}, channels: map[string]*channelState{},
		installed: map[string]bool{}, dmsClosed: map[string]bool{}, requests: map[Request]int{}, trimmed: map[string]int{}, creates: map[string]*quota{},
	}
	s.rates = func() time.Time { return o.Rates().Add(time.Duration(s.actions.Load()) * o.Pace) }
	s.limiter = &limiter{now: s.rates, limits: s.o.Limits, quotas: map[string]*quota{}, invalid: quota{rate: rate{s.o.Limits.Invalid, invalidPeriod}}}
	byName, choices := indexRoutes()
	s.routes, s.plan = byName, faults.NewPlan(&s.mu, choices, s.faultsChanged)
	s.Gateway = gateway.New(gateway.Config{
		Lock: &s.mu, Plan: s.plan, Token: s.o.Token, URL: s.gatewayURL, Now: o.Now, Log: o.Logger,
		Directory: gateway.Directory{BotUser: s.botUser, Me: s.me, GuildIDs: s.guildIDs, HasBot: s.hasBot, GuildCreate: s.guildCreate, Members: s.members, SetPresence: s.setPresence},
		Heartbeat: cmp.Or(max(o.HeartbeatInterval, 0), 41250*time.Millisecond), Concurrency: o.MaxConcurrency, MaxGuilds: s.o.Limits.Guilds, Shards: o.Shards,
		Strict: o.Strict, Disabled: o.World.Application.WithoutIntents, Changed: s.gatewayChanged,
	})
	s.addGuilds(o.World)
	if app := o.World.Application; app.EntryPoint {
		s.commands = append(s.commands, &api.ApplicationCommand{
			ID: s.ids.Next(), ApplicationID: app.ID, Version: s.ids.Next(), Type: api.CommandEntryPoint, Name: "launch",
			IntegrationTypes: []int{api.InstallGuild, api.InstallUser}, DMPermission: new(true), Handler: 2,
		})
	}
	s.pages = s.newPages()
	s.mux.HandleFunc("/api/", s.serveAPI)
	s.mux.Handle("/gateway", s.Gateway)
	s.mux.Handle("/gateway/{$}", s.Gateway)
	s.mux.HandleFunc("/", s.servePage)
	return s, nil
}

// tokenApplication returns the application id in the first part of a token, or
// "".
func tokenApplication(token string) string {
	first, _, _ := strings.Cut(token, ".")
	id, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(first, "="))
	if err != nil || !api.IsSnowflake(string(id)) {
		return ""
	}
	return string(id)
}

// ServeHTTP serves the REST API under /api, the gateway, the page and its API.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The local address of the connection is right whatever the Host header says.
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		s.setBase("http://" + addr.String())
	}
	s.mux.ServeHTTP(w, r)
}

// Serve answers requests from the listener until Close is called or the
// listener fails. It sets Base from the listener's address if it is empty.
func (s *Sandbox) Serve(l net.Listener) error {
	s.setBase("http://" + l.Addr().String())
	s.serverMu.Lock()
	if s.stopped {
		s.serverMu.Unlock()
		return http.ErrServerClosed
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	s.server = server
	s.serverMu.Unlock()
	return server.Serve(l)
}

// Close ends gateway connections, event streams and the server that Serve
// runs, and releases what faults hold. Serve then returns
// http.ErrServerClosed.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	s.Gateway.Close()
	s.plan.Clear()
	s.closed = true
	for st := range s.streams {
		st.Close()
	}
	for _, i := range s.interactions {
		i.stopTimer()
	}
	s.wake()
	s.mu.Unlock()
	s.serverMu.Lock()
	defer s.serverMu.Unlock()
	s.stopped = true
	if s.server == nil {
		return nil
	}
	return s.server.Close()
}

// Token returns the bot's token, without the prefix "Bot".
func (s *Sandbox) Token() string { return s.o.Token }

// PublicKey returns the key, in hexadecimal, by which a bot verifies the
// interactions that it gets over HTTP. It depends on the token alone.
func (s *Sandbox) PublicKey() string {
	return hex.EncodeToString(s.endpoint.key.Public().(ed25519.PublicKey))
}

// Plan adds a fault to the plan, after the others. The error says what is
// wrong with it.
func (s *Sandbox) Plan(f faults.Fault) (*faults.Planned, error) { return s.plan.Add(f) }

// MustPlan is like Plan but panics if the fault is invalid.
func (s *Sandbox) MustPlan(f faults.Fault) *faults.Planned {
	p, err := s.plan.Add(f)
	if err != nil {
		panic("sandbox: " + err.Error())
	}
	return p
}

// Listen opens a TCP port of this machine's loopback interface, such as
// "127.0.0.1:8080", "[::1]:8080" or "localhost:0". It refuses addresses
// that other machines can reach, because anybody who reaches the sandbox can act as
// any user. Errors are sentences for the person who gave the address.
func Listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address of the form host:port, such as 127.0.0.1:8080", addr)
	}
	if !IsLoopback(host) {
		return nil, fmt.Errorf("%s is not a loopback address: the sandbox listens on 127.0.0.1, ::1 or localhost only, because whoever reaches it can act as any user", addr)
	}
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: stop it, or choose another port (0 takes any free one)", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l, nil
}
