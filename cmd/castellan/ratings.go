package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"castellan/bot/host"
	"castellan/storage"
	"castellan/storage/sqlite"
)

type ratingsCommand struct {
	Rebuild ratingsRebuildCommand `cmd:"" help:"Count all ratings anew from the matches, and put right what differs."`
}

type ratingsRebuildCommand struct {
	DB    string `name:"db" required:"" help:"The database; the bot must be stopped, unless with --check." placeholder:"FILE"`
	Check bool   `help:"Only compare: nothing is changed, and what differs is an error."`
}

// Run counts anew and reports what differed.
func (c ratingsRebuildCommand) Run(ctx context.Context, s streams) error {
	known, err := registry()
	if err != nil {
		return err
	}
	keeper := func(store storage.Store) *host.Host {
		return host.New(host.Config{
			Store: store, Games: known, Logger: slog.New(slog.NewTextHandler(s.errs, nil)),
			Seed: rand.Uint64, Now: func() time.Time { return time.Now().UTC() },
		})
	}
	var counted host.RatingsReport
	if c.Check {
		err = sqlite.Read(ctx, c.DB, func(store *sqlite.Store) error {
			counted, err = keeper(store).CheckRatings(ctx)
			return err
		})
	} else {
		counted, err = c.rebuild(ctx, keeper)
	}
	if err != nil {
		return fmt.Errorf("counting the ratings anew: %w", err)
	}
	if err := c.report(s.out, counted); err != nil {
		return err
	}
	if n := len(counted.Differences); c.Check && n > 0 {
		return fmt.Errorf("%s about ratings in %s; castellan ratings rebuild --db %s puts it right",
			count(n, "thing is stored wrongly", "things are stored wrongly"), c.DB, c.DB)
	}
	return nil
}

func (c ratingsRebuildCommand) rebuild(ctx context.Context, keeper func(storage.Store) *host.Host) (counted host.RatingsReport, err error) {
	// Open would make a database where there is none.
	if _, err := os.Stat(c.DB); err != nil {
		return counted, err
	}
	store, err := sqlite.Open(ctx, c.DB)
	if err != nil {
		return counted, err
	}
	counted, err = keeper(store).RebuildRatings(ctx)
	if closing := store.Close(); err == nil {
		err = closing
	}
	return counted, err
}

// report writes a line for everything that differs, and a last one that sums
// up.
func (c ratingsRebuildCommand) report(out io.Writer, counted host.RatingsReport) error {
	for _, d := range counted.Differences {
		if _, err := fmt.Fprintln(out, d); err != nil {
			return err
		}
	}
	done := "nothing differs"
	switch n := len(counted.Differences); {
	case n > 0 && c.Check:
		done = count(n, "difference", "differences")
	case n > 0:
		done = count(n, "difference", "differences") + " put right"
	}
	_, err := fmt.Fprintf(out, "%s: %s that ended, %d of them rated, %s; %s\n", c.DB,
		count(counted.Matches, "match", "matches"), counted.Rated, count(counted.Ratings, "rating", "ratings"), done)
	return err
}
