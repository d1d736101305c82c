package bot

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/sync/errgroup"

	"castellan/bot/account"
	"castellan/bot/browse"
	"castellan/bot/catalogue"
	"castellan/bot/cluster"
	"castellan/bot/computer"
	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/bot/handlers"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/bot/publish"
	"castellan/engine"
	"castellan/storage"
)

// Config holds the settings and parts of a Bot. Token, Host, Games, Renderer,
// Catalogue and Logger are required.
type Config struct {
	Token     string            // without the word Bot
	API       *url.URL          // base address of Discord's API; Discord itself if nil
	Transport http.RoundTripper // sends the requests; one like http.DefaultTransport if nil
	Host      *host.Host
	Games     *engine.Registry
	Renderer  message.Renderer
	Catalogue *catalogue.Catalogue
	Logger    *slog.Logger

	// Guilds are the IDs of the guilds in which the commands are registered,
	// for development; if empty, they are registered globally.
	Guilds []string
	// Operators are those who run the bot.
	Operators handlers.Operators
	// Shards is the number of shards in which the bot connects; 0 means as many as
	// Discord recommends.
	Shards int
	// RequestsPerSecond is Discord's global limit for the bot; 0 means
	// discord.DefaultGlobalLimit.
	RequestsPerSecond int
	// NoThreads has matches played in the channel of their challenge, unless a
	// challenge asks for a thread.
	NoThreads bool
	// Slots is the number of computers' turns and hints computed at a time. 0
	// means one less than there are processors, and at least one.
	Slots int
	// Flood limits how much a person can request at once.
	Flood interaction.Flood
	// BoardSettles is the time after the post of a board in which its buttons do
	// nothing. Somebody who presses so soon has not seen the new board and means
	// the previous one. 0 means one second; with a negative value, buttons work
	// at once.
	BoardSettles time.Duration
	// QuickTurn is the longest wait for the computer's answer before a person's turn is
	// posted, so that one board shows both; 0 means 1.5 seconds, negative no wait.
	QuickTurn time.Duration

	// Interactions accepts the connections over which Discord sends interactions by
	// HTTP, signed with the key that PublicKey verifies. If it is nil, they come
	// over the gateway.
	Interactions net.Listener
	PublicKey    ed25519.PublicKey
	// NoGateway has the bot do without the gateway. It requires Interactions, if not
	// of this process then of another one.
	NoGateway bool

	// Roles are what this process does; everything if zero. Interactions are received
	// over HTTP if there is a listener.
	Roles Roles
	// Cluster is the bot's other processes on the same database; nil if there are
	// none.
	Cluster *cluster.Cluster

	// Timer returns a channel that receives after a duration, and a function
	// that releases the timer; time.NewTimer if nil.
	Timer func(time.Duration) (c <-chan time.Time, stop func())
	// Gateway is the clock of the connection; the zero value is real time.
	Gateway discord.Clock
	// Observer is told what the bot does.
	Observer Observer
	// Peers connects the bot with the other processes on its database; nil if there
	// can be none.
	Peers storage.Peers
	// Ticks starts the reconciler at each value received, besides the run at the
	// start. If nil, it runs every publish.ReconcileInterval.
	Ticks <-chan time.Time
}

// Observer is told what the bot does, for metrics. Its functions are called
// from many goroutines and must not block; any may be nil.
type Observer struct {
	Interaction func(interaction.Served)
	Request     func(discord.RequestResult)
	Computation func(computer.Computation)
	Refused     func(status int) // of requests to the interactions endpoint
}

// listener follows what other processes do.
type listener interface{ Invalidate(storage.Signal) }

// Bot is Castellan on Discord. Use New.
type Bot struct {
	// What the bot is made of, for tests that wait for it or use it alone.
	Interactions *interaction.Server
	Publisher    *publish.Publisher
	Computer     *computer.Scheduler

	config    Config
	log       *slog.Logger
	client    *discord.Client
	gateway   *gateway.Gateway
	endpoint  *discord.Endpoint
	locales   *account.Locales
	listeners []listener
	commands  []discord.Command
	operator  discord.Command // for the guild of the operators
	ids       commandIDs

	application string // its ID; set before ready is closed

	ready      chan struct{}
	firstReady chan *discordgo.Ready // receives the first READY event
	work       context.Context       // of interactions; set by Run before any arrives
	stopping   atomic.Bool
}

// New returns a bot that is not connected yet.
func New(c Config) (*Bot, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	observers := []func(discord.RequestResult){discord.LogBudget(c.Logger, c.Host.Now)}
	if c.Observer.Request != nil {
		observers = append(observers, c.Observer.Request)
	}
	b := &Bot{
		config: c, log: c.Logger, client: discord.NewClient(c.Token, c.API, c.Transport, observers...),
		ready: make(chan struct{}), firstReady: make(chan *discordgo.Ready, 1),
	}
	b.client.SetClock(c.Host.Now)
	if c.RequestsPerSecond > 0 {
		b.client.SetGlobalLimit(c.RequestsPerSecond)
	}
	if c.Peers != nil {
		b.client.Share(c.Peers)
	}
	accounts, lists := account.New(c.Host), browse.New(c.Host)
	b.locales = account.NewLocales(c.Host, accounts, c.Catalogue)
	b.newReceivers()
	b.Publisher = publish.New(publish.Config{
		Host: c.Host, Account: accounts, Browse: lists, Client: b.client, Renderer: c.Renderer, Say: b.locales.Printer, Logger: c.Logger,
		Ticks: c.Ticks, OnReconcile: func() { b.Computer.Wake() }, ComputerWait: func() time.Duration { return b.Computer.Wait() },
		Connected: b.inContact, AwaitComputer: func(ctx context.Context, id storage.MatchID) { b.Computer.Await(ctx, id) },
	})
	b.Computer = computer.New(computer.Config{
		Host: c.Host, Publisher: b.Publisher, Logger: c.Logger, Slots: c.Slots,
		PostTimeout: publish.JobTimeout, Observe: c.Observer.Computation, OnlyHints: !c.Roles.Worker,
		QuickTurn: c.QuickTurn, Leases: c.Cluster.Leases(), Holder: c.Cluster.Process(),
	})
	c.Host.SetComputerToMove(b.Computer.Expect)
	h := &handlers.Handlers{
		Host: c.Host, Account: accounts, Browse: lists, Games: c.Games, Texts: c.Catalogue, Renderer: c.Renderer, Client: b.client,
		Publisher: b.Publisher, Computer: b.Computer, Locales: b.locales, Log: c.Logger,
		Operators: c.Operators, NoThreads: c.NoThreads, BoardSettles: c.BoardSettles, Invite: b.Invite, CommandID: b.ids.id,
	}
	b.commands, b.operator = h.Commands(), h.OperatorCommand()
	router, err := interaction.NewRouter(h.Routes()...)
	if err != nil {
		return nil, err
	}
	b.Interactions = b.newInteractions(h, router)
	b.listeners = []listener{accounts, b.locales, c.Host, b.client, b.Interactions, b.Publisher, b.Computer}
	return b, nil
}

// complete sets the defaults of empty fields and checks the others.
func (c *Config) complete() error {
	if c.Token == "" {
		return errors.New("a bot needs a token")
	}
	if c.Roles == (Roles{}) {
		c.Roles = Roles{Gateway: !c.NoGateway, HTTP: c.Interactions != nil, Poster: true, Worker: true}
		if !c.Roles.Receives() {
			c.Roles.HTTP = true
		}
	}
	if c.Roles.Gateway && c.NoGateway || c.Roles.HTTP != (c.Interactions != nil) || c.Roles.HTTP && len(c.PublicKey) != ed25519.PublicKeySize {
		return errors.New("a bot needs the gateway, or a listener for interactions and the public key of its application")
	}
	c.Timer = discord.Clock{Timer: c.Timer}.Complete().Timer
	c.Gateway = c.Gateway.Complete()
	c.BoardSettles = cmp.Or(c.BoardSettles, time.Second)
	c.QuickTurn = cmp.Or(c.QuickTurn, 1500*time.Millisecond)
	return nil
}

// newReceivers makes what interactions and events come in by: the gateway and the
// endpoint for HTTP.
func (b *Bot) newReceivers() {
	c := b.config
	var shards gateway.Cluster
	if c.Cluster != nil {
		shards = c.Cluster.Sharding(c.Shards)
	}
	b.gateway = gateway.New(gateway.Config{
		Token: c.Token, GetGateway: b.client.GetGateway, Handle: b.handleEvent, Logger: c.Logger,
		Shards: c.Shards, Cluster: shards, Clock: c.Gateway,
	})
	b.endpoint = discord.NewEndpoint(discord.EndpointConfig{PublicKey: c.PublicKey, Accept: b.acceptByHTTP, Now: c.Host.Now, Logger: c.Logger, Refused: c.Observer.Refused, Stop: func() {
		c.Host.Stop()
		b.Interactions.Stop()
	}})
}

// newInteractions returns the server that answers interactions by the handlers.
func (b *Bot) newInteractions(h *handlers.Handlers, router *interaction.Router) *interaction.Server {
	c := b.config
	return interaction.NewServer(interaction.Config{
		Client: b.client, Router: router, Catalogue: c.Catalogue, Flood: c.Flood, Logger: c.Logger,
		Now: c.Host.Now, Timer: c.Timer,
		Authorize: h.Authorize, CheckBan: h.CheckBan, Localize: b.localize, IsMember: b.gateway.IsMember, Explain: h.Explain, Unsaved: publish.Unsaved,
		After: b.afterInteraction, Observe: c.Observer.Interaction, Peers: c.Peers,
	})
}

// afterInteraction begins the work that an interaction may have made possible, and
// stores the languages that it named.
func (b *Bot) afterInteraction(ctx context.Context, r *interaction.Request) {
	b.Publisher.RetryPlace(ctx, r.Place)
	b.Publisher.NotePresence(r.Place.Guild, r.Person.ID)
	b.Computer.Wake() // it may be a computer's turn now
	for _, id := range []string{r.Person.ID, r.Place.Guild} {
		if err := b.locales.Persist(ctx, id); err != nil {
			b.log.Debug("keeping a locale", "error", err)
		}
	}
}

// Serve answers one interaction and returns when that is done. Run serves those
// that the gateway delivers.
func (b *Bot) Serve(ctx context.Context, i *discordgo.Interaction) { b.Interactions.Serve(ctx, i) }

// Ready is closed when the bot is connected and its commands are registered.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// acceptByHTTP serves an interaction whose first answer respond takes.
func (b *Bot) acceptByHTTP(i *discordgo.Interaction, respond func(contentType string, body []byte) error) (served <-chan struct{}) {
	b.client.RecordContact()
	return b.Interactions.Accept(discord.WithHTTPResponse(b.work, i.ID, respond), i)
}

// inContact reports whether the bot is connected to the gateway or, without the
// gateway, in contact with Discord by requests. If several processes share the
// database, each shard must be connected in one of them. If they receive interactions
// over HTTP, one with that role must be in contact.
func (b *Bot) inContact(ctx context.Context) bool {
	own := b.gateway.State().Connected
	if !b.config.Roles.Gateway {
		own = b.client.InContact(ctx)
	}
	if c := b.config.Cluster; c != nil {
		return (b.config.NoGateway || c.Connected(ctx)) && (len(b.config.PublicKey) == 0 || c.Received(ctx))
	}
	return own
}

// Roles returns what this process does.
func (b *Bot) Roles() Roles { return b.config.Roles }

// Run connects, registers the commands, and serves until the context is done.
// It replaces lost connections. At the end it disconnects, finishes and answers
// the interactions that have begun, and returns nil within stopTimeout plus one
// second for closing the connection. It fails if Discord refuses the token, the
// connection (*gateway.FatalError) or the commands, or if Config.PublicKey is not
// that of the application. It is called once.
func (b *Bot) Run(ctx context.Context) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	b.work = work

	if p := b.config.Peers; p != nil {
		go p.Listen(ctx, b.hear)
	}
	connection, background := make(chan error, 1), make(chan error, 1)
	go func() {
		defer leave()
		connection <- b.receive(ctx)
	}()
	go func() {
		defer leave()
		background <- b.runBackground(ctx)
	}()
	<-ctx.Done()
	b.stopping.Store(true)
	return b.finish(connection, background)
}

// hear does what a signal of another process asks for.
func (b *Bot) hear(s storage.Signal) {
	for _, l := range b.listeners {
		l.Invalidate(s)
	}
}

func (b *Bot) receive(ctx context.Context) error {
	work, ctx := errgroup.WithContext(ctx)
	if b.config.Interactions != nil {
		work.Go(func() error { return b.endpoint.Run(ctx, b.config.Interactions) })
		if c := b.config.Cluster; c != nil {
			work.Go(func() error { c.Receive(ctx, b.client.InContact); return nil })
		}
	}
	if b.config.Roles.Gateway {
		work.Go(func() error { return b.gateway.Run(ctx) })
	}
	work.Go(func() error { <-ctx.Done(); return nil })
	return work.Wait()
}

// identify returns the identifier of the application: from the first READY event of
// a bot that is one process and only has the gateway, otherwise from the REST API,
// with the public key to compare. It returns "" when the context is done.
func (b *Bot) identify(ctx context.Context) (application string, err error) {
	if b.config.Cluster == nil && !b.config.Roles.HTTP {
		select {
		case r := <-b.firstReady:
			b.log.Info("connected", "user", r.User.Username, "guilds", len(r.Guilds))
			if a, err := b.client.GetApplication(ctx); err == nil {
				b.warnOfEndpoint(ctx, a)
			}
			return r.Application.ID, nil
		case <-ctx.Done():
			return "", nil
		}
	}
	var a discord.Application
	err = b.untilAnswered(ctx, "Discord does not say which application this is", func() error {
		a, err = b.client.GetApplication(ctx)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return "", nil
	case err != nil:
		return "", err
	case !b.config.Roles.HTTP:
		b.warnOfEndpoint(ctx, a)
		return a.ID, nil
	case a.PublicKey != hex.EncodeToString(b.config.PublicKey):
		return "", errors.New("the public key is not that of the application: copy it from General Information of the application in the developer portal")
	}
	b.log.Info("receiving interactions over HTTP", "address", b.config.Interactions.Addr().String(), "url", a.Endpoint)
	if a.Endpoint == "" {
		b.log.Info("the application has no interactions endpoint URL yet, so Discord sends nothing here: set it in the developer portal")
	}
	return a.ID, nil
}

// warnOfEndpoint warns if this process waits for interactions that Discord sends
// elsewhere.
func (b *Bot) warnOfEndpoint(ctx context.Context, a discord.Application) {
	c := b.config.Cluster
	if a.Endpoint == "" || !b.config.Roles.Gateway || c != nil && (len(b.config.PublicKey) > 0 || c.Received(ctx)) {
		return
	}
	b.log.Warn("the application has an interactions endpoint URL, so Discord sends commands and clicks there and none to the gateway: remove it under General Information in the developer portal, or serve it with the role http and [interactions] in the configuration", "url", a.Endpoint)
}

// runBackground registers the commands if this process receives interactions. Then
// it has the reconciler and the computers work until the context is done.
func (b *Bot) runBackground(ctx context.Context) error {
	application, err := b.identify(ctx)
	if application == "" {
		return err
	}
	if b.config.Roles.Receives() {
		if err := b.keepRegistering(ctx, application); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
	if c := b.config.Cluster; c != nil && b.config.Roles.Gateway && c.AwaitConnected(ctx) != nil {
		return nil
	}
	b.application = application
	close(b.ready)
	var computers sync.WaitGroup
	computers.Go(func() { b.Computer.Run(ctx) })
	if b.config.Roles.Poster {
		b.Publisher.Run(ctx)
	} else {
		b.Publisher.RunEvents(ctx)
	}
	computers.Wait()
	return nil
}

// localize has a request answered in the languages of the person and the guild.
func (b *Bot) localize(ctx context.Context, r *interaction.Request) {
	b.locales.Observe(r.Person.ID, r.Locale)
	b.locales.Observe(r.Place.Guild, r.GuildLocale)
	r.Say = b.locales.Printer(ctx, "", r.Person.ID)
	if r.Public = r.Say; r.Place.Guild != "" {
		r.Public = b.locales.Printer(ctx, r.Place.Guild, "")
	}
}

// handleEvent takes an event of the gateway. It does not block.
func (b *Bot) handleEvent(event any) {
	switch e := event.(type) {
	case *discordgo.Ready:
		select {
		case b.firstReady <- e:
		default: // not the first
		}
	case *discordgo.InteractionCreate:
		b.Interactions.Accept(b.work, e.Interaction)
		return
	case gateway.Replayed:
		b.Interactions.AcceptReplayed(b.work, e.Interaction)
		return
	case *discordgo.GuildCreate:
		b.locales.Observe(e.ID, e.PreferredLocale)
	case *discordgo.GuildUpdate:
		b.locales.Observe(e.ID, e.PreferredLocale)
	}
	b.Publisher.HandleEvent(event)
}

// stopTimeout is how long Run waits for the work in progress when it stops.
const stopTimeout = 8 * time.Second

// recordTimeout limits how long new write transactions can begin after the bot was
// told to stop. On a slow disk some are still waiting then. They fail with
// host.ErrStopping, and three seconds of stopTimeout remain to tell the people
// who asked for them.
const recordTimeout = 5 * time.Second

// finish waits for the work in progress. It accepts interactions until the
// connection has ended, so that everything delivered is answered; after that it
// refuses the interactions that have not begun.
func (b *Bot) finish(connection, background <-chan error) (err error) {
	var idle <-chan struct{}
	timeout, release := b.config.Timer(stopTimeout)
	defer release()
	recorded, releaseRecorded := b.config.Timer(recordTimeout)
	defer releaseRecorded()
	for connection != nil || background != nil || idle != nil {
		select {
		case e := <-connection:
			b.config.Host.Stop()
			connection, idle, err = nil, b.Interactions.Stop(), errors.Join(err, e)
		case e := <-background:
			background, err = nil, errors.Join(err, e)
		case <-idle:
			idle = nil
		case <-recorded:
			b.log.Warn("the store is slow; what waits for it is refused", "interactions", b.Interactions.InProgress())
			b.config.Host.Close()
		case <-timeout:
			b.log.Warn("stopped with work in progress", "interactions", b.Interactions.InProgress())
			return err
		}
	}
	return err
}

// Invite returns the address that adds the bot to a guild, with exactly the
// permissions and scopes that it needs. It is empty before Ready is closed.
func (b *Bot) Invite() string {
	select {
	case <-b.ready:
	default:
		return ""
	}
	return discord.Invite(b.config.API, b.application)
}
