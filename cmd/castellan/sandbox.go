package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"castellan/bot/discord/endpoint"
	"castellan/bot/sandbox"
)

type sandboxCommand struct {
	Listen       string `default:"127.0.0.1:8080" help:"Loopback address to listen on (${default})." placeholder:"HOST:PORT"`
	DB           string `name:"db" default:":memory:" help:"Database, created if missing; it keeps the matches, not the chat (${default} keeps nothing)." placeholder:"FILE|URL"`
	NoBot        bool   `name:"no-bot" help:"Start no bot: print what another one needs to connect."`
	Token        string `help:"Token of the bot, such as one that it already has (random if unset)." placeholder:"TOKEN"`
	Interactions string `help:"Send interactions to this address by HTTP, as to bots without a connection; needs --no-bot." placeholder:"URL"`
	HTTP         bool   `name:"http" help:"Have Castellan get its interactions by HTTP, without a gateway connection."`
	Shards       int    `default:"1" help:"Recommend this number of shards to bots (${default})." placeholder:"N"`
	Permissions  int64  `help:"Permissions of the bot in its servers, as the number in its invitation link; 8 allows everything (those of Castellan if unset)." placeholder:"N"`
	Tap          string `help:"Also serve pages on which boards are tapped, at this loopback address; panels link to them." placeholder:"HOST:PORT"`
	Strict       bool   `help:"Refuse what Discord refuses: rate limits with the ban after too many invalid requests, locked and idle threads, nonces of deleted messages."`
	Verbose      bool   `short:"v" help:"Log everything."`
}

// Run serves the sandbox, and the bot in it, until the context is done.
func (c sandboxCommand) Run(ctx context.Context, s streams) error {
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelDebug
	}
	logger := slog.New(slog.NewTextHandler(s.errs, &slog.HandlerOptions{Level: level}))

	listener, err := sandbox.Listen(c.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	world := sandbox.DefaultWorld()
	world.Guild.BotPermissions = c.Permissions
	for i := range world.Guilds {
		world.Guilds[i].BotPermissions = c.Permissions
	}
	chat, err := sandbox.New(sandbox.Options{Base: "http://" + listener.Addr().String(), Token: c.Token, World: world, Strict: c.Strict, Shards: c.Shards, MaxConcurrency: c.concurrency(), Logger: logger})
	if err != nil {
		return err
	}
	serve := func(bot func(context.Context) error) error {
		work, ctx := errgroup.WithContext(ctx)
		work.Go(func() error {
			if err := chat.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serving the page: %w", err)
			}
			return nil
		})
		work.Go(func() error {
			// The bot stops first, because its last answers go through the chat.
			return errors.Join(bot(ctx), chat.Close())
		})
		return work.Wait()
	}
	if c.NoBot {
		return serve(func(ctx context.Context) error {
			_, err := fmt.Fprintf(s.out, "Sandbox: %s\nAPI: %[1]s/api\nApplication: %s\nToken: %s\nPublic key: %s\n",
				chat.Base(), chat.ApplicationID(), chat.Token(), chat.PublicKey())
			if err == nil && c.Interactions != "" {
				err = c.useEndpoint(ctx, chat, s)
			}
			if err == nil {
				<-ctx.Done()
			}
			return err
		})
	}
	if c.Interactions != "" {
		return errors.New("--interactions needs --no-bot: for Castellan itself there is --http")
	}

	store, err := openStore(ctx, c.DB, logger, func() {})
	if err != nil {
		return err
	}
	defer store.Close()
	conf := appConfig{token: chat.Token(), api: chat.Base(), store: store, logger: logger}
	var taps net.Listener
	if c.Tap != "" {
		if taps, err = sandbox.Listen(c.Tap); err != nil {
			return err
		}
		defer taps.Close()
		conf.tapAddress = "http://" + taps.Addr().String()
	}
	if c.HTTP {
		if conf.interactions, err = sandbox.Listen("127.0.0.1:0"); err != nil {
			return err
		}
		defer conf.interactions.Close()
		if conf.publicKey, err = endpoint.ParsePublicKey(chat.PublicKey()); err != nil {
			return err
		}
		conf.noGateway = true
	}
	a, err := newApp(conf)
	if err != nil {
		return err
	}
	if taps != nil {
		defer serveHTTP(taps, a.bot.TapHandler())()
	}
	// The chat starts empty, so every board has to be posted again.
	if err := a.host.RepostAll(ctx); err != nil {
		return fmt.Errorf("marking the boards for posting: %w", err)
	}
	return serve(func(ctx context.Context) error {
		return a.run(ctx, func() error {
			if c.HTTP {
				address := "http://" + conf.interactions.Addr().String() + endpoint.Path
				if err := chat.SetInteractionsEndpoint(ctx, address); err != nil {
					return fmt.Errorf("setting the interactions endpoint: %w", err)
				}
			}
			_, err := fmt.Fprintf(s.out, "Castellan’s sandbox: %s\n", chat.Base())
			return err
		})
	})
}

// concurrency returns how many shards may identify in five seconds. Of several it is
// as many as Discord allows large bots, so that they start at once; one alone is
// never refused.
func (c sandboxCommand) concurrency() int {
	if c.Shards > 1 {
		return 16
	}
	return 0
}

// useEndpoint tries to verify the interactions endpoint until it is there.
func (c sandboxCommand) useEndpoint(ctx context.Context, chat *sandbox.Sandbox, s streams) error {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	said := ""
	for {
		err := chat.SetInteractionsEndpoint(ctx, c.Interactions)
		if err == nil {
			_, err = fmt.Fprintf(s.out, "Interactions: %s\n", c.Interactions)
			return err
		}
		if err.Error() != said && ctx.Err() == nil {
			said = err.Error()
			if _, err := fmt.Fprintf(s.errs, "waiting for the interactions endpoint: %s\n", said); err != nil {
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
