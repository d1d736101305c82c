package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"castellan/cmd/internal/cli"
	"castellan/cmd/lab/internal/load"
)

type loadCommand struct {
	Castellan    string  `help:"The program castellan to measure; by default the one beside this program, or on the search path." placeholder:"PROGRAM"`
	Rate         float64 `default:"200" help:"Interactions a second (${default})."`
	Seconds      int     `default:"60" help:"Duration in seconds (${default})."`
	Interactions int     `help:"Number of interactions, instead of --seconds."`
	Tables       int     `default:"100" help:"Number of pairs that play at a time, each in its own channel (${default})."`
	Game         string  `default:"trails" help:"A two-player game (${default})." placeholder:"GAME"`
	Alone        int     `help:"Number of tables at which one person plays the computer, at --level."`
	Level        string  `default:"master" help:"The level of the computer (${default})." placeholder:"LEVEL"`
	Blocked      int     `help:"Number of tables in whose channels the bot may no longer post after a quarter of the interactions."`
	Seed         uint64  `default:"1" help:"Seed of the random choices (${default})."`
	HTTP         bool    `name:"http" help:"Repeat with interactions by HTTP instead of over the gateway, for comparison."`
	Compare      bool    `default:"true" negatable:"" help:"Repeat with a bot that only acknowledges, for comparison."`
	JSON         bool    `name:"json" help:"Print one JSON object instead of a table."`
}

const (
	maxLoadRate         = 5000
	maxLoadInteractions = 10_000_000
)

// crowdGCPercent makes the garbage collector of the sandbox's process run seldom: it
// took a quarter of that process's time. The crowd and the sandbox leave the processors
// to the bot as far as they can.
const crowdGCPercent = 800

// Run measures castellan run and prints the report. It fails if an interaction failed
// or was not answered.
func (c loadCommand) Run(ctx context.Context, s cli.Streams) error {
	o, err := c.options()
	if err != nil {
		return cli.Usage(err)
	}
	debug.SetGCPercent(crowdGCPercent)
	r, err := load.Run(ctx, o, s.Errs)
	if r.Outcomes == nil { // there is nothing to report
		return err
	}
	return errors.Join(s.Print(c.JSON, r), err)
}

// options returns the crowd's options, or an error for invalid flags.
func (c loadCommand) options() (load.Options, error) {
	o := load.Options{
		Game: c.Game, Rate: c.Rate, Interactions: c.Interactions, Tables: c.Tables, Seed: c.Seed, Alone: c.Alone, Level: c.Level, Blocked: c.Blocked,
		HTTP: c.HTTP, Compare: c.Compare,
	}
	if o.Interactions == 0 && c.Rate <= maxLoadRate {
		o.Interactions = int(min(math.Ceil(c.Rate*float64(c.Seconds)), maxLoadInteractions+1))
	}
	e, err := engineOf(c.Game)
	if err != nil {
		return o, err
	}
	_, seats := e.Game.Seats()
	for _, f := range []struct {
		fine bool
		text string
	}{
		{c.Rate >= 1 && c.Rate <= maxLoadRate, fmt.Sprintf("--rate is 1 to %d interactions a second, not %g", maxLoadRate, c.Rate)},
		{o.Interactions >= 1 && o.Interactions <= maxLoadInteractions, fmt.Sprintf("there must be 1 to %d interactions, not %d", maxLoadInteractions, o.Interactions)},
		{c.Tables >= 1 && c.Tables <= load.MaxTables, fmt.Sprintf("--tables is 1 to %d, not %d", load.MaxTables, c.Tables)},
		{c.Alone >= 0 && c.Alone <= c.Tables, fmt.Sprintf("--alone is 0 to %d tables, not %d", c.Tables, c.Alone)},
		{c.Blocked >= 0 && c.Blocked <= c.Tables, fmt.Sprintf("--blocked is 0 to %d tables, not %d", c.Tables, c.Blocked)},
		{seats == 2, fmt.Sprintf("--game must be a two-player game, not %q", c.Game)},
		{slices.Contains(e.Keys(), c.Level), fmt.Sprintf("--level is one of %s, not %q", strings.Join(e.Keys(), ", "), c.Level)},
	} {
		if !f.fine {
			return o, errors.New(f.text)
		}
	}
	if o.Acknowledger, err = os.Executable(); err != nil {
		return o, fmt.Errorf("find this program: %w", err)
	}
	o.Castellan = c.Castellan
	if o.Castellan == "" {
		o.Castellan = filepath.Join(filepath.Dir(o.Acknowledger), "castellan")
		if _, err := os.Stat(o.Castellan); err != nil {
			if o.Castellan, err = exec.LookPath("castellan"); err != nil {
				return o, errors.New("the program castellan is neither beside this one nor on the search path: name it with --castellan")
			}
		}
	}
	return o, nil
}

// acknowledgeCommand runs the bot that lab load compares with. Its token is
// in the environment.
type acknowledgeCommand struct {
	API string `arg:"" help:"Base address of the chat."`
}

// Run acknowledges until the context is done.
func (c acknowledgeCommand) Run(ctx context.Context, s cli.Streams) error {
	api, err := url.Parse(c.API)
	if err != nil {
		return cli.Usage(fmt.Errorf("address of the chat: %w", err))
	}
	return load.Acknowledge(ctx, os.Getenv(load.TokenVariable), api, slog.New(slog.NewTextHandler(s.Errs, &slog.HandlerOptions{Level: slog.LevelWarn})))
}
