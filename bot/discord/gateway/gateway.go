package gateway

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
)

// Config configures a Gateway. Token, GetGateway, Handle and Logger are
// required.
type Config struct {
	Token string // without the prefix "Bot"

	// GetGateway asks Discord for the gateway's address, the recommended number of
	// shards, and how many sessions may be started (discord.Client.GetGateway).
	GetGateway func(context.Context) (discord.GatewayInfo, error)

	// Handle receives every event of the current sessions, as a pointer to
	// discordgo's type for it. It receives the events of a shard in order and one
	// at a time, those of different shards at the same time. In interactions in
	// threads, AppPermissions has discord.InThread, and
	// discord.PermissionSendMessages if the bot may send messages there; where no
	// thread can be started it has discord.NoThreads. It must not block:
	// until it returns, no event and no heartbeat of the shard is read. A panic in
	// it is logged and loses that event only. An interaction that Discord sends while
	// a session is resumed comes as [Replayed].
	Handle func(event any)

	Logger *slog.Logger

	// Shards is the number of shards. 0 means as many as Discord recommends; when
	// it recommends more, the bot changes to that number while it is running.
	Shards int

	// Assigner decides which shards this process holds; nil means all of them.
	Assigner Assigner

	// Cluster is set if other processes hold shards, too. It replaces Assigner.
	Cluster Cluster

	// NetDial connects to Discord; nil means net.Dialer.
	NetDial func(ctx context.Context, network, address string) (net.Conn, error)

	discord.Clock
}

// Gateway keeps the bot's shards connected. Use New.
type Gateway struct {
	config     Config
	log        *slog.Logger
	identifies *identifies
	guilds     guildSet
	checks     chan struct{}  // receives when Discord is to be asked for the number of shards
	running    sync.WaitGroup // the generations, until their sessions have ended

	mu      sync.Mutex
	start   State       // of the requests for the number of shards, before any shard connects
	serving *generation // nil before the number of shards is known
	next    *generation // takes over when it is ready; nil if there is none
	overlap overlap
}

// Kind says how a session began.
type Kind string

// The kinds of sessions.
const (
	Identified Kind = "identified" // a new session
	Resumed    Kind = "resumed"    // the continuation of an earlier one
)

// State describes the connection of a shard, or those of all shards together.
type State struct {
	// Connected reports whether events arrive, from every shard.
	Connected bool
	// Standby reports that other processes hold all shards.
	Standby bool
	// Since is when the connection began or was lost; zero before the first.
	Since time.Time
	// Kind is how the current or last session began.
	Kind Kind
	// Connections counts the sessions that became ready; all but the first
	// of a shard are reconnects.
	Connections int
	// Failures counts lost connections and failed attempts since a session was
	// last ready. Of several shards it is the largest count.
	Failures int
	// AckAge is the time since a heartbeat was last acknowledged, or the
	// session became ready; zero while not connected.
	AckAge time.Duration
	// Latency is the time that Discord took to acknowledge the last heartbeat.
	Latency time.Duration
	// Identified is when the session began that is resumed since then.
	Identified time.Time
	// LastEvent is when an event last arrived.
	LastEvent time.Time
	// Reason is why the last connection ended or attempt failed; nil if none
	// has.
	Reason error
}

// Shard describes a shard.
type Shard struct {
	ID, Shards int // Shards is their number
	Guilds     int
	// Process is the process that holds the shard, of several; empty if none does.
	Process string
	// Heard is how long ago the process was heard of; 0 if this process holds the shard.
	Heard time.Duration
	// Elsewhere reports that this process does not hold it. Then nothing else is known
	// but Guilds and Connected.
	Elsewhere bool
	State
}

// Report describes all shards, also those of other processes.
type Report struct {
	Shards []Shard // that serve, by ID
	Next   []Shard // that will replace them, by ID; empty unless the number of shards changes
	// Info is what Discord last said, less the identifies since then; zero if Discord
	// has not been asked. Asked is when it said that.
	Info  discord.GatewayInfo
	Asked time.Time
}

// New returns a Gateway that is not connected yet.
func New(c Config) *Gateway {
	c.Clock = c.Complete()
	if c.Cluster != nil {
		c.Assigner = c.Cluster
	}
	if c.Assigner == nil {
		c.Assigner = allShards{}
	}
	g := &Gateway{config: c, log: c.Logger, checks: make(chan struct{}, 1)}
	g.identifies = newIdentifies(g)
	return g
}

// State returns the present state of all shards together. It can be called at any
// time.
func (g *Gateway) State() State {
	g.mu.Lock()
	state, serving := g.start, g.serving
	g.mu.Unlock()
	if serving == nil {
		return state
	}
	shards := serving.list()
	if len(shards) == 0 {
		state.Standby = g.config.Cluster != nil
		return state
	}
	all := shards[0].State
	for _, s := range shards[1:] {
		if all.Connected && !s.Connected || all.Connected == s.Connected && s.Since.After(all.Since) {
			all.Since, all.Kind = s.Since, s.Kind
		}
		if s.Reason != nil && (all.Reason == nil || !s.Connected) {
			all.Reason = s.Reason
		}
		all.Connected = all.Connected && s.Connected
		all.Connections += s.Connections
		all.Failures, all.AckAge = max(all.Failures, s.Failures), max(all.AckAge, s.AckAge)
	}
	return all
}

// Report describes the shards. It can be called at any time.
func (g *Gateway) Report() (r Report) {
	serving, next := g.generations()
	if serving != nil {
		r.Shards = serving.list()
	}
	if next != nil {
		r.Next = next.list()
	}
	if g.config.Cluster != nil {
		for _, s := range g.config.Cluster.Holders() {
			list := &r.Shards
			if serving == nil && len(r.Shards) > 0 && s.Shards != r.Shards[0].Shards || serving != nil && s.Shards != serving.shards {
				list = &r.Next
			}
			i, found := slices.BinarySearchFunc(*list, s.ID, func(s Shard, id int) int { return s.ID - id })
			if !found {
				*list = slices.Insert(*list, i, s)
			}
			(*list)[i].Process = s.Process
		}
	}
	r.Info, r.Asked = g.identifies.latest()
	return r
}

// IsMember reports whether the bot is a member of a guild, or may be one because
// Discord has not listed the guilds of its shard yet.
func (g *Gateway) IsMember(guild string) bool { return g.guilds.has(guild) }

// CheckShards has Run ask Discord now whether it recommends more shards.
func (g *Gateway) CheckShards() {
	if g.config.Cluster != nil {
		g.config.Cluster.Check()
		return
	}
	select {
	case g.checks <- struct{}{}:
	default: // about to be asked
	}
}

const (
	// checkInterval is the time between two questions how many shards Discord
	// recommends.
	checkInterval = 24 * time.Hour
	// checkRetry is the time until the next question if Discord does not answer.
	checkRetry = 2 * time.Minute
)

// Run connects, and reconnects whenever a connection is lost, until the
// context is done; it then ends the sessions in order and returns nil. It
// returns a *FatalError if Discord refuses the bot for good, and no other error.
// It is called once.
func (g *Gateway) Run(ctx context.Context) error {
	if g.config.Cluster != nil {
		return g.follow(ctx)
	}
	shards, err := g.countShards(ctx)
	if shards == 0 {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer g.running.Wait()
	defer cancel()
	g.beginFirst(ctx, shards)
	check, stop := g.config.Timer(checkInterval)
	defer func() { stop() }()
	for {
		serving, next := g.generations()
		ready, ended, _ := next.changes()
		select {
		case <-serving.ended:
			return serving.err
		case <-ready:
			g.takeOver(ctx, serving, next)
			continue
		case <-ended:
			g.abandon(next, next.err)
			continue
		case <-cmp.Or(next, serving).refused:
		case <-g.checks:
		case <-check:
		}
		again, err := g.check(ctx, serving, next)
		if err != nil {
			return err
		}
		stop()
		check, stop = g.config.Timer(again)
	}
}

// countShards returns the configured number of shards or, as soon as Discord
// answers, the recommended one. It returns 0 when the context is done.
func (g *Gateway) countShards(ctx context.Context) (int, error) {
	for failures := 0; g.config.Shards == 0; failures++ {
		info, err := g.identifies.ask(ctx)
		if err == nil {
			return recommended(info), nil
		}
		if ctx.Err() != nil {
			return 0, nil
		}
		g.mu.Lock()
		g.start.Failures++
		g.start.Reason = err
		g.mu.Unlock()
		var fatal *FatalError
		if errors.As(err, &fatal) {
			g.log.Error("gateway: given up", "error", fatal.Err, "advice", fatal.Advice)
			return 0, err
		}
		wait := retryDelay(failures, err)
		g.log.Warn("gateway: not connected", "reason", err, "failures", failures, "again_in", wait)
		if g.config.Sleep(ctx, wait) != nil {
			return 0, nil
		}
	}
	return g.config.Shards, nil
}

// check asks Discord how many shards it recommends and, if these are more, starts
// them. It returns when to ask again. It fails if Discord serves no connection with
// so few shards, and does not recommend more.
func (g *Gateway) check(ctx context.Context, serving, next *generation) (again time.Duration, err error) {
	if g.config.Shards > 0 {
		return checkInterval, nil
	}
	newest := cmp.Or(next, serving)
	refusal := newest.refusal.Load()
	info, err := g.identifies.refresh(ctx)
	want, limit := recommended(info), info.SessionStartLimit
	switch {
	case err != nil:
		if ctx.Err() == nil {
			g.log.Warn("gateway: the recommended number of shards is unknown", "reason", err, "again_in", checkRetry)
		}
		return checkRetry, nil
	case want <= newest.shards && refusal != nil:
		if fatal := serving.refusal.Load(); fatal != nil {
			return 0, fatal
		}
		g.abandon(next, refusal)
		return checkInterval, nil
	case want <= newest.shards:
		return checkInterval, nil
	case refusal == nil && limit.Remaining < want:
		g.log.Warn("gateway: more shards are recommended than may identify today", "shards", newest.shards, "recommended", want, "remaining", limit.Remaining)
		return max(limit.ResetAfter, checkRetry), nil
	}
	g.log.Info("gateway: changing the number of shards", "from", newest.shards, "to", want)
	if next != nil {
		g.abandon(next, errors.New("even more shards are recommended"))
	}
	g.beginNext(ctx, want)
	return checkInterval, nil
}

// generations returns the present generations, nil before they begin.
func (g *Gateway) generations() (serving, next *generation) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.serving, g.next
}

// takeOver has the next generation serve, and retires the one that served before.
func (g *Gateway) takeOver(ctx context.Context, serving, next *generation) {
	g.log.Info("gateway: changed the number of shards", "from", serving.shards, "to", next.shards)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.serving, g.next = next, nil
	g.running.Go(func() { serving.retire(ctx) })
}

// abandon ends a generation before it has taken over.
func (g *Gateway) abandon(next *generation, why error) {
	g.log.Warn("gateway: the number of shards is not changed", "shards", next.shards, "reason", why)
	next.end()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next = nil
}

// handOn has an event of a shard handled.
func (g *Gateway) handOn(h *shard, event any) {
	var i *discordgo.InteractionCreate
	switch e := event.(type) {
	case *discordgo.InteractionCreate:
		i = e
	case Replayed:
		i = e.InteractionCreate
	}
	if i != nil {
		g.mu.Lock()
		again := g.overlap.repeated(i.ID, g.config.Now())
		overlaps := g.overlap.seen != nil
		g.mu.Unlock()
		if again {
			return
		}
		if overlaps && g.config.Cluster != nil {
			go func() {
				if g.config.Cluster.Claim(i.ID) {
					g.config.Handle(event)
				}
			}()
			return
		}
	}
	g.guilds.update(h.id, h.of, event)
	g.config.Handle(event)
}

// overlapLifetime is how long after the end of an overlap interactions are still
// handled once only: as long as their tokens work. A session that is resumed can
// repeat interactions that are as old.
const overlapLifetime = 15 * time.Minute

// overlap recognises the interactions that Discord sends to two generations.
type overlap struct {
	generations int             // that are being replaced or abandoned
	ended       time.Time       // when the last of them ended
	seen        map[string]bool // IDs of interactions; nil unless there is an overlap, or was one recently
}

func (o *overlap) begin() {
	o.generations++
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
}

func (o *overlap) end(now time.Time) {
	o.generations--
	o.ended = now
}

// repeated reports whether an interaction has been seen before.
func (o *overlap) repeated(id string, now time.Time) bool {
	if o.generations == 0 && now.Sub(o.ended) > overlapLifetime {
		o.seen = nil
	}
	if o.seen == nil {
		return false
	}
	again := o.seen[id]
	o.seen[id] = true
	return again
}

// timeoutCause replaces the error of an operation by the timeout of its context if
// that is why it ended.
func timeoutCause(ctx context.Context, err error) error {
	var timeout *discord.TimeoutError
	if errors.As(context.Cause(ctx), &timeout) {
		return timeout
	}
	return err
}
