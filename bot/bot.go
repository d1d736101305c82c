package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/imaging"
)

// Config is what a Bot is made of. Token, Host, Games, Pictures, Catalogue and
// Logger are needed.
type Config struct {
	Token     string   // without the word Bot
	API       *url.URL // where Discord's API is; nil means Discord itself
	Host      *host.Host
	Games     *engine.Registry
	Pictures  Pictures
	Catalogue *catalogue.Catalogue
	Logger    *slog.Logger

	// Servers is the ids of the servers in which the commands are registered,
	// for development; everywhere where empty.
	Servers []string
	// NoThreads has matches played in the channel of their challenge, unless a
	// challenge asks for a thread.
	NoThreads bool
	// Thoughts is how many turns of computers are thought about at a time; 0
	// for one less than there are processors, and at least one.
	Thoughts int
	// Flood is how much a person can ask at once; the defaults where zero.
	Flood Flood

	// Timer gives a channel that receives after a time, and a function that
	// releases it; time.NewTimer where nil.
	Timer func(time.Duration) (c <-chan time.Time, stop func())
	// Gateway is how time passes for the connection; the zero value is real
	// time.
	Gateway Clock
	// Observer is told what the bot does.
	Observer Observer
	// Ticks is when the reconciler looks for what is behind, besides at the
	// start; every ReconcileEvery where nil.
	Ticks <-chan time.Time
}

// observers is whom the client tells of its requests.
func (c Config) observers() (all []func(discord.RequestResult)) {
	if c.Observer.Request != nil {
		all = append(all, c.Observer.Request)
	}
	return all
}

// Clock is how time passes for the gateway connection, and for what is measured
// rather than recorded. Seed is that of the
// random part of its waits.
type Clock struct {
	Now   func() time.Time                                         // time.Now where nil
	Timer func(time.Duration) (c <-chan time.Time, release func()) // time.NewTimer where nil
	Seed  uint64
}

// Pictures draws boards and plots; *imaging.Renderer does.
type Pictures interface {
	// Board is a scene as a PNG file.
	Board(ctx context.Context, s imaging.Scene, theme string) ([]byte, error)
	// Plot is the course of a rating as a PNG file.
	Plot(ctx context.Context, p imaging.Plot, theme string) ([]byte, error)
}

// ReconcileEvery is how often the reconciler looks for what is behind.
const ReconcileEvery = 5 * time.Second

// Bot is Castellan on Discord. Use New.
type Bot struct {
	config   Config
	log      *slog.Logger
	host     *host.Host
	games    *engine.Registry
	texts    *catalogue.Catalogue
	session  *discordgo.Session // for requests alone; it is never opened
	client   *discord.Client
	gateway  *gateway.Gateway
	poster   *poster
	router   *router
	guard    *guard
	thinking *thinking
	timer    func(time.Duration) (<-chan time.Time, func())
	clock    func() time.Time // of what is measured

	application string // its id; set before ready is closed

	ready  chan struct{}
	wake   chan struct{}         // tells the reconciler that something has become due
	heard  placeSet              // where the gateway has told that the bot can be used
	hello  chan *discordgo.Ready // receives the first READY
	intake intake
	looked atomic.Pointer[time.Time] // when the reconciler last finished a look
	work   context.Context           // of interactions; set by Run before any comes
}

// New is a bot that is not connected yet.
func New(c Config) (*Bot, error) {
	if c.Token == "" {
		return nil, errors.New("a bot needs a token")
	}
	session, err := newSession(c.Token, c.API)
	if err != nil {
		return nil, fmt.Errorf("preparing the session: %w", err)
	}
	b := &Bot{
		config: c, log: c.Logger, host: c.Host, games: c.Games, texts: c.Catalogue,
		session: session, client: discord.NewClient(session, c.observers()...), timer: c.Timer,
		clock: c.Gateway.Now,
		guard: newGuard(c.Flood), thinking: newThinking(c.Thoughts),
		ready: make(chan struct{}), wake: make(chan struct{}, 1), hello: make(chan *discordgo.Ready, 1),
	}
	b.gateway = gateway.New(gateway.Config{
		Token: c.Token, Intents: discordgo.IntentsGuilds, GetGateway: b.client.GetGateway, Handle: b.onEvent, Logger: c.Logger,
		Now: c.Gateway.Now, Timer: c.Gateway.Timer, Seed: c.Gateway.Seed,
	})
	if b.timer == nil {
		b.timer = newTimer
	}
	if b.clock == nil {
		b.clock = time.Now
	}
	b.poster = &poster{host: c.Host, client: b.client, pictures: c.Pictures, texts: c.Catalogue, log: c.Logger}
	if b.router, err = b.routes(); err != nil {
		return nil, err
	}
	return b, nil
}

func newTimer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Ready is closed when the bot is connected and its commands are registered.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// Connection is how the connection to Discord's gateway stands.
func (b *Bot) Connection() gateway.State { return b.gateway.State() }

// Run connects, registers the commands, and serves until the context is done.
// Lost connections are replaced. When the context is done it disconnects, so
// that nothing new comes in, finishes and answers what it has begun, and
// returns nil within stopWithin and the second that Discord is given to hear
// of it. It fails where Discord refuses the token, the connection
// (*gateway.FatalError) or the commands. It is called once.
func (b *Bot) Run(ctx context.Context) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	b.work = work

	connection, chores := make(chan error, 1), make(chan error, 1)
	go func() {
		defer leave()
		connection <- b.gateway.Run(ctx)
	}()
	go func() {
		defer leave()
		chores <- b.chores(ctx)
	}()
	<-ctx.Done()
	return b.finish(connection, chores)
}

// chores is what the bot does of its own accord, until the context is done.
func (b *Bot) chores(ctx context.Context) error {
	var application string
	select {
	case r := <-b.hello:
		application = r.Application.ID
		b.log.Info("connected", "user", r.User.Username, "servers", len(r.Guilds))
	case <-ctx.Done():
		return nil
	}
	if err := b.keepRegistering(ctx, application); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	b.application = application
	close(b.ready)
	var thoughts sync.WaitGroup
	thoughts.Go(func() { b.think(ctx) })
	b.reconcile(ctx)
	thoughts.Wait()
	return nil
}

// onEvent takes an event of the gateway. It does not wait.
func (b *Bot) onEvent(event any) {
	switch e := event.(type) {
	case *discordgo.Ready:
		select {
		case b.hello <- e:
		default: // not the first
		}
	case *discordgo.InteractionCreate:
		b.takeOn(e.Interaction)
	default:
		b.hear(event)
	}
}

// stopWithin is how long Run waits for what is under way when it is stopped.
const stopWithin = 8 * time.Second

// finish waits for what is under way. Interactions are taken on until the
// connection has ended: those that Discord has delivered are answered.
func (b *Bot) finish(connection, chores <-chan error) (err error) {
	var idle <-chan struct{}
	after, release := b.timer(stopWithin)
	defer release()
	for connection != nil || chores != nil || idle != nil {
		select {
		case e := <-connection:
			connection, idle, err = nil, b.intake.stop(), errors.Join(err, e)
		case e := <-chores:
			chores, err = nil, errors.Join(err, e)
		case <-idle:
			idle = nil
		case <-after:
			b.log.Warn("stopped with work under way", "interactions", b.intake.underWay())
			return err
		}
	}
	return err
}

// newSession is a discordgo session through which requests are made: no cache
// of what Discord says, no retries of its own.
func newSession(token string, base *url.URL) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.StateEnabled = false
	s.MaxRestRetries = 0
	s.ShouldRetryOnRateLimit = false
	s.Client.Transport = &discord.Transport{Base: base}
	return s, nil
}
