package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"golang.org/x/sync/errgroup"

	"castellan/bot/sandbox"
	"castellan/storage/sqlite"
)

type sandboxCommand struct {
	Listen  string `default:"127.0.0.1:8080" help:"Loopback address to listen on (${default})." placeholder:"HOST:PORT"`
	DB      string `name:"db" default:":memory:" help:"Database file, created if missing (${default} keeps nothing)." placeholder:"FILE"`
	NoBot   bool   `name:"no-bot" help:"Start no bot: print what another one needs to connect."`
	Token   string `help:"Token of the bot, such as one that it already has (random if unset)." placeholder:"TOKEN"`
	Strict  bool   `help:"Refuse what Discord refuses: rate limits with the ban after too many invalid requests, locked and idle threads, nonces of deleted messages."`
	Verbose bool   `short:"v" help:"Log everything."`
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
	chat, err := sandbox.New(sandbox.Options{Base: "http://" + listener.Addr().String(), Token: c.Token, Strict: c.Strict, Logger: logger})
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
			_, err := fmt.Fprintf(s.out, "Sandbox: %s\nAPI: %[1]s/api\nApplication: %s\nToken: %s\n", chat.Base(), chat.ApplicationID(), chat.Token())
			if err == nil {
				<-ctx.Done()
			}
			return err
		})
	}

	store, err := sqlite.Open(ctx, c.DB)
	if err != nil {
		return err
	}
	defer store.Close()
	a, err := newApp(appConfig{token: chat.Token(), api: chat.Base(), store: store, logger: logger})
	if err != nil {
		return err
	}
	// The chat starts empty, so every board has to be posted again.
	if err := a.host.RepostAll(ctx); err != nil {
		return fmt.Errorf("marking the boards for posting: %w", err)
	}
	return serve(func(ctx context.Context) error {
		return a.run(ctx, func() error {
			_, err := fmt.Fprintf(s.out, "Castellan’s sandbox: %s\n", chat.Base())
			return err
		})
	})
}
