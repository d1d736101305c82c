package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"castellan/bot"
	"castellan/bot/catalogue"
	"castellan/bot/cluster"
	"castellan/bot/host"
	"castellan/bot/metrics"
	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/games"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// app is the bot with everything it needs except Discord.
type app struct {
	host    *host.Host
	bot     *bot.Bot
	jobs    storage.JobRunner
	cluster *cluster.Cluster // nil without other processes
}

type appConfig struct {
	bot     bot.Config // without what newApp adds: the use cases, the games, the texts, other processes
	store   storage.Store
	limits  host.Limits      // the defaults if zero
	metrics *metrics.Metrics // optional
	now     func() time.Time // the store's clock if nil
	process string           // names this process for the others on the database; empty if there are none
}

// newApp assembles the bot without starting it.
func newApp(c appConfig) (*app, error) {
	known, err := games.Registry()
	if err != nil {
		return nil, err
	}
	renderer, err := games.Renderer()
	if err != nil {
		return nil, err
	}
	texts, err := catalogue.New(known.Games()...)
	if err != nil {
		return nil, fmt.Errorf("reading the texts: %w", err)
	}
	logger, store := c.bot.Logger, c.store
	if c.now == nil {
		c.now = clockOf(store)
	}
	if c.metrics != nil {
		store, c.bot.Observer = c.metrics.WrapStore(store), c.metrics.Observer()
	}
	a := &app{host: host.New(host.Config{
		Store: store, Games: known, Logger: logger, Seed: rand.Uint64, Limits: c.limits,
		Now: c.now, Engines: games.Engines(),
	})}
	if c.process != "" {
		a.cluster = cluster.New(cluster.Config{Store: store, Process: c.process, Logger: logger})
	}
	all := a.host.Jobs()
	if c.metrics != nil {
		all = c.metrics.WrapJobs(all)
	}
	a.jobs = &sqlite.Jobs{Jobs: all, Logger: logger, Backoff: host.Backoff}
	c.bot.Host, c.bot.Games, c.bot.Renderer, c.bot.Cluster = a.host, known, renderer, a.cluster
	c.bot.Catalogue = texts.Reporting(func(key string, err error) {
		logger.Error("a text is incomplete", "key", key, "error", err)
		if c.metrics != nil {
			c.metrics.ObserveText()
		}
	})
	c.bot.Peers, _ = c.store.(storage.Peers)
	a.bot, err = bot.New(c.bot)
	return a, err
}

func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "castellan"
	}
	return fmt.Sprintf("%s-%08x", host, rand.Uint32())
}

// left describes, for the log, what is left for others or the next start.
func (a *app) left(store storage.Store) []any {
	left := []any{"unanswered", a.bot.Status().InProgress}
	counted := make(chan []any, 1)
	go func() { // on a disk that hangs it never returns
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = store.Report(ctx, func(r storage.Reader) error {
			c, err := r.Counts(clockOf(store)())
			if err == nil {
				counted <- []any{"boards_due", c.PendingBoards, "challenges_due", c.PendingChallenges, "computer_turns", c.ComputerTurns}
			}
			return err
		})
	}()
	select {
	case counts := <-counted:
		return append(left, counts...)
	case <-time.After(time.Second):
		return left
	}
}

// run runs the bot until the context is done, and calls ready once its commands
// are registered.
func (a *app) run(ctx context.Context, ready func() error) error {
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error { return a.bot.Run(ctx) })
	if a.cluster != nil {
		work.Go(func() error { a.cluster.Announce(ctx, a.bot.Roles().String(), cli.ThisBuild().Version); return nil })
	}
	if a.bot.Roles().Worker {
		work.Go(func() error { return a.jobs.Run(ctx) })
	}
	work.Go(func() error {
		select {
		case <-a.bot.Ready():
			return ready()
		case <-ctx.Done():
			return nil
		}
	})
	return work.Wait()
}

// clockOf returns the clock of a store's times: that of its server, which all processes
// share, or this machine's, in UTC.
func clockOf(s storage.Store) func() time.Time {
	if p, ok := s.(storage.Peers); ok {
		return p.Now
	}
	return func() time.Time { return time.Now().UTC() }
}
