package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/endpoint"
	"castellan/bot/sandbox/internal/fault"
	"castellan/bot/sandbox/internal/gateway"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/page"
	"castellan/bot/sandbox/internal/rest"
	"castellan/bot/sandbox/internal/world"
)

// Options configures a sandbox; the zero value uses the defaults.
type Options struct {
	// Base is the URL of the sandbox, such as "http://127.0.0.1:8080". The
	// addresses of the gateway and of attachments are made from it. If it is
	// empty, Serve sets it from its listener, or the first request does from
	// the address that it arrived at.
	Base string
	// Now is the clock; default time.Now.
	Now func() time.Time
	// AfterFunc starts a timer of that clock; default time.AfterFunc. It times
	// the three seconds of an interaction. It must not call f itself, and f
	// must not run while a lock is held that AfterFunc or stop needs.
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
	// Observe is called with every request to the REST API and its response,
	// before the response is sent: a client that has the response can rely on
	// the call. It is also called with answers of the interactions endpoint, as
	// requests to the callback route. It must not call the REST API itself. May be
	// nil.
	Observe func(fault.Exchange)
	// Logger gets connections and refusals, never tokens; default: none.
	Logger *slog.Logger
	// Token is the bot's token, without the prefix "Bot"; default: a random one.
	// The first part of a token, up to a point, is the application's id in
	// Base64, which libraries rely on. If Token has such a part, it sets the
	// world's application id.
	Token string
	// World is the guilds with their people; default DefaultWorld.
	World world.World
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
	Limits model.Limits
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

// Sandbox is a Discord look-alike: an http.Handler with the REST API, the
// gateway, and the page with its API. Its methods may be called from several
// goroutines.
type Sandbox struct {
	model    *model.Model
	gateway  *gateway.Gateway
	plan     *fault.Plan
	endpoint *endpoint.Endpoint
	rest     *rest.API
	token    string
	mux      *http.ServeMux

	mu     sync.Mutex
	server *http.Server
	closed bool
}

// New returns a sandbox. It fails if the world contradicts itself.
func New(o Options) (*Sandbox, error) {
	if id := tokenApplication(o.Token); id != "" {
		o.World.Application.ID = id
	}
	world, err := o.World.Complete()
	if err != nil {
		return nil, err
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
		o.Token = base64.RawStdEncoding.EncodeToString([]byte(world.Application.ID)) + ".sandbox." + rand.Text()
	}
	s := &Sandbox{token: o.Token, mux: http.NewServeMux()}
	s.model = model.New(model.Config{World: world, Now: o.Now, AfterFunc: o.AfterFunc, Log: o.Logger, Keep: o.Keep, Strict: o.Strict, Limits: o.Limits.Complete()})
	s.model.SetBase(strings.TrimSuffix(o.Base, "/"))
	s.plan = fault.NewPlan(s.model, rest.Routes(), s.model.FaultsChanged)
	s.gateway = gateway.New(gateway.Config{
		Lock: s.model, Plan: s.plan, Directory: s.model, Token: s.token, URL: s.model.GatewayURL, Now: o.Now, Log: o.Logger,
		Heartbeat: cmp.Or(max(o.HeartbeatInterval, 0), 41250*time.Millisecond), Concurrency: o.MaxConcurrency, MaxGuilds: o.Limits.Complete().Guilds, Shards: o.Shards, Changed: s.model.GatewayChanged,
	})
	s.model.SetGateway(s.gateway)
	s.endpoint = endpoint.New(s.token, o.Now)
	s.rest = rest.New(rest.Config{
		Model: s.model, Plan: s.plan, Endpoint: s.endpoint, Token: s.token, Observe: o.Observe, Log: o.Logger, Shards: s.gateway.Recommended, MaxConcurrency: max(o.MaxConcurrency, 1),
		Rates: func() time.Time { return o.Rates().Add(time.Duration(s.model.Actions.Load()) * o.Pace) },
	})
	s.model.Deliver = s.rest.Deliver
	s.mux.Handle("/api/", s.rest)
	s.mux.Handle("/gateway", s.gateway)
	s.mux.Handle("/gateway/{$}", s.gateway)
	s.mux.Handle("/", page.New(s.model, s.gateway, s.plan))
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
		s.model.SetBase("http://" + addr.String())
	}
	s.mux.ServeHTTP(w, r)
}

// Serve answers requests from the listener until Close is called or the
// listener fails. It sets Base from the listener's address if it is empty.
func (s *Sandbox) Serve(l net.Listener) error {
	s.model.SetBase("http://" + l.Addr().String())
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return http.ErrServerClosed
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	s.server = server
	s.mu.Unlock()
	return server.Serve(l)
}

// Close ends gateway connections, event streams and the server that Serve
// runs, and releases what faults hold. Serve then returns
// http.ErrServerClosed.
func (s *Sandbox) Close() error {
	s.model.Lock()
	s.gateway.Close()
	s.plan.Clear()
	s.model.Close()
	s.model.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.server == nil {
		return nil
	}
	return s.server.Close()
}

// ApplicationID returns the id of the bot's application and of its bot user.
func (s *Sandbox) ApplicationID() string { return s.model.ApplicationID() }

// Token returns the bot's token, without the prefix "Bot".
func (s *Sandbox) Token() string { return s.token }

// PublicKey returns the key, in hexadecimal, by which a bot verifies the
// interactions that it gets over HTTP. It depends on the token alone.
func (s *Sandbox) PublicKey() string { return s.endpoint.PublicKey() }

// SetInteractionsEndpoint sends interactions to a URL from now on, instead of the
// gateway; "" returns to the gateway. It fails, as Discord does, if the endpoint
// does not answer a PING, or accepts an invalid signature. A bot can set the URL
// itself by editing its application.
func (s *Sandbox) SetInteractionsEndpoint(ctx context.Context, url string) error {
	return s.rest.SetEndpoint(ctx, url)
}

// Base returns the URL of the sandbox, "" while it is not known.
func (s *Sandbox) Base() string { return s.model.Base() }

// Wait returns when cond is true. It calls cond at once, after every change of
// the sandbox's state and in short intervals, because the condition may depend
// on state outside the sandbox. cond may call any method. The error is the
// context's, or io.ErrClosedPipe after Close.
func (s *Sandbox) Wait(ctx context.Context, cond func() bool) error { return s.model.Wait(ctx, cond) }

// As returns the person with an id. If there is none, their actions fail.
func (s *Sandbox) As(userID string) *model.Person { return s.model.As(userID) }

// Attachment returns an attachment of a message that still has it, by the
// attachment's id.
func (s *Sandbox) Attachment(id string) (api.File, bool) { return s.model.Attachment(id) }

// Interaction returns the interaction with an id.
func (s *Sandbox) Interaction(id string) (model.Interaction, bool) { return s.model.Interaction(id) }

// Interactions lists the interactions in any of the states, by default all,
// oldest first. Once there are many, those older than half an hour are removed.
func (s *Sandbox) Interactions(states ...string) []model.Interaction {
	return s.model.Interactions(states...)
}

// Redeliver sends the INTERACTION_CREATE of an interaction again, as Discord
// may.
func (s *Sandbox) Redeliver(interactionID string) error { return s.model.Redeliver(interactionID) }

// Modal returns the modal that the bot answered an interaction with, if it is
// still open.
func (s *Sandbox) Modal(interactionID string) (api.Modal, bool) { return s.model.Modal(interactionID) }

// Tally counts what has happened so far. Its maps contain no zeros.
func (s *Sandbox) Tally() model.Tally { return s.model.Tally() }

// Notifications lists all notifications in the order of their messages and of
// the world's users. Options.Keep bounds them to the latest.
func (s *Sandbox) Notifications() []model.Notification { return s.model.Notifications() }

// Remove deletes a message, as a moderator does. It fails if there is none.
func (s *Sandbox) Remove(channelID, messageID string) error {
	return s.model.Remove(channelID, messageID)
}

// RemoveChannel deletes a channel or thread with all its messages. It fails if
// there is none.
func (s *Sandbox) RemoveChannel(channelID string) error { return s.model.RemoveChannel(channelID) }

// RemoveBot removes the bot from the world's first guild.
func (s *Sandbox) RemoveBot() error { return s.model.RemoveBotFrom("") }

// RemoveBotFrom removes the bot from a guild, as its owner may: its commands
// are gone, and it cannot access the guild. Tokens of earlier interactions
// still work. It fails if the bot is not a member.
func (s *Sandbox) RemoveBotFrom(guildID string) error { return s.model.RemoveBotFrom(guildID) }

// SetThread archives or unarchives, and locks or unlocks a thread, as a
// moderator does. It fails if there is no such thread.
func (s *Sandbox) SetThread(channelID string, archived, locked bool) error {
	return s.model.SetThread(channelID, archived, locked)
}

// AddBot adds the bot to the world's first guild.
func (s *Sandbox) AddBot() error { return s.model.AddBotTo("") }

// AddBotTo adds the bot to a guild. It fails if the bot is a member.
func (s *Sandbox) AddBotTo(guildID string) error { return s.model.AddBotTo(guildID) }

// Deny sets the permissions that a channel denies a user, a person or the bot;
// 0 denies nothing. It replaces the channel's overwrite for the member. It
// fails if there is no such channel or user.
func (s *Sandbox) Deny(channelID, userID string, permissions int64) error {
	return s.model.Deny(channelID, userID, permissions)
}

// SetOverwrite sets a channel's overwrite for a role or member. One that
// neither allows nor denies anything is removed. It fails if there is no such
// channel, user or role.
func (s *Sandbox) SetOverwrite(channelID string, o world.Overwrite) error {
	return s.model.SetOverwrite(channelID, o)
}

// Plan adds a fault to the plan, after the others. The error says what is
// wrong with it.
func (s *Sandbox) Plan(f fault.Fault) (*fault.Planned, error) { return s.plan.Add(f) }

// MustPlan is like Plan but panics if the fault is invalid.
func (s *Sandbox) MustPlan(f fault.Fault) *fault.Planned {
	p, err := s.plan.Add(f)
	if err != nil {
		panic("sandbox: " + err.Error())
	}
	return p
}

// FailNext makes the next request to a route fail with one of Discord's
// errors: route is a template as in Exchange, status the HTTP status, code and
// message those of the body. Several calls queue up.
func (s *Sandbox) FailNext(method, route string, status, code int, message string) {
	s.MustPlan(fault.Fault{Kind: fault.Error, Method: method, Route: route, Status: status, Code: code, Message: message})
}

// BotPresence returns the bot's status and its activities as the bot set them
// last.
func (s *Sandbox) BotPresence() (status string, activities []map[string]any) {
	return s.model.BotPresence()
}

// Sessions lists the bot's sessions that are connected, ordered by shard.
func (s *Sandbox) Sessions() []gateway.Info { return s.gateway.Sessions() }

// Online reports whether a bot is connected and ready.
func (s *Sandbox) Online() bool { return s.gateway.Online() }

// DropGateway breaks every gateway connection, as a network fault does. The
// sessions stay: events are kept and replayed on resume.
func (s *Sandbox) DropGateway() { s.gateway.Drop() }

// DropShard is like DropGateway for one shard. It fails if the shard is not connected.
func (s *Sandbox) DropShard(shard int) error { return s.gateway.DropShard(shard) }

// RecommendShards sets how many shards bots are told to start. A connected bot
// learns of it when it asks again.
func (s *Sandbox) RecommendShards(shards int) error { return s.gateway.Recommend(shards) }

// RequireShards is like RecommendShards, and closes the sessions of fewer shards with
// 4011, as if these had too many guilds.
func (s *Sandbox) RequireShards(shards int) error { return s.gateway.Require(shards) }

// CloseGateway closes every gateway connection with a code. Codes that demand
// a new session end the old one; after the others it can be resumed. It fails
// if a server cannot send the code.
func (s *Sandbox) CloseGateway(code int) error { return s.gateway.CloseConnections(code) }

// SilenceGateway makes every open gateway connection go dead without closing
// it: no heartbeat is acknowledged, nothing is dispatched, and what the bot
// sends is ignored. New connections work, and can resume.
func (s *Sandbox) SilenceGateway() { s.gateway.Silence() }

// Reconnect asks every connected bot to reconnect and resume (opcode 7).
func (s *Sandbox) Reconnect() { s.gateway.Reconnect() }

// InvalidateSessions tells every connected bot that its session is invalid
// (opcode 9). The bot must connect again, and resume if resumable or identify
// otherwise. Events are kept for a resumable session and lost for another.
func (s *Sandbox) InvalidateSessions(resumable bool) { s.gateway.InvalidateSessions(resumable) }

// Listen opens a TCP port of this machine's loopback interface, such as
// "127.0.0.1:8080", "[::1]:8080" or "localhost:0". It refuses addresses
// that other machines can reach, because anybody who reaches the sandbox can act as
// any user. Errors are sentences for the person who gave the address.
func Listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address of the form host:port, such as 127.0.0.1:8080", addr)
	}
	if !page.IsLoopback(host) {
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
