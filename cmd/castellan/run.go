package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"castellan/bot"
	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/bot/host/verify"
	"castellan/bot/metrics"
	"castellan/cmd/internal/cli"
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/jobs"
	"castellan/storage/sqlite"
	"castellan/storage/transfer"
)

type runCommand struct {
	Config string   `short:"c" env:"CASTELLAN_CONFIG" help:"Configuration file; config.example.toml explains every key. The defaults if left out." placeholder:"FILE"`
	Role   []string `help:"What this process does, of several on one PostgreSQL database: any of gateway, http, poster and worker, separated by commas. Everything if left out." placeholder:"ROLE"`
}

// Run serves Discord until the context is done.
func (c runCommand) Run(ctx context.Context, s cli.Streams) (err error) {
	conf, database, err := c.config()
	if err != nil {
		return err
	}
	listener, err := listenOn(conf.Listen, "listen under [http]")
	if err != nil {
		return err
	}
	if listener != nil {
		defer listener.Close()
	}
	if conf.bot.Roles.HTTP {
		if conf.bot.Interactions, err = listenOn(conf.Interactions, "address under [interactions]"); err != nil {
			return err
		}
		defer conf.bot.Interactions.Close()
	}
	logger, counts, process := conf.logger(s.Errs), metrics.New(metrics.Build(cli.ThisBuild())), processName()
	conf.bot.Logger = logger
	if limit := descriptorLimit(); limit < minDescriptors {
		logger.Warn("this process may have so few files and connections open that it will fail under load: raise the limit (ulimit -n, LimitNOFILE in systemd)", "limit", limit, "needed", minDescriptors)
	}
	if conf.tokenOpen() {
		logger.Warn("everybody on this machine can read the token file, and whoever has the token is the bot: chmod o-r", "file", conf.tokenFile())
	}
	logger.Info("castellan starts", "version", cli.ThisBuild().Version, "roles", conf.bot.Roles.String(), "process", process)
	if _, err := os.Stat(database); errors.Is(err, os.ErrNotExist) && database != sqlite.Memory && !transfer.IsURL(database) {
		logger.Info("there is no database yet: a new one is created", "file", database)
	}
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
	if err := checkRestored(ctx, store, logger); err != nil {
		return err
	}
	ac := appConfig{bot: conf.bot, store: store, limits: conf.Limits}
	if transfer.IsURL(database) {
		ac.process = process
	}
	if listener != nil {
		ac.metrics = counts
	}
	a, err := newApp(ac)
	if err != nil {
		return err
	}
	if server, ok := store.(*postgres.Store); ok {
		shared, err := jobs.Open(ctx, jobs.Config{Store: server, Jobs: a.host.Jobs(), Wrap: counts.WrapJobs, Logger: logger})
		if err != nil {
			return err
		}
		defer shared.Close()
		a.jobs = shared
	}
	if listener != nil {
		handler, err := counts.Handler(metrics.Sources{Bot: a.bot, Store: store, Now: clockOf(store), Process: ac.process, Hosts: append(conf.Hosts, listenHost(conf.Listen))})
		if err != nil {
			return err
		}
		logger.Info("serving metrics and health", "address", listener.Addr().String())
		defer serveHTTP(listener, handler)()
	}
	err = a.run(ctx, func() error {
		if roles := a.bot.Roles(); !roles.Receives() {
			_, err := fmt.Fprintf(s.Out, "Castellan is at work as %s.\n", roles)
			return err
		}
		_, err := fmt.Fprintf(s.Out, "Castellan is connected. Invite it to a server: %s\n", a.bot.Invite())
		return err
	})
	left = a.left(store)
	return wrongToken(err)
}

// runConfig is the configuration of castellan run, with what it means for the bot.
type runConfig struct {
	config
	bot bot.Config
}

// config reads the configuration, the environment and the token. It returns the name of
// the database, too.
func (c runCommand) config() (conf runConfig, database string, err error) {
	if conf.config, err = loadConfig(c.Config); err != nil {
		return conf, "", err
	}
	database = conf.database()
	named := c.Role
	if len(named) == 0 {
		named = conf.Roles
	}
	conf.bot = bot.Config{
		Guilds: conf.Guilds, Operators: conf.Operators, NoThreads: !conf.Threads, RequestsPerSecond: conf.RequestsPerSecond, Shards: conf.Shards,
		Flood: conf.Flood, PublicKey: conf.PublicKey, NoGateway: !conf.Gateway,
	}
	if conf.bot.Roles, err = conf.roles(named, database); err != nil {
		return conf, "", cli.Usage(err)
	}
	if conf.bot.Token, err = conf.token(); err != nil {
		return conf, "", cli.Usage(err)
	}
	if conf.API != discordAPI {
		conf.bot.API, err = url.Parse(conf.API)
	}
	return conf, database, err
}

// checkRestored checks the logs of a file that was restored from a backup while the bot
// was stopped. Matches whose logs were altered are stopped.
func checkRestored(ctx context.Context, store storage.Store, logger *slog.Logger) error {
	if file, ok := store.(*sqlite.Store); !ok || !file.Restored() {
		return nil
	}
	altered, err := verify.Logs(ctx, store)
	if err != nil {
		return fmt.Errorf("checking the restored database: %w", err)
	}
	for _, a := range altered {
		logger.Error("a match of the restored backup is stopped; an older backup may have it unaltered", "match", a.Match, "error", a)
	}
	logger.Info("checked the restored backup", "altered", len(altered))
	return nil
}

// wrongToken returns a usage error if err says that Discord refuses the token, so that
// a supervisor does not start the process again and again; otherwise err.
func wrongToken(err error) error {
	var fatal *gateway.FatalError
	var refused *discord.Error
	switch {
	case errors.As(err, &fatal) && strings.HasPrefix(fatal.Advice, gateway.TokenRefused):
		return cli.Usage(err)
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && fatal == nil:
		return cli.Usage(&gateway.FatalError{Advice: gateway.TokenRefused, Err: err})
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

// tokenVariable names the environment variable that holds the bot token, and
// tokenFileVariable one that names a file with it, which replaces that of the
// configuration.
const (
	tokenVariable     = "CASTELLAN_TOKEN"
	tokenFileVariable = "CASTELLAN_TOKEN_FILE"
)

// maxToken is the size limit of a token file in bytes, far above any token.
const maxToken = 4096

var errNoToken = errors.New(`there is no bot token. To get one:

  1. Open https://discord.com/developers/applications and choose New Application.
  2. On the page Bot of the application, choose Reset Token and copy the token.
     Whoever has it can act as your bot: show it to nobody.
  3. castellan setup asks for it, checks it and writes the configuration. Or start
     castellan run with the token in the environment variable ` + tokenVariable + `,
     or alone in the file that token_file in the configuration names.

docs/host/installing.md goes through all of it. To try Castellan without a token:

  castellan sandbox`)

// minDescriptors is how many file descriptors a process needs: about 30 for a file, or
// for PostgreSQL, those of the gateway, and of requests to Discord, and from it over HTTP.
const minDescriptors = 256

// descriptorLimit returns how many file descriptors this process may have, a large number
// if the system does not say.
func descriptorLimit() uint64 {
	limits, _ := os.ReadFile("/proc/self/limits")
	if m := openFiles.FindSubmatch(limits); m != nil {
		if n, err := strconv.ParseUint(string(m[1]), 10, 64); err == nil {
			return n
		}
	}
	return math.MaxUint64 // unlimited, or not Linux
}

var openFiles = regexp.MustCompile(`(?m)^Max open files +(\d+)`)

// tokenOpen reports whether the token comes from a file that everybody on this machine can
// read. Files that orchestrators put in place often are like that, so it is no error.
func (c config) tokenOpen() bool {
	info, err := os.Stat(c.tokenFile())
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o004 != 0 && strings.TrimSpace(os.Getenv(tokenVariable)) == ""
}

// tokenFile returns the name of the file with the token, or "".
func (c config) tokenFile() string { return cmp.Or(os.Getenv(tokenFileVariable), c.TokenFile) }

// token returns the bot token.
func (c config) token() (string, error) { return readToken(os.Getenv(tokenVariable), c.tokenFile()) }

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
