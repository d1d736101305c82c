package model

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/gateway"
	"castellan/bot/sandbox/internal/payload"
	"castellan/bot/sandbox/internal/world"
)

// worldChanged makes every page load its state again.
func (s *Model) worldChanged() {
	s.emitAll(map[string]any{"type": "world"})
	s.wake()
}

// Config configures a model. Everything but Keep is required.
type Config struct {
	World     world.World // complete
	Now       func() time.Time
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
	Log       *slog.Logger
	Keep      int // Options.Keep
	Strict    bool
	Limits    Limits // complete
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

// Complete returns the limits with Discord's own for those that are zero.
func (l Limits) Complete() Limits {
	return Limits{cmp.Or(l.Invalid, 10000), cmp.Or(l.PerSecond, 50), l.PerRoute, cmp.Or(l.ActiveThreads, 1000), cmp.Or(l.Guilds, 2500)}
}

// Model is the part of Discord that the sandbox simulates: guilds, channels,
// messages, commands, interactions and people. Call SetGateway before use. One
// lock guards everything; the exported methods whose comments do not say
// otherwise expect the caller to hold it.
type Model struct {
	World     world.World
	Now       func() time.Time
	afterFunc func(time.Duration, func()) func() bool
	log       *slog.Logger
	keep      int
	Strict    bool
	Limits    Limits
	Actions   atomic.Int64 // of people
	gateway   *gateway.Gateway

	// mu guards everything below. It is never held during a write to a
	// connection.
	mu               sync.Mutex
	URL              string // URL of the sandbox, "" if not known yet
	IDs              *api.Snowflakes
	Closed           bool
	changed          chan struct{} // closed and replaced at every change
	Messages         map[string][]*StoredMessage
	Files            map[string]*payload.StoredFile
	gone             []*payload.StoredFile      // that no message has any more, oldest first
	Webhooks         map[string]*Webhook        // by id
	AppFields        map[string]any             // that the bot has changed of its application
	unread           map[[2]string]*unreadState // by user and channel
	Nonces           map[string]*StoredMessage
	Commands         []*api.ApplicationCommand
	interactions     map[string]*StoredInteraction
	tokens           map[string]*StoredInteraction
	interactionOrder []*StoredInteraction // those in interactions, oldest first
	streams          map[*stream]bool
	Guilds           []*Guild // the world's first comes first
	Channels         map[string]*Channel
	Installed        map[string]bool // users who have the application installed for themselves
	DMsClosed        map[string]bool // users who accept no direct messages
	requests         map[Request]int
	invalid          int // requests
	notifications    []Notification
	trimmed          map[string]int // removed interactions by state
	Traffic          []trafficEntry // the latest
	trafficCount     int
	botPresence      presence
	EndpointURL      string // of interactions over HTTP, "" if they go to the gateway
	// Deliver posts an interaction to EndpointURL. It is set before use and
	// called without the lock.
	Deliver     func(url, id, token string, payload []byte)
	uploads     []string  // ids of files that people have uploaded, oldest first
	nextArchive time.Time // not after the first thread is to be archived; zero if none is
}

// New returns a model of a world.
func New(c Config) *Model {
	s := &Model{
		World: c.World, Now: c.Now, afterFunc: c.AfterFunc, log: c.Log, keep: c.Keep, Strict: c.Strict, Limits: c.Limits,
		changed: make(chan struct{}), Messages: map[string][]*StoredMessage{}, Files: map[string]*payload.StoredFile{},
		unread: map[[2]string]*unreadState{}, Nonces: map[string]*StoredMessage{}, Webhooks: map[string]*Webhook{}, AppFields: map[string]any{}, interactions: map[string]*StoredInteraction{},
		tokens: map[string]*StoredInteraction{}, streams: map[*stream]bool{}, Channels: map[string]*Channel{},
		Installed: map[string]bool{}, DMsClosed: map[string]bool{}, requests: map[Request]int{}, trimmed: map[string]int{}, IDs: api.NewSnowflakes(c.Now),
	}
	s.addGuilds(c.World)
	if c.World.Application.EntryPoint {
		s.Commands = append(s.Commands, &api.ApplicationCommand{
			ID: s.IDs.Next(), ApplicationID: c.World.Application.ID, Version: s.IDs.Next(), Type: api.CommandEntryPoint, Name: "launch",
			Description: "", Contexts: nil, IntegrationTypes: []int{api.InstallGuild, api.InstallUser}, DMPermission: new(true), Handler: 2,
		})
	}
	for _, u := range c.World.Users {
		s.Installed[u.ID], s.DMsClosed[u.ID] = u.Installed, u.ClosedMessages
	}
	return s
}

// Close ends the event streams and the timers, and lets Wait return.
func (s *Model) Close() {
	s.Closed = true
	for st := range s.streams {
		st.end()
	}
	for _, i := range s.interactions {
		i.stopTimer()
	}
	s.wake()
}

// FaultsChanged tells the pages that the plan of faults has changed.
func (s *Model) FaultsChanged() {
	s.emitAll(map[string]any{"type": "faults"})
	s.wake()
}

// GatewayChanged tells the pages, if online is not nil, that the bot has come
// or gone.
func (s *Model) GatewayChanged(online *bool) {
	if online != nil {
		s.emitAll(map[string]any{"type": "online", "online": *online})
	}
	s.wake()
}

// ApplicationID returns the id of the bot's application and of its bot user.
func (s *Model) ApplicationID() string { return s.World.Application.ID }

// pollInterval is how often Wait polls its condition if nothing changes.
const pollInterval = 50 * time.Millisecond

// Wait returns when cond is true. It calls cond at once, after every change of
// the sandbox's state, and every pollInterval, because the condition may depend
// on state outside the sandbox. cond may call any method. Wait takes the lock
// itself. The error is the context's, or io.ErrClosedPipe after Close.
func (s *Model) Wait(ctx context.Context, cond func() bool) error {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		s.Lock()
		changed, closed := s.changed, s.Closed
		s.Unlock()
		if cond() {
			return nil
		}
		if closed {
			return io.ErrClosedPipe
		}
		select {
		case <-changed:
		case <-poll.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wake makes Wait check its condition.
func (s *Model) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// User returns a person of the world.
func (s *Model) User(id string) (world.User, bool) {
	for _, u := range s.World.Users {
		if u.ID == id {
			return u, true
		}
	}
	return world.User{}, false
}

// UserByID returns a person or the bot in Discord's shape.
func (s *Model) UserByID(id string) (api.User, bool) {
	if id == s.World.Application.ID {
		return s.BotUser(), true
	}
	u, ok := s.User(id)
	if !ok {
		return api.User{}, false
	}
	out := api.User{ID: u.ID, Username: u.Username, Discriminator: "0"}
	if u.GlobalName != "" {
		out.GlobalName = &u.GlobalName
	}
	return out, true
}

// BotUser returns the bot in Discord's shape.
func (s *Model) BotUser() api.User {
	return api.User{ID: s.World.Application.ID, Username: s.World.Application.Name, Discriminator: "0", Bot: true}
}

// Lock acquires the lock.
func (s *Model) Lock() { s.mu.Lock() }

// Unlock releases the lock.
func (s *Model) Unlock() { s.mu.Unlock() }

// SetGateway sets the gateway that events are dispatched through.
func (s *Model) SetGateway(gw *gateway.Gateway) { s.gateway = gw }

// Base returns the URL of the sandbox, "" while it is not known. It takes the
// lock.
func (s *Model) Base() string {
	s.Lock()
	defer s.Unlock()
	return s.URL
}

// SetBase sets the URL of the sandbox if it is not known yet. It takes the
// lock.
func (s *Model) SetBase(url string) {
	s.Lock()
	defer s.Unlock()
	if s.URL == "" {
		s.URL = url
	}
}

// Connected reports whether a bot is connected to the gateway.
func (s *Model) Connected() bool { return s.gateway.Connected() }

// GatewayURL returns the URL of the gateway.
func (s *Model) GatewayURL() string { return "ws" + strings.TrimPrefix(s.URL, "http") + "/gateway/" }
