package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/games"
	"castellan/cmd/lab/internal/protocol"
	"castellan/engine/search"
)

type engineCommand struct {
	Game   string `required:"" help:"Key of the game: ${games}."`
	Level  string `help:"The initial level: ${levels}; default the strongest." placeholder:"LEVEL"`
	Memory int64  `default:"16" help:"Initial size of tables in MiB (${default})." placeholder:"MIB"`
	Seed   uint64 `help:"Initial seed of every random choice (${default})." default:"0"`
}

// Run answers on standard input and output until it reads "quit".
func (c engineCommand) Run(ctx context.Context, s cli.Streams) error {
	return c.serve(ctx, os.Stdin, s.Out)
}

func (c engineCommand) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ai, err := engineOf(c.Game)
	if err != nil {
		return err
	}
	if levels := ai.Keys(); c.Level != "" && !slices.Contains(levels, c.Level) {
		return cli.Usage(fmt.Errorf("there is no level %q; there is %s", c.Level, strings.Join(levels, ", ")))
	}
	if c.Memory < 1 || c.Memory > protocol.MaxMemory {
		return cli.Usage(fmt.Errorf("--memory is a number of MiB from 1 to %d, not %d", protocol.MaxMemory, c.Memory))
	}
	e := protocol.Server{
		Engine: ai, Name: "Castellan " + cli.ThisBuild().Version, Author: "the Castellan authors",
		Level: c.Level, Memory: c.Memory << 20, Seed: c.Seed,
	}
	return e.Serve(ctx, in, out)
}

// engineOf returns the computer players of a game.
func engineOf(key string) (search.Engine, error) {
	for _, e := range games.Engines() {
		if e.Game.Key() == key {
			return e, nil
		}
	}
	return search.Engine{}, cli.Usage(fmt.Errorf("there is no game %q; there is %s", key, strings.Join(games.Keys(), ", ")))
}
