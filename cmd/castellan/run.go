package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"golang.org/x/sync/errgroup"

	"castellan/bot/metrics"
	"castellan/storage/sqlite"
)

type runCommand struct {
	Config string `short:"c" env:"CASTELLAN_CONFIG" help:"Configuration file; config.example.toml explains every key. The defaults if left out." placeholder:"FILE"`
}

// Run serves Discord until the context is done.
func (c runCommand) Run(ctx context.Context, s streams) error {
	conf, err := loadConfig(c.Config)
	if err != nil {
		return err
	}
	token, err := readToken(os.Getenv(tokenVariable), conf.TokenFile)
	if err != nil {
		return &usageError{err}
	}
	logger := conf.logger(s.errs)
	listener, err := conf.listen()
	if err != nil {
		return err
	}
	if listener != nil {
		defer listener.Close()
	}
	store, err := sqlite.Open(ctx, conf.Database)
	if err != nil {
		return err
	}
	defer store.Close()
	var figures *metrics.Metrics
	if listener != nil {
		figures = metrics.New(build())
	}
	keeper, err := newKeeper(keeperConfig{
		token: token, api: conf.apiOverride(), servers: conf.Guilds, noThreads: !conf.Threads,
		limits: conf.Limits, flood: conf.Flood, store: store, logger: logger, metrics: figures,
	})
	if err != nil {
		return err
	}

	work, ctx := errgroup.WithContext(ctx)
	if listener != nil {
		handler, err := figures.Handler(metrics.Sources{Bot: keeper.bot, Store: store, Now: now})
		if err != nil {
			return err
		}
		logger.Info("serving figures and health", "address", listener.Addr().String())
		stop := serveHTTP(listener, handler)
		defer stop()
	}
	work.Go(func() error { return keeper.bot.Run(ctx) })
	work.Go(func() error {
		select {
		case <-keeper.bot.Ready():
			_, err := fmt.Fprintf(s.out, "Castellan is connected. Invite it to a server: %s\n", keeper.bot.Invite())
			return err
		case <-ctx.Done():
			return nil
		}
	})
	return work.Wait()
}

// base is the address of another API than Discord's own, empty for Discord's.
func (c config) apiOverride() string {
	if c.API == discordAPI {
		return ""
	}
	return c.API
}

// logger writes as the configuration says.
func (c config) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == formatJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
