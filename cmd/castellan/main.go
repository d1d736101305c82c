// Command castellan is a Discord bot that hosts strategy games. It shows boards
// as pictures, keeps every match in a database, and can be tried in a sandbox
// without Discord.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"castellan/bot/metrics"
	"castellan/engine/search"
	"castellan/imaging/draw"
)

// commands describes the command line.
type commands struct {
	Sandbox     sandboxCommand     `cmd:"" help:"Play in a browser, without Discord: starts the bot against a stand-in for Discord on this machine."`
	Run         runCommand         `cmd:"" help:"Start the bot on Discord."`
	CheckConfig checkConfigCommand `cmd:"" help:"Check a configuration file, and list every mistake in it."`
	Health      healthCommand      `cmd:"" help:"Ask a running bot for its health; for supervisors."`
	Shards      shardsCommand      `cmd:"" help:"Show the shards of a running bot: their connections to Discord."`
	Processes   processesCommand   `cmd:"" help:"List the processes of a bot on PostgreSQL: their roles, versions, and when they were last heard of."`
	Backup      backupCommand      `cmd:"" help:"Copy a database to a file, also while the bot is running."`
	Migrate     migrateCommand     `cmd:"" help:"Copy a database from a file to PostgreSQL, or back."`
	Verify      verifyCommand      `cmd:"" help:"Replay every match of a database, such as a backup, and report faults."`
	Ratings     ratingsCommand     `cmd:"" help:"Manage the stored ratings."`
	Jobs        jobsCommand        `cmd:"" help:"Show the jobs of a bot on PostgreSQL, or start one."`
	Forget      forgetCommand      `cmd:"" help:"Delete the data of a person, as they can with /privacy."`
	Load        loadCommand        `cmd:"" help:"Measure response times when many people play at once, in a sandbox on this machine."`
	Plan        planCommand        `cmd:"" help:"Estimate what a bot of some size needs: requests, cores, disk and money; docs/scaling.md explains it."`
	Acknowledge acknowledgeCommand `cmd:"" hidden:"" help:"Run the bot that castellan load compares with."`
	Engine      engineCommand      `cmd:"" help:"Play a game for other programs, on standard input and output; docs/engine-protocol.md describes the protocol."`
	Arena       arenaCommand       `cmd:"" help:"Match computer players and say who is stronger, and how sure that is; docs/arena.md describes the report."`
	Render      renderCommand      `cmd:"" help:"Draw the board of a game after some turns as a PNG file."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

// Exit codes. A second signal kills the process, which shells report as 128 plus
// the signal's number.
const (
	exitOK    = 0 // success, or shut down by a signal
	exitError = 1 // failure
	exitUsage = 2 // mistake in the command line or the configuration
)

const description = `Castellan hosts strategy games in Discord.

Try it without Discord:

  castellan sandbox

prints an address; open it in a browser, type /challenge, and play both sides.
On Discord itself it runs with a bot token in CASTELLAN_TOKEN:

  castellan run

Draw any position:

  castellan render --game trails --turns "right left right up down left" --out board.png`

func main() {
	os.Exit(withSignals(func(ctx context.Context) int {
		return run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}))
}

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) (code int) {
	type exit int
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exit:
			code = int(p)
		default:
			panic(p)
		}
	}()
	var c commands
	parser, err := kong.New(&c,
		kong.Name("castellan"), kong.Description(description), kong.UsageOnError(),
		kong.Writers(out, errs), kong.Exit(func(n int) { panic(exit(n)) }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(streams{out, errs}),
		kong.Vars{"games": strings.Join(keys(), ", "), "levels": strings.Join(search.LevelKeys, ", "), "themes": strings.Join(draw.Themes(), ",")},
	)
	if err != nil {
		fmt.Fprintln(errs, "castellan:", err)
		return exitError
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(errs, "castellan: %v\nTry castellan --help.\n", err)
		return exitUsage
	}
	if err := chosen.Run(); err != nil {
		fmt.Fprintln(errs, "castellan:", err)
		var usage *usageError
		if errors.As(err, &usage) {
			return exitUsage
		}
		return exitError
	}
	return exitOK
}

// streams holds the outputs of a command: results go to out, everything else to
// errs.
type streams struct{ out, errs io.Writer }

// usageError reports a mistake in the command line or the configuration.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

// withSignals calls a function with a context that the first SIGTERM or
// interrupt cancels. After that, signals have their default effect, so that a
// second one ends the process.
func withSignals(do func(context.Context) int) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
			// Restore the default effect before the shutdown becomes visible.
			signal.Stop(signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	return do(ctx)
}

type versionCommand struct{}

// Run prints the version, the revision that it was built from and the Go
// version.
func (versionCommand) Run(s streams) error {
	b := build()
	v := b.Version
	if b.Revision != "" {
		v += " " + b.Revision
	}
	_, err := fmt.Fprintf(s.out, "castellan %s %s %s/%s\n", v, b.GoVersion, runtime.GOOS, runtime.GOARCH)
	return err
}

// version and revision are set by the linker; see .ci/build.
var version, revision string

// build returns the version and origin of this program.
func build() metrics.Build {
	b := metrics.Build{Version: version, Revision: revision, GoVersion: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		for _, kv := range info.Settings {
			if kv.Key == "vcs.revision" {
				b.Revision = cmp.Or(b.Revision, kv.Value)
			}
		}
	}
	b.Version = cmp.Or(b.Version, "(devel)")
	return b
}
