package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/bot/wire"
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

	// Timer gives a channel that receives after a time, and a function that
	// releases it; time.NewTimer where nil.
	Timer func(time.Duration) (c <-chan time.Time, stop func())
	// Ticks is when the reconciler looks for what is behind, besides at the
	// start; every ReconcileEvery where nil.
	Ticks <-chan time.Time
}

// Pictures draws the boards; *imaging.Renderer does.
type Pictures interface {
	// Board is a scene as a PNG file.
	Board(ctx context.Context, s imaging.Scene, theme string) ([]byte, error)
}

// ReconcileEvery is how often the reconciler looks for what is behind.
const ReconcileEvery = 5 * time.Second

// Bot is Castellan on Discord. Use New.
type Bot struct {
	config  Config
	log     *slog.Logger
	host    *host.Host
	games   *engine.Registry
	texts   *catalogue.Catalogue
	session *discordgo.Session
	client  *wire.Client
	poster  *poster
	router  *router
	timer   func(time.Duration) (<-chan time.Time, func())

	application string // its id; set before ready is closed

	ready    chan struct{}
	inFlight sync.WaitGroup

	mu       sync.Mutex
	stopping bool // no interaction is taken on any more
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
		session: session, client: wire.NewClient(session), timer: c.Timer,
		ready: make(chan struct{}),
	}
	if b.timer == nil {
		b.timer = newTimer
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

// stopWithin is how long Run waits for answers under way when it is stopped.
const stopWithin = 8 * time.Second

// Run connects, registers the commands, and serves until the context is done.
// It then finishes the interactions that it has begun, and returns nil. It
// fails where the token is refused or the commands are.
func (b *Bot) Run(ctx context.Context) error {
	ready := make(chan *discordgo.Ready, 1)
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	b.session.AddHandlerOnce(func(_ *discordgo.Session, r *discordgo.Ready) { ready <- r })
	b.session.AddHandler(func(_ *discordgo.Session, i *discordgo.InteractionCreate) {
		if b.takeOn() {
			defer b.inFlight.Done()
			b.serve(work, i.Interaction)
		}
	})
	if err := b.session.Open(); err != nil {
		return fmt.Errorf("connecting to the gateway: %w", err)
	}
	defer b.session.Close()

	var application string
	select {
	case r := <-ready:
		application = r.Application.ID
		b.log.Info("connected", "user", r.User.Username, "servers", len(r.Guilds))
	case <-ctx.Done():
		return nil
	}
	if err := b.register(ctx, application); err != nil {
		return err
	}
	b.application = application
	close(b.ready)

	b.reconcile(ctx)
	b.finish()
	return nil
}

// takeOn counts an interaction as under way, unless the bot is stopping.
func (b *Bot) takeOn() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stopping {
		b.inFlight.Add(1)
	}
	return !b.stopping
}

// finish closes the gateway, so that nothing new comes in, and waits for what
// is under way.
func (b *Bot) finish() {
	if err := b.session.Close(); err != nil {
		b.log.Warn("closing the gateway", "error", err)
	}
	b.mu.Lock()
	b.stopping = true
	b.mu.Unlock()
	done := make(chan struct{})
	go func() { b.inFlight.Wait(); close(done) }()
	after, release := b.timer(stopWithin)
	defer release()
	select {
	case <-done:
	case <-after:
		b.log.Warn("stopped with interactions under way")
	}
}

// newSession is a discordgo session that only receives what the bot needs: no
// privileged intents, no cache of what Discord says, no retries of its own.
func newSession(token string, base *url.URL) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.Identify.Intents = discordgo.IntentsGuilds
	s.Identify.Compress, s.Compress = false, false
	s.StateEnabled = false
	s.MaxRestRetries = 0
	s.ShouldRetryOnRateLimit = false
	s.Client.Transport = &wire.Transport{Base: base}
	return s, nil
}
