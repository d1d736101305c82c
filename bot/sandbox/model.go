package sandbox

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Config configures a model. Everything but Keep is required.
type Config struct {
	World     World // complete
	Now       func() time.Time
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
	Log       *slog.Logger
	Keep      int // Options.Keep
}

// Model is the part of Discord that the sandbox simulates: guilds, channels,
// messages, commands, interactions and people. Set Gateway before use. One
// lock guards everything; the exported methods whose comments do not say
// otherwise expect the caller to hold it.
type Model struct {
	world     World
	now       func() time.Time
	afterFunc func(time.Duration, func()) func() bool
	log       *slog.Logger
	keep      int
	gateway   *Gateway

	// mu guards everything below. It is never held during a write to a
	// connection.
	mu               sync.Mutex
	base             string // URL of the sandbox, "" if not known yet
	IDs              *snowflakes
	closed           bool
	changed          chan struct{} // closed and replaced at every change
	messages         map[string][]*post
	files            map[string]*storedFile
	unread           map[[2]string]*unreadState // by user and channel
	nonces           map[string]*post
	commands         []*ApplicationCommand
	interactions     map[string]*interaction
	tokens           map[string]*interaction
	interactionOrder []*interaction // those in interactions, oldest first
	streams          map[*stream]bool
	guilds           []*server // the world's first comes first
	channels         map[string]*place
	installed        map[string]bool // users who have the application installed for themselves
	dmsClosed        map[string]bool // users who accept no direct messages
	requests         map[Request]int
	notifications    []Notification
	trimmed          map[string]int // removed interactions by state
	traffic          []trafficEntry // the latest
	trafficCount     int
}

// NewModel returns a model of a world.
func NewModel(c Config) (*Model, error) {
	s := &Model{
		world: c.World, now: c.Now, afterFunc: c.AfterFunc, log: c.Log, keep: c.Keep,
		changed: make(chan struct{}), messages: map[string][]*post{}, files: map[string]*storedFile{},
		unread: map[[2]string]*unreadState{}, nonces: map[string]*post{}, interactions: map[string]*interaction{},
		tokens: map[string]*interaction{}, streams: map[*stream]bool{}, channels: map[string]*place{},
		installed: map[string]bool{}, dmsClosed: map[string]bool{}, requests: map[Request]int{}, trimmed: map[string]int{},
	}
	var err error
	if s.IDs, err = newSnowflakes(s.now); err != nil {
		return nil, fmt.Errorf("start the id generator: %w", err)
	}
	s.addGuilds(c.World)
	for _, u := range c.World.Users {
		s.installed[u.ID], s.dmsClosed[u.ID] = u.Installed, u.ClosedMessages
	}
	return s, nil
}

// Close ends the event streams and the timers, and lets Wait return.
func (s *Model) Close() {
	s.closed = true
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
func (s *Model) ApplicationID() string { return s.world.Application.ID }

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
		changed, closed := s.changed, s.closed
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

// user returns a person of the world.
func (s *Model) user(id string) (User, bool) {
	for _, u := range s.world.Users {
		if u.ID == id {
			return u, true
		}
	}
	return User{}, false
}

// userObject returns a person or the bot in Discord's shape.
func (s *Model) userObject(id string) (UserObject, bool) {
	if id == s.world.Application.ID {
		return s.BotUser(), true
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

// BotUser returns the bot in Discord's shape.
func (s *Model) BotUser() UserObject {
	return UserObject{ID: s.world.Application.ID, Username: s.world.Application.Name, Discriminator: "0", Bot: true}
}

// Lock acquires the lock.
func (s *Model) Lock() { s.mu.Lock() }

// Unlock releases the lock.
func (s *Model) Unlock() { s.mu.Unlock() }

// SetGateway sets the gateway that events are dispatched through.
func (s *Model) SetGateway(gw *Gateway) { s.gateway = gw }

// Base returns the URL of the sandbox, "" while it is not known. It takes the
// lock.
func (s *Model) Base() string {
	s.Lock()
	defer s.Unlock()
	return s.base
}

// setBase sets the URL of the sandbox if it is not known yet. It takes the
// lock.
func (s *Model) SetBase(url string) {
	s.Lock()
	defer s.Unlock()
	if s.base == "" {
		s.base = url
	}
}

// GatewayURL returns the URL of the gateway.
func (s *Model) GatewayURL() string { return "ws" + strings.TrimPrefix(s.base, "http") + "/gateway/" }

// GuildIDs lists all guilds.
func (s *Model) GuildIDs() []string {
	var out []string
	for _, g := range s.guilds {
		out = append(out, g.ID)
	}
	return out
}

// HasBot reports whether the bot is a member of a guild.
func (s *Model) HasBot(guildID string) bool {
	g := s.guildByID(guildID)
	return g != nil && g.hasBot
}

// GuildCreate returns the data of GUILD_CREATE.
func (s *Model) GuildCreate(guildID string, intents int) map[string]any {
	return s.guildCreate(s.guildByID(guildID), intents)
}

// scope returns the scope of a guild's events; nil means direct messages.
func (g *server) scope() Scope {
	if g == nil {
		return Scope{}
	}
	return Scope{GuildID: g.ID}
}

// dispatch sends an event of a guild, or of direct messages if g is nil.
func (s *Model) dispatch(g *server, intents int, kind string, data any) {
	s.gateway.Dispatch(g.scope(), intents, kind, func(*Session) any { return data })
}

// dispatchEach is like dispatch with data that differs by session.
func (s *Model) dispatchEach(g *server, intents int, kind string, data func(*Session) any) {
	s.gateway.Dispatch(g.scope(), intents, kind, data)
}
