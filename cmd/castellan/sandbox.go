package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"golang.org/x/sync/errgroup"

	"castellan/bot/sandbox"
	"castellan/storage/sqlite"
)

type sandboxCommand struct {
	Listen  string `default:"127.0.0.1:8080" help:"Address to listen on, of this machine only (${default})." placeholder:"HOST:PORT"`
	DB      string `name:"db" default:":memory:" help:"Database file, made if it is not there (${default} keeps nothing)." placeholder:"FILE"`
	NoBot   bool   `name:"no-bot" help:"Start no bot: print what another one needs to connect."`
	Verbose bool   `short:"v" help:"Log everything."`
}

// Run plays until the context is done.
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
	if c.NoBot {
		return c.runAlone(ctx, s, listener, logger)
	}
	store, err := sqlite.Open(ctx, c.DB)
	if err != nil {
		return err
	}
	defer store.Close()

	chat, err := sandbox.New(sandbox.Options{Base: "http://" + listener.Addr().String(), Logger: logger})
	if err != nil {
		return err
	}
	keeper, err := newKeeper(keeperConfig{token: chat.Token(), api: chat.Base(), store: store, logger: logger})
	if err != nil {
		return err
	}
	// The chat starts empty, so every board is wanted again.
	if err := keeper.host.RepostAll(ctx); err != nil {
		return fmt.Errorf("making the boards due: %w", err)
	}

	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		if err := chat.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving the page: %w", err)
		}
		return nil
	})
	work.Go(func() error {
		// The bot stops first: what it finishes, it answers through the chat.
		defer chat.Close()
		return keeper.bot.Run(ctx)
	})
	work.Go(func() error {
		select {
		case <-keeper.bot.Ready():
			_, err := fmt.Fprintf(s.out, "Castellan’s sandbox: %s\n", chat.Base())
			return err
		case <-ctx.Done():
			return nil
		}
	})
	return work.Wait()
}

// runAlone serves the sandbox for any bot that is pointed at it. What it
// prints are the values that differ from Discord's.
func (c sandboxCommand) runAlone(ctx context.Context, s streams, listener net.Listener, logger *slog.Logger) error {
	chat, err := sandbox.New(sandbox.Options{Base: "http://" + listener.Addr().String(), Logger: logger})
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
		<-ctx.Done()
		return chat.Close()
	})
	_, err = fmt.Fprintf(s.out, "Sandbox: %s\nAPI: %[1]s/api\nApplication: %s\nToken: %s\n", chat.Base(), chat.ApplicationID(), chat.Token())
	if err != nil {
		return errors.Join(err, chat.Close())
	}
	return work.Wait()
}
