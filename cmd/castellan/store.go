package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"time"

	"castellan/bot/host/verify"
	"castellan/cmd/internal/cli"
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/jobs"
	"castellan/storage/sqlite"
	"castellan/storage/transfer"
)

// databaseVariable names the environment variable that holds the URL of the
// database, which can contain a password. It replaces what the configuration says.
const databaseVariable = "CASTELLAN_DATABASE_URL"

// openStore opens a database, a file or the URL of one on PostgreSQL, and creates it
// if need be. rerun is called whenever an update runs again. The options are for
// PostgreSQL.
func openStore(ctx context.Context, name string, log *slog.Logger, rerun func(), options ...postgres.Option) (storage.Store, error) {
	if !transfer.IsURL(name) {
		return sqlite.Open(ctx, name)
	}
	return postgres.Open(ctx, name, append(options, postgres.OnRerun(func(err error) {
		rerun()
		log.Debug("a transaction runs again", "error", err)
	}))...)
}

// readStore runs fn on a database without changing it.
func readStore(ctx context.Context, name string, fn func(storage.Store) error) error {
	if !transfer.IsURL(name) {
		return sqlite.Read(ctx, name, func(s *sqlite.Store) error { return fn(s) })
	}
	s, err := postgres.Open(ctx, name, postgres.ReadOnly())
	if err != nil {
		return err
	}
	return errors.Join(fn(s), s.Close())
}

// changeStore runs fn on a database that exists.
func changeStore(ctx context.Context, name string, fn func(storage.Store) error) error {
	var err error
	if transfer.IsURL(name) {
		err = readStore(ctx, name, func(storage.Store) error { return nil })
	} else {
		_, err = os.Stat(name)
	}
	if err != nil {
		return err // opening would create the database
	}
	store, err := openStore(ctx, name, slog.New(slog.DiscardHandler), func() {})
	if err != nil {
		return err
	}
	return errors.Join(fn(store), store.Close())
}

type schemaCommand struct {
	DB string `name:"db" required:"" help:"Database, created if it is a file that is missing." placeholder:"FILE|URL"`
}

// Run creates or updates the tables.
func (c schemaCommand) Run(ctx context.Context, s cli.Streams) error {
	log := slog.New(slog.NewTextHandler(s.Errs, nil))
	store, err := openStore(ctx, c.DB, log, func() {})
	if err != nil {
		return err
	}
	if server, ok := store.(*postgres.Store); ok {
		var runner *jobs.Runner
		if runner, err = jobs.Open(ctx, jobs.Config{Store: server, Logger: log}); err == nil {
			runner.Close()
		}
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%s has the tables of this version.\n", transfer.Redacted(c.DB))
	return err
}

type migrateCommand struct {
	From   string `required:"" help:"Database to copy; stop the bot first." placeholder:"FILE|URL"`
	To     string `required:"" help:"Database to create: an empty one on PostgreSQL, or a file that does not exist." placeholder:"URL|FILE"`
	DryRun bool   `help:"Only read the database, and check that it could be copied."`
}

// Run copies a database and checks the logs of the matches before and after.
func (c migrateCommand) Run(ctx context.Context, s cli.Streams) error {
	begun := time.Now()
	var before []*storage.AlteredError
	tables, rows := 0, 0
	o := transfer.Options{
		DryRun: c.DryRun,
		Opened: func() (err error) {
			before, err = alteredLogs(ctx, c.From)
			return err
		},
		Copied: func(t transfer.Table) {
			tables, rows = tables+1, rows+t.Rows
			fmt.Fprintf(s.Errs, "%s: %s\n", t.Name, cli.Count(t.Rows, "row", "rows"))
		},
	}
	if err := transfer.Copy(ctx, c.From, c.To, o); err != nil {
		return err
	}
	did := "would be copied"
	if !c.DryRun {
		did = "copied"
		after, err := alteredLogs(ctx, c.To)
		if err != nil {
			return fmt.Errorf("checking the copy: %w", err)
		}
		if !reflect.DeepEqual(before, after) {
			return errors.New("the logs of the copy are not those of the original: do not use it, and report this fault of the program")
		}
	}
	for _, a := range before {
		fmt.Fprintf(s.Errs, "match %d stays stopped: %v\n", a.Match, a)
	}
	_, err := fmt.Fprintf(s.Out, "%s: %s in %s %s to %s, in %v\n", transfer.Redacted(c.From),
		cli.Count(rows, "row", "rows"), cli.Count(tables, "table", "tables"), did, transfer.Redacted(c.To), time.Since(begun).Round(time.Millisecond))
	return err
}

// alteredLogs returns the matches whose logs were changed outside of Castellan.
func alteredLogs(ctx context.Context, name string) (altered []*storage.AlteredError, err error) {
	err = readStore(ctx, name, func(store storage.Store) (err error) {
		altered, err = verify.Logs(ctx, store)
		return err
	})
	return altered, err
}
