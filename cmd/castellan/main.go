// Command castellan is a Discord bot that hosts old strategy games: it shows
// the boards as pictures, keeps every match in a database, and can be tried
// without Discord in a sandbox of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"castellan/engine/search"
	"castellan/imaging/draw"
)

// commands is the command line.
type commands struct {
	Sandbox     sandboxCommand     `cmd:"" help:"Play in a browser, without Discord: starts the bot against a stand-in for Discord on this machine."`
	Run         runCommand         `cmd:"" help:"Start the bot on Discord."`
	CheckConfig checkConfigCommand `cmd:"" help:"Say whether a configuration file is right, and list every mistake in it."`
	Health      healthCommand      `cmd:"" help:"Ask a running bot whether it can serve; for supervisors."`
	Backup      backupCommand      `cmd:"" help:"Copy a database to a file, also while the bot is running."`
	Verify      verifyCommand      `cmd:"" help:"Replay every match of a database, such as a backup, and report what does not rebuild."`
	Ratings     ratingsCommand     `cmd:"" help:"What is kept about ratings."`
	Load        loadCommand        `cmd:"" help:"Measure how long people wait when many play at once, in a sandbox on this machine."`
	Acknowledge acknowledgeCommand `cmd:"" hidden:"" help:"The bot that castellan load compares with."`
	Engine      engineCommand      `cmd:"" help:"Play a game for other programs, on standard input and output; docs/engine-protocol.md describes the protocol."`
	Arena       arenaCommand       `cmd:"" help:"Match computer players and say who is stronger, and how sure that is; docs/arena.md describes the report."`
	Render      renderCommand      `cmd:"" help:"Draw the board of a game after some turns as a PNG file."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

// Exit codes. A program that a second signal has stopped has none: it dies by
// the signal, which a shell shows as 128 and its number (130, 143).
const (
	exitOK    = 0 // done, or stopped in order by a signal
	exitError = 1 // it could not be done
	exitUsage = 2 // the command line or the configuration is wrong
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
	os.Exit(untilStopped(func(ctx context.Context) int {
		return run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}))
}

// run carries out a command line and returns the exit code.
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

// streams is where a command writes: results to out, everything else to errs.
type streams struct{ out, errs io.Writer }

// usageError is a mistake of whoever typed the command.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }
