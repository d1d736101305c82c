package main

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"castellan/bot"
	"castellan/bot/catalogue"
	"castellan/bot/chores"
	"castellan/bot/cluster"
	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/bot/host"
	"castellan/bot/host/verify"
	"castellan/bot/interaction"
	"castellan/bot/metrics"
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/queue"
	"castellan/storage/sqlite"
	"castellan/storage/transfer"
)

type runCommand struct {
	Config string   `short:"c" env:"CASTELLAN_CONFIG" help:"Configuration file; config.example.toml explains every key. The defaults if left out." placeholder:"FILE"`
	Role   []string `help:"What this process does, of several on one PostgreSQL database: any of gateway, http, poster and worker, separated by commas. Everything if left out." placeholder:"ROLE"`
}

// Run serves Discord until the context is done.
func (c runCommand) Run(ctx context.Context, s streams) error {
	conf, err := loadConfig(c.Config)
	if err != nil {
		return err
	}
	database := cmp.Or(os.Getenv(databaseVariable), conf.URL, conf.Database)
	named := c.Role
	if len(named) == 0 {
		named = conf.Roles
	}
	roles, err := conf.roles(named, database)
	if err != nil {
		return &usageError{err}
	}
	token, err := readToken(os.Getenv(tokenVariable), conf.TokenFile)
	if err != nil {
		return &usageError{err}
	}
	listener, err := listenOn(conf.Listen, "listen under [http]")
	if err != nil {
		return err
	}
	if listener != nil {
		defer listener.Close()
	}
	var interactions net.Listener
	if roles.HTTP {
		interactions, err = listenOn(conf.Interactions, "address under [interactions]")
		if err != nil {
			return err
		}
		defer interactions.Close()
	}
	logger := conf.logger(s.errs)
	counts := metrics.New(build())
	process := processName()
	logger.Info("castellan starts", "version", build().Version, "roles", roles.String(), "process", process)
	store, err := openStore(ctx, database, logger, counts.ObserveRerun, postgres.OnSignal(counts.ObserveSignal))
	if err != nil {
		return err
	}
	var left []any
	defer func() {
		if left != nil {
			logger.Info("castellan has stopped", left...)
		}
	}()
	late := make(chan struct{})
	defer context.AfterFunc(ctx, func() { time.AfterFunc(shutdownTimeout, func() { close(late) }) })()
	defer closeStore(store, late, logger)
	if file, ok := store.(*sqlite.Store); ok && file.Restored() {
		altered, err := verify.Logs(ctx, store)
		if err != nil {
			return fmt.Errorf("checking the restored database: %w", err)
		}
		for _, a := range altered {
			logger.Error("a match of the restored backup is stopped; an older backup may have it unaltered", "match", a.Match, "error", a)
		}
		logger.Info("checked the restored backup", "altered", len(altered))
	}
	ac := appConfig{
		token: token, guilds: conf.Guilds, noThreads: !conf.Threads, requestsPerSecond: conf.RequestsPerSecond, shards: conf.Shards,
		limits: conf.Limits, flood: conf.Flood, store: store, logger: logger,
		interactions: interactions, publicKey: conf.PublicKey, noGateway: !conf.Gateway, roles: roles,
	}
	if transfer.IsURL(database) {
		ac.process = process
	}
	if conf.API != discordAPI {
		ac.api = conf.API
	}
	if listener != nil {
		ac.metrics = counts
	}
	a, err := newApp(ac)
	if err != nil {
		return err
	}
	if server, ok := store.(*postgres.Store); ok {
		shared, err := queue.Open(ctx, queue.Config{Store: server, Chores: chores.Of(a.host), Wrap: counts.WrapChores, Logger: logger, Backoff: chores.Backoff})
		if err != nil {
			return err
		}
		defer shared.Close()
		a.chores = shared
	}
	if listener != nil {
		handler, err := ac.metrics.Handler(metrics.Sources{Bot: a.bot, Store: store, Now: clockOf(store), Process: ac.process})
		if err != nil {
			return err
		}
		ac.logger.Info("serving metrics and health", "address", listener.Addr().String())
		stop := serveHTTP(listener, handler)
		defer stop()
	}
	err = a.run(ctx, func() error {
		if !roles.Receives() {
			_, err := fmt.Fprintf(s.out, "Castellan is at work as %s.\n", roles)
			return err
		}
		_, err := fmt.Fprintf(s.out, "Castellan is connected. Invite it to a server: %s\n", a.bot.Invite())
		return err
	})
	left = a.left(store)
	return wrongToken(err)
}

// wrongToken returns a usage error if err says that Discord refuses the token, so that
// a supervisor does not start the process again and again; otherwise err.
func wrongToken(err error) error {
	var fatal *gateway.FatalError
	var refused *discord.Error
	switch {
	case errors.As(err, &fatal) && strings.HasPrefix(fatal.Advice, gateway.TokenRefused):
		return &usageError{err}
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && fatal == nil:
		return &usageError{&gateway.FatalError{Advice: gateway.TokenRefused, Err: err}}
	}
	return err
}

// shutdownTimeout is how long the process takes to end after a signal, at most.
const shutdownTimeout = 10 * time.Second

// closeStore closes the store, unless the disk hangs until late is closed. Then the
// database is as after a crash.
func closeStore(s io.Closer, late <-chan struct{}, log *slog.Logger) {
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			log.Error("closing the database", "error", err)
		}
	case <-late:
		log.Error("the disk does not respond; ended without closing the database, as after a crash")
	}
}

// logger returns a logger with the configured level and format.
func (c config) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == formatJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// app is the bot with everything it needs except Discord.
type app struct {
	host    *host.Host
	bot     *bot.Bot
	chores  storage.ChoreRunner
	cluster *cluster.Cluster // nil without other processes
}

type appConfig struct {
	token             string
	api               string            // base address of the API; Discord's own if empty
	guilds            []string          // where commands are registered; globally if empty
	limits            host.Limits       // the defaults if zero
	flood             interaction.Flood // the defaults if zero
	store             storage.Store
	logger            *slog.Logger
	noThreads         bool             // play matches in the channel of their challenge
	requestsPerSecond int              // 0 means the default
	shards            int              // see bot.Config
	metrics           *metrics.Metrics // optional
	tapAddress        string           // see bot.Config
	interactions      net.Listener     // see bot.Config; nil without interactions over HTTP
	publicKey         ed25519.PublicKey
	noGateway         bool
	roles             bot.Roles // see bot.Config
	process           string    // names this process for the others on the database; empty if there are none
}

// newApp assembles the bot without starting it.
func newApp(c appConfig) (*app, error) {
	known, err := registry()
	if err != nil {
		return nil, err
	}
	renderer, err := pictures()
	if err != nil {
		return nil, err
	}
	texts, err := catalogue.New(known.Games()...)
	if err != nil {
		return nil, fmt.Errorf("reading the texts: %w", err)
	}
	var api *url.URL
	if c.api != "" {
		if api, err = url.Parse(c.api); err != nil {
			return nil, fmt.Errorf("the address of the API: %w", err)
		}
	}
	peers, _ := c.store.(storage.Peers)
	store, observer := c.store, bot.Observer{}
	if c.metrics != nil {
		store, observer = c.metrics.WrapStore(store), c.metrics.Observer()
	}
	h := host.New(host.Config{
		Store: store, Games: known, Logger: c.logger, Seed: rand.Uint64, Limits: c.limits,
		Now: clockOf(c.store), Engines: slices.Collect(maps.Values(engines())),
	})
	var others *cluster.Cluster
	if c.process != "" {
		others = cluster.New(cluster.Config{Store: store, Process: c.process, Logger: c.logger})
	}
	b, err := bot.New(bot.Config{
		Token: c.token, API: api, Host: h, Games: known, Renderer: renderer, Catalogue: texts, Logger: c.logger,
		Guilds: c.guilds, Flood: c.flood, NoThreads: c.noThreads, RequestsPerSecond: c.requestsPerSecond, Shards: c.shards, Observer: observer, TapAddress: c.tapAddress,
		Interactions: c.interactions, PublicKey: c.publicKey, NoGateway: c.noGateway, Roles: c.roles, Cluster: others, Peers: peers,
	})
	if err != nil {
		return nil, err
	}
	all := chores.Of(h)
	if c.metrics != nil {
		all = c.metrics.WrapChores(all)
	}
	return &app{host: h, bot: b, chores: chores.NewLocal(all, c.logger, nil), cluster: others}, nil
}

// processName returns a name that no other process has.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "castellan"
	}
	return fmt.Sprintf("%s-%08x", host, rand.Uint32())
}

// left describes, for the log, what is left for others or the next start.
func (a *app) left(store storage.Store) []any {
	left := []any{"unanswered", a.bot.InProgress()}
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
		work.Go(func() error { a.cluster.Announce(ctx, a.bot.Roles().String(), build().Version); return nil })
	}
	if a.bot.Roles().Worker {
		work.Go(func() error { return a.chores.Run(ctx) })
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

// tokenVariable names the environment variable that holds the bot token.
const tokenVariable = "CASTELLAN_TOKEN"

// maxToken is the size limit of a token file in bytes, far above any token.
const maxToken = 4096

var errNoToken = errors.New(`there is no bot token. To get one:

  1. Open https://discord.com/developers/applications and choose New Application.
  2. On the page Bot of the application, choose Reset Token and copy the token.
     Whoever has it can act as your bot: show it to nobody.
  3. Start castellan run with the token in the environment variable ` + tokenVariable + `,
     or put it alone into a file that token_file in the configuration names.

docs/installing.md goes through all of it. To try Castellan without a token:

  castellan sandbox`)

// readToken returns the bot token from the environment or, if that is empty,
// from a file. No error contains the token.
func readToken(environment, file string) (string, error) {
	if token := strings.TrimSpace(environment); token != "" {
		return checkToken(token, tokenVariable)
	}
	if file == "" {
		return "", errNoToken
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("opening the token file (token_file): %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return "", fmt.Errorf("reading the token file (token_file): %w", err)
	}
	if len(data) > maxToken {
		return "", fmt.Errorf("%s holds no token: it has more than %d bytes", file, maxToken)
	}
	return checkToken(strings.TrimSpace(string(data)), file)
}

// checkToken rejects what cannot be a token with a better message than
// Discord's.
func checkToken(token, from string) (string, error) {
	switch {
	case token == "":
		return "", fmt.Errorf("%s is empty: it should hold the bot token", from)
	case strings.HasPrefix(strings.ToLower(token), "bot "):
		return "", fmt.Errorf("%s should hold the token alone, without the word Bot before it", from)
	case strings.IndexFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) >= 0:
		return "", fmt.Errorf("%s holds no token: a token has no spaces and only ASCII characters", from)
	}
	return token, nil
}
