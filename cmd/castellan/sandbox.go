package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"castellan/bot"
	"castellan/bot/discord"
	"castellan/bot/sandbox"
	"castellan/cmd/internal/cli"
	"castellan/storage"
)

type sandboxCommand struct {
	Listen       string `default:"127.0.0.1:8080" help:"Loopback address to listen on (${default})." placeholder:"HOST:PORT"`
	DB           string `name:"db" default:":memory:" help:"Database, created if missing; it keeps the matches, not the chat (${default} keeps nothing)." placeholder:"FILE|URL"`
	Container    bool   `help:"Listen on the port of every address, because a container is reached from outside. Whoever reaches it can act as any user: publish the port to your own machine alone, under the same number, as docker run --publish 127.0.0.1:8080:8080 does."`
	NoBot        bool   `name:"no-bot" help:"Start no bot: print what another one needs to connect."`
	Token        string `help:"Token of the bot, such as one that it already has (random if unset)." placeholder:"TOKEN"`
	Interactions string `help:"Send interactions to this address by HTTP, as to bots without a connection; needs --no-bot." placeholder:"URL"`
	HTTP         bool   `name:"http" help:"Have Castellan get its interactions by HTTP, without a gateway connection."`
	Shards       int    `default:"1" help:"Recommend this number of shards to bots (${default})." placeholder:"N"`
	Permissions  int64  `help:"Permissions of the bot in its servers, as the number in its invitation link; 8 allows everything (those of Castellan if unset)." placeholder:"N"`
	Strict       bool   `help:"Refuse what Discord refuses: rate limits with the ban after too many invalid requests, locked and idle threads, nonces of deleted messages."`
	Unprivileged bool   `help:"The bot's application has no privileged intents: a bot that asks for members, presences or the content of messages is refused."`
	Verbose      bool   `short:"v" help:"Log everything."`
}

// Run serves the sandbox, and the bot in it, until the context is done.
func (c sandboxCommand) Run(ctx context.Context, s cli.Streams) error {
	if c.Interactions != "" && !c.NoBot {
		return errors.New("--interactions needs --no-bot: for Castellan itself there is --http")
	}
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelDebug
	}
	logger := slog.New(slog.NewTextHandler(s.Errs, &slog.HandlerOptions{Level: level}))
	listener, base, err := c.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	world := sandbox.DefaultWorld()
	world.Guild.BotPermissions = c.Permissions
	for i := range world.Guilds {
		world.Guilds[i].BotPermissions = c.Permissions
	}
	if c.Unprivileged {
		world.Application.WithoutIntents = privilegedIntents
	}
	clock, runBot := sandbox.NewClock(time.Now), c.anotherBot
	if !c.NoBot {
		store, err := openStore(ctx, c.DB, logger, func() {})
		if err != nil {
			return err
		}
		defer store.Close()
		if clock, err = clockFor(ctx, store); err != nil {
			return err
		}
		runBot = func(ctx context.Context, chat *sandbox.Sandbox, s cli.Streams) error {
			return c.castellan(ctx, chat, store, clock, logger, s)
		}
	}
	chat, err := sandbox.New(sandbox.Options{
		Base: base, Token: c.Token, World: world, Clock: clock, Strict: c.Strict, Shards: c.Shards,
		MaxConcurrency: c.concurrency(), Logger: logger,
	})
	if err != nil {
		return err
	}
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		if err := chat.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving the page: %w", err)
		}
		return nil
	})
	work.Go(func() error {
		// The bot stops first, because its last answers go through the chat.
		return errors.Join(runBot(ctx, chat, s), chat.Close())
	})
	return work.Wait()
}

// listen opens the port and returns the address by which it is used.
func (c sandboxCommand) listen() (l net.Listener, base string, err error) {
	if !c.Container {
		if l, err = sandbox.Listen(c.Listen); err == nil {
			base = "http://" + l.Addr().String()
		}
		return l, base, err
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if n, portErr := strconv.ParseUint(port, 10, 16); err != nil || !sandbox.IsLoopback(host) || portErr != nil || n == 0 {
		return nil, "", fmt.Errorf("--container needs the address by which your own machine reaches the container in --listen, such as 127.0.0.1:8080, not %q", c.Listen)
	}
	l, err = net.Listen("tcp", ":"+port)
	return l, "http://" + net.JoinHostPort(host, port), err
}

// castellan runs the bot until the context is done.
func (c sandboxCommand) castellan(ctx context.Context, chat *sandbox.Sandbox, store storage.Store, clock *sandbox.Clock, logger *slog.Logger, s cli.Streams) error {
	ticks := make(chan time.Time, 1)
	conf := bot.Config{Token: chat.Token(), Logger: logger, Ticks: ticks}
	go tick(ctx, ticks)
	chat.Share(timekeeper(store, clock, ticks))
	var err error
	if conf.API, err = url.Parse(chat.Base()); err != nil {
		return err
	}
	if c.HTTP {
		if conf.Interactions, err = sandbox.Listen("127.0.0.1:0"); err != nil {
			return err
		}
		defer conf.Interactions.Close()
		if conf.PublicKey, err = discord.ParsePublicKey(chat.PublicKey()); err != nil {
			return err
		}
		conf.NoGateway = true
	}
	a, err := newApp(appConfig{bot: conf, store: store, now: clock.Now})
	if err != nil {
		return err
	}
	// The chat starts empty, so every board has to be posted again.
	if err := a.host.RepostAll(ctx); err != nil {
		return fmt.Errorf("marking the boards for posting: %w", err)
	}
	return a.run(ctx, func() error {
		if c.HTTP {
			address := "http://" + conf.Interactions.Addr().String() + discord.EndpointPath
			if err := chat.SetInteractionsEndpoint(ctx, address); err != nil {
				return fmt.Errorf("setting the interactions endpoint: %w", err)
			}
		}
		_, err := fmt.Fprintf(s.Out, "Castellan’s sandbox: %s\n", chat.Base())
		return err
	})
}

// tick has the bot look for what is due every five seconds.
func tick(ctx context.Context, ticks chan<- time.Time) {
	every := time.NewTicker(5 * time.Second)
	defer every.Stop()
	for {
		select {
		case at := <-every.C:
			select {
			case ticks <- at:
			default: // one waits already
			}
		case <-ctx.Done():
			return
		}
	}
}

// clockFor returns the clock of the sandbox and its bot. If it was moved when the
// database was last used, it goes on from there.
func clockFor(ctx context.Context, store storage.Store) (*sandbox.Clock, error) {
	clock := sandbox.NewClock(clockOf(store))
	var last time.Time
	err := store.Report(ctx, func(r storage.Reader) (err error) {
		last, err = r.LastContact()
		return err
	})
	if ahead := last.Sub(clock.Now()); ahead > 0 {
		clock.Move(ahead)
	}
	return clock, err
}

// timekeeper returns how Castellan takes part when the clock is moved.
func timekeeper(store storage.Store, clock *sandbox.Clock, ticks chan<- time.Time) sandbox.Timekeeper {
	return sandbox.Timekeeper{
		Next: func(ctx context.Context) (next time.Time, err error) {
			err = store.Report(ctx, func(r storage.Reader) error {
				next, err = nextDue(r, clock.Now())
				return err
			})
			return next, err
		},
		Move: func(ctx context.Context, to time.Time) (func(), error) {
			// A gap without contact would be an outage, in which clocks stand still.
			err := store.Update(ctx, func(tx storage.Tx) error { return tx.RecordContact(to) })
			return func() {
				select {
				case ticks <- to:
				default:
				}
			}, err
		},
	}
}

// nextDue returns when the next match or tournament has to be looked at or the next
// challenge expires; the zero time if there are none.
func nextDue(r storage.Reader, now time.Time) (next time.Time, err error) {
	far := now.AddDate(100, 0, 0)
	due, err := r.Overdue(far, 1)
	if err != nil {
		return next, err
	}
	add := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	for _, id := range due.Matches {
		m, err := r.Match(id)
		if err != nil {
			return next, err
		}
		add(m.CheckAt)
	}
	for _, id := range due.Challenges {
		ch, err := r.Challenge(id)
		if err != nil {
			return next, err
		}
		add(ch.ExpiresAt)
	}
	_, at, err := r.DueTournaments(now, 1)
	if !at.IsZero() {
		add(at)
	}
	return next, err
}

// anotherBot prints what another bot needs to connect, and waits until the context is
// done.
func (c sandboxCommand) anotherBot(ctx context.Context, chat *sandbox.Sandbox, s cli.Streams) error {
	_, err := fmt.Fprintf(s.Out, "Sandbox: %s\nAPI: %[1]s/api\nApplication: %s\nToken: %s\nPublic key: %s\n",
		chat.Base(), chat.ApplicationID(), chat.Token(), chat.PublicKey())
	if err == nil && c.Interactions != "" {
		err = c.useEndpoint(ctx, chat, s)
	}
	if err == nil {
		<-ctx.Done()
	}
	return err
}

// concurrency returns how many shards may identify in five seconds. Of several it is
// as many as Discord allows large bots, so that they start at once; one alone is
// never refused, unless everything is that Discord refuses.
func (c sandboxCommand) concurrency() int {
	switch {
	case c.Shards > 1:
		return 16
	case c.Strict:
		return 1
	}
	return 0
}

// privilegedIntents are those that Discord enables on request: members, presences and
// the content of messages.
const privilegedIntents = 1<<1 | 1<<8 | 1<<15

// useEndpoint tries to verify the interactions endpoint until it is there.
func (c sandboxCommand) useEndpoint(ctx context.Context, chat *sandbox.Sandbox, s cli.Streams) error {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	said := ""
	for {
		err := chat.SetInteractionsEndpoint(ctx, c.Interactions)
		if err == nil {
			_, err = fmt.Fprintf(s.Out, "Interactions: %s\n", c.Interactions)
			return err
		}
		if err.Error() != said && ctx.Err() == nil {
			said = err.Error()
			if _, err := fmt.Fprintf(s.Errs, "waiting for the interactions endpoint: %s\n", said); err != nil {
				return err
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}
