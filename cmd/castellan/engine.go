package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"castellan/engine/search"
	"castellan/engine/search/protocol"
)

type engineCommand struct {
	Game   string `required:"" help:"Key of the game: ${games}."`
	Level  string `help:"The initial level: ${levels}; default the strongest." placeholder:"LEVEL"`
	Memory int64  `default:"16" help:"Initial size of tables in MiB (${default})." placeholder:"MIB"`
	Seed   uint64 `help:"Initial seed of every random choice (${default})." default:"0"`
}

// Run answers on standard input and output until it reads "quit".
func (c engineCommand) Run(ctx context.Context, s streams) error {
	return c.serve(ctx, os.Stdin, s.out)
}

func (c engineCommand) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ai, err := engineOf(c.Game)
	if err != nil {
		return err
	}
	if levels := ai.Keys(); c.Level != "" && !slices.Contains(levels, c.Level) {
		return &usageError{fmt.Errorf("there is no level %q; there is %s", c.Level, strings.Join(levels, ", "))}
	}
	if c.Memory < 1 || c.Memory > protocol.MaxMemory {
		return &usageError{fmt.Errorf("--memory is a number of MiB from 1 to %d, not %d", protocol.MaxMemory, c.Memory)}
	}
	e := protocol.Server{
		Engine: ai, Name: "Castellan " + build().Version, Author: "the Castellan authors",
		Level: c.Level, Memory: c.Memory << 20, Seed: c.Seed,
		Clock: protocol.Clock{Now: time.Now, Timeout: context.WithTimeout},
	}
	return e.Serve(ctx, in, out)
}

// engineOf returns the computer players of a game.
func engineOf(key string) (search.Engine, error) {
	b, ok := engines()[key]
	if !ok {
		return search.Engine{}, &usageError{fmt.Errorf("there is no game %q; there is %s", key, strings.Join(keys(), ", "))}
	}
	return b, nil
}
