package bot

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
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
	"castellan/bot/discord/endpoint"
	"castellan/bot/discord/gateway"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/language"
	"castellan/bot/message"
	"castellan/bot/peers"
	"castellan/bot/prepare"
	"castellan/bot/privacy"
	"castellan/bot/publish"
	"castellan/bot/settings"
	"castellan/bot/tap"
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

	// TapAddress is the address, without a slash at its end, under which people
	// reach TapHandler. If it is empty, there is no page for tapping boards and
	// no link to it.
	TapAddress string

	// Timer returns a channel that receives after a duration, and a function
	// that releases the timer; time.NewTimer if nil.
	Timer func(time.Duration) (c <-chan time.Time, stop func())
	// Gateway is the clock of the connection; the zero value is real time.
	Gateway Clock
	// Observer is told what the bot does.
	Observer Observer
	// Peers connects the bot with the other processes on its database; nil if there
	// can be none.
	Peers storage.Peers
	// Ticks starts the reconciler at each value received, besides the run at the
	// start. If nil, it runs every publish.ReconcileInterval.
	Ticks <-chan time.Time
}

// Clock measures durations and times the delays of the gateway connection.
type Clock struct {
	Now   func() time.Time                                         // time.Now if nil
	Timer func(time.Duration) (c <-chan time.Time, release func()) // time.NewTimer if nil
}

// Observer is told what the bot does, for metrics. Its functions are called
// from many goroutines and must not block; any may be nil.
type Observer struct {
	Interaction func(interaction.Served)
	Request     func(discord.RequestResult)
	Computation func(computer.Computation)
	Refused     func(status int) // of requests to the interactions endpoint
}

// Bot is Castellan on Discord. Use New.
type Bot struct {
	config       Config
	log          *slog.Logger
	client       *discord.Client
	gateway      *gateway.Gateway
	endpoint     *endpoint.Endpoint
	interactions *interaction.Server
	publisher    *publish.Publisher
	languages    *language.Book
	computer     *computer.Scheduler
	peers        peers.Parts
	commands     []discord.Command
	tap          *tap.Server // nil without Config.TapAddress
	timer        func(time.Duration) (<-chan time.Time, func())

	application string // its ID; set before ready is closed

	ready      chan struct{}
	firstReady chan *discordgo.Ready // receives the first READY event
	work       context.Context       // of interactions; set by Run before any arrives
	stopping   atomic.Bool
}

// New returns a bot that is not connected yet.
func New(c Config) (*Bot, error) {
	if c.Token == "" {
		return nil, errors.New("a bot needs a token")
	}
	if c.Roles == (Roles{}) {
		c.Roles = Roles{Gateway: !c.NoGateway, HTTP: c.Interactions != nil, Poster: true, Worker: true}
		if !c.Roles.Receives() {
			c.Roles.HTTP = true
		}
	}
	if c.Roles.Gateway && c.NoGateway || c.Roles.HTTP != (c.Interactions != nil) || c.Roles.HTTP && len(c.PublicKey) != ed25519.PublicKeySize {
		return nil, errors.New("a bot needs the gateway, or a listener for interactions and the public key of its application")
	}
	session, err := discord.NewSession(c.Token, c.API, c.Transport)
	if err != nil {
		return nil, fmt.Errorf("preparing the session: %w", err)
	}
	observers := []func(discord.RequestResult){discord.LogBudget(c.Logger, c.Host.Now)}
	if c.Observer.Request != nil {
		observers = append(observers, c.Observer.Request)
	}
	b := &Bot{
		config: c, log: c.Logger, client: discord.NewClient(session, observers...), timer: c.Timer,
		ready: make(chan struct{}), firstReady: make(chan *discordgo.Ready, 1),
	}
	if b.timer == nil {
		b.timer = newTimer
	}
	b.client.SetClock(c.Host.Now)
	if c.RequestsPerSecond > 0 {
		b.client.SetGlobalLimit(c.RequestsPerSecond)
	}
	peers.Share(b.client, c.Peers)
	var shards gateway.Cluster
	if c.Cluster != nil {
		shards = c.Cluster.Shards(c.Shards)
	}
	b.gateway = gateway.New(gateway.Config{
		Token: c.Token, Intents: discordgo.IntentsGuilds, GetGateway: b.client.GetGateway, Handle: b.handleEvent, Logger: c.Logger,
		Shards: c.Shards, Cluster: shards, Now: c.Gateway.Now, Timer: c.Gateway.Timer,
	})
	b.endpoint = endpoint.New(endpoint.Config{PublicKey: c.PublicKey, Accept: b.acceptByHTTP, Now: c.Host.Now, Logger: c.Logger, Refused: c.Observer.Refused, Stop: func() {
		c.Host.Stop()
		b.interactions.Stop()
	}})
	accounts, lists := account.New(c.Host), browse.New(c.Host)
	b.languages = language.New(c.Host, accounts, c.Catalogue)
	b.publisher = publish.New(publish.Config{
		Host: c.Host, Account: accounts, Browse: lists, Client: b.client, Renderer: c.Renderer, Catalogue: c.Catalogue, Say: b.languages.Printer, Logger: c.Logger,
		Clock: c.Gateway.Now, Ticks: c.Ticks, OnReconcile: func() { b.computer.Wake() }, ComputerWait: func() time.Duration { return b.computer.Wait() },
		Connected: b.inContact,
	})
	b.computer = computer.New(computer.Config{
		Host: c.Host, Publisher: b.publisher, Logger: c.Logger, Slots: c.Slots,
		PostTimeout: publish.JobTimeout, Clock: c.Gateway.Now, Observe: c.Observer.Computation, OnlyHints: !c.Roles.Worker,
		Leases: c.Cluster.Leases(), Holder: c.Cluster.Process(),
	})
	h := &handlers{
		settings: &settings.Handlers{
			Host: c.Host, Account: accounts, Texts: c.Catalogue, Client: b.client, NoThreads: c.NoThreads, Say: b.languages.Printer, CheckPostable: checkPostable,
		},
		privacy: &privacy.Handlers{Account: accounts, Forgotten: func(person string) {
			b.languages.Forget(person)
			b.publisher.Wake() // to post the results, and edit what names the person
		}},
		host: c.Host, account: accounts, browse: lists, games: c.Games, texts: c.Catalogue, renderer: c.Renderer, client: b.client,
		publisher: b.publisher, computer: b.computer, languages: b.languages, log: c.Logger, noThreads: c.NoThreads, invite: b.Invite,
		boardSettles: cmp.Or(c.BoardSettles, time.Second),
	}
	h.prepare = &prepare.Handlers{Host: c.Host, Find: h.ownMatch, Draw: h.drawPrivate, About: about, Explain: h.explain}
	if c.TapAddress != "" {
		locator, _ := c.Renderer.(message.Locator)
		b.tap = tap.New(tap.Config{
			Address: c.TapAddress, Host: c.Host, Account: accounts, Renderer: c.Renderer, Locator: locator, Logger: c.Logger,
			Say: b.languages.Printer, Act: h.playPicked, Post: b.publisher.Show,
		})
		h.tap = b.tap
	}
	b.commands = h.commands()
	router, err := interaction.NewRouter(h.routes()...)
	if err != nil {
		return nil, err
	}
	b.interactions = interaction.NewServer(interaction.Config{
		Client: b.client, Router: router, Catalogue: c.Catalogue, Flood: c.Flood, Logger: c.Logger,
		Now: c.Host.Now, Clock: c.Gateway.Now, Timer: c.Timer,
		Authorize: h.authorize, Localize: b.localize, IsMember: b.gateway.IsMember, Explain: h.explain, Unsaved: publish.Unsaved,
		After: func(ctx context.Context, r *interaction.Request) {
			b.publisher.RetryPlace(ctx, r.Place)
			b.computer.Wake() // it may be a computer's turn now
			for _, id := range []string{r.Person.ID, r.Place.Guild} {
				if err := b.languages.Keep(ctx, id); err != nil {
					b.log.Debug("keeping a locale", "error", err)
				}
			}
		},
		Observe: c.Observer.Interaction, Spent: peers.Spent(c.Peers),
	})
	b.peers = peers.Parts{Accounts: accounts, Languages: b.languages, Client: b.client, Publisher: b.publisher, Computer: b.computer, Now: c.Host.Now, Spend: b.interactions.Spend}
	return b, nil
}

func newTimer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Serve answers one interaction and returns when that is done. Run serves those
// that the gateway delivers.
func (b *Bot) Serve(ctx context.Context, i *discordgo.Interaction) { b.interactions.Serve(ctx, i) }

// TapHandler serves the page on which people tap the board of their turn. It is
// nil without Config.TapAddress.
func (b *Bot) TapHandler() http.Handler {
	if b.tap == nil {
		return nil
	}
	return b.tap
}

// Publisher returns the publisher, which brings channels up to date.
func (b *Bot) Publisher() *publish.Publisher { return b.publisher }

// Ready is closed when the bot is connected and its commands are registered.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// Connection returns the state of the connections to Discord's gateway, of all
// shards together.
func (b *Bot) Connection() gateway.State { return b.gateway.State() }

// Shards describes the connections to Discord's gateway, shard by shard.
func (b *Bot) Shards() gateway.Report { return b.gateway.Report() }

// CheckShards asks Discord in the background whether it recommends more shards.
// Otherwise the bot asks once a day.
func (b *Bot) CheckShards() { b.gateway.CheckShards() }

// InProgress returns the number of interactions in progress.
func (b *Bot) InProgress() int { return b.interactions.InProgress() }

// Ahead returns the number of posts and edits done before they were due, because
// the clock had gone back; see publish.Publisher.Ahead.
func (b *Bot) Ahead() uint64 { return b.publisher.Ahead() }

// Unreadable returns the number of matches that cannot be rebuilt, see
// host.Host.Unreadable.
func (b *Bot) Unreadable() int { return b.config.Host.Unreadable() }

// SinceReconcile returns how long ago the reconciler last finished a run, or
// started its first. ok is false before that.
func (b *Bot) SinceReconcile() (d time.Duration, ok bool) { return b.publisher.SinceRun() }

// DeliveryLag returns how long the oldest pending post or edit has been due:
// some seconds if all is well.
func (b *Bot) DeliveryLag(ctx context.Context) (time.Duration, error) {
	return b.config.Host.DeliveryLag(ctx)
}

// InvalidRequests returns how many answers of 401, 403 and 429 Discord has given
// in the last ten minutes.
func (b *Bot) InvalidRequests() int { return b.client.InvalidRequests() }

// ComputerLoad returns the number of computers' turns and hints being computed,
// and of hints waiting.
func (b *Bot) ComputerLoad() (busy, waiting int) { return b.computer.Load() }

// Idle returns a channel that is closed when no interaction is in progress.
func (b *Bot) Idle() <-chan struct{} { return b.interactions.Idle() }

// ComputersIdle reports whether no computer could play now.
func (b *Bot) ComputersIdle(ctx context.Context) (bool, error) { return b.computer.Idle(ctx) }

// ReconcilePending reports whether the reconciler is about to run without
// waiting for its tick.
func (b *Bot) ReconcilePending() bool { return b.publisher.Woken() }

// ReconcilerIdle returns a channel that can be received from while the
// reconciler waits for its next tick.
func (b *Bot) ReconcilerIdle() <-chan struct{} { return b.publisher.Idle() }

// acceptByHTTP serves an interaction whose first answer respond takes.
func (b *Bot) acceptByHTTP(i *discordgo.Interaction, respond func(contentType string, body []byte) error) (served <-chan struct{}) {
	b.client.RecordContact()
	return b.interactions.Accept(discord.WithHTTPResponse(b.work, i.ID, respond), i)
}

// inContact reports whether the bot is connected to the gateway or, without the
// gateway, in contact with Discord by requests. If several processes share the
// database, each shard must be connected in one of them. If they receive interactions
// over HTTP, one with that role must be in contact.
func (b *Bot) inContact(ctx context.Context) bool {
	own := b.Connection().Connected
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

// SinceContact returns how long ago Discord last answered a request or sent an
// interaction over HTTP: the longest duration before that and while the bot stops.
// direct says that there is no gateway connection, which Connection describes.
func (b *Bot) SinceContact() (d time.Duration, direct bool) {
	if b.stopping.Load() {
		return math.MaxInt64, !b.config.Roles.Gateway
	}
	return b.client.SinceContact(), !b.config.Roles.Gateway
}

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

	go b.peers.Listen(ctx, b.config.Peers)
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

// receive receives interactions and events until the context is done.
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

// ReceivingHTTP is the line of the log with the address of Config.Interactions.
const ReceivingHTTP = "receiving interactions over HTTP"

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
	b.log.Info(ReceivingHTTP, "address", b.config.Interactions.Addr().String(), "url", a.Endpoint)
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
	computers.Go(func() { b.computer.Run(ctx) })
	if b.config.Roles.Poster {
		b.publisher.Run(ctx)
	} else {
		b.publisher.RunEvents(ctx)
	}
	computers.Wait()
	return nil
}

// localize has a request answered in the languages of the person and the guild.
func (b *Bot) localize(ctx context.Context, r *interaction.Request) {
	b.languages.Saw(r.Person.ID, r.Locale)
	b.languages.Saw(r.Place.Guild, r.GuildLocale)
	r.Say = b.languages.Printer(ctx, "", r.Person.ID)
	if r.Public = r.Say; r.Place.Guild != "" {
		r.Public = b.languages.Printer(ctx, r.Place.Guild, "")
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
		b.interactions.Accept(b.work, e.Interaction)
		return
	case gateway.Replayed:
		b.interactions.AcceptReplayed(b.work, e.Interaction)
		return
	case *discordgo.GuildCreate:
		b.languages.Saw(e.ID, e.PreferredLocale)
	case *discordgo.GuildUpdate:
		b.languages.Saw(e.ID, e.PreferredLocale)
	}
	b.publisher.HandleEvent(event)
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
	timeout, release := b.timer(stopTimeout)
	defer release()
	recorded, releaseRecorded := b.timer(recordTimeout)
	defer releaseRecorded()
	for connection != nil || background != nil || idle != nil {
		select {
		case e := <-connection:
			b.config.Host.Stop()
			connection, idle, err = nil, b.interactions.Stop(), errors.Join(err, e)
		case e := <-background:
			background, err = nil, errors.Join(err, e)
		case <-idle:
			idle = nil
		case <-recorded:
			b.log.Warn("the store is slow; what waits for it is refused", "interactions", b.InProgress())
			b.config.Host.Close()
		case <-timeout:
			b.log.Warn("stopped with work in progress", "interactions", b.InProgress())
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
