package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/verify"
	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/games"
	"castellan/engine"
	"castellan/storage"
	"castellan/storage/sqlite"
	"castellan/storage/transfer"
)

type backupCommand struct {
	DB    string `name:"db" required:"" help:"Database; it may be in use. PostgreSQL has programs of its own: pg_dump and pg_basebackup." placeholder:"FILE"`
	Force bool   `help:"Replace the file if it exists."`
	To    string `arg:"" name:"file" help:"File to write, or - for standard output."`
}

// Run copies the database and reports what the copy holds.
func (c backupCommand) Run(ctx context.Context, s cli.Streams) error {
	if transfer.IsURL(c.DB) || transfer.IsURL(c.To) {
		return cli.Usage(errors.New("castellan backup copies files; back PostgreSQL up with pg_dump or pg_basebackup, see docs/host/backup.md"))
	}
	begun := time.Now()
	if c.To == "-" {
		return c.print(ctx, s)
	}
	made, err := sqlite.Backup(ctx, c.DB, c.To, c.Force)
	if errors.Is(err, fs.ErrExist) {
		return cli.Usage(fmt.Errorf("%s exists; name a new file, or replace it with --force", c.To))
	}
	if err != nil {
		return err
	}
	c.warn(s, made)
	_, err = fmt.Fprintf(s.Out, "%s: %d bytes, %s with %s, in %v\n", c.To, made.Bytes,
		cli.Count(made.Matches, "match", "matches"), cli.Count(made.Entries, "entry", "entries"), time.Since(begun).Round(time.Millisecond))
	return err
}

// warn reports what is damaged in the database although it could be copied.
func (c backupCommand) warn(s cli.Streams, made sqlite.BackupInfo) {
	for _, d := range made.Damage {
		fmt.Fprintf(s.Errs, "damage in %s: %s; castellan verify examines it\n", c.DB, d)
	}
}

// print writes the copy to standard output, through a file: SQLite writes to no pipe.
func (c backupCommand) print(ctx context.Context, s cli.Streams) error {
	dir, err := os.MkdirTemp("", "castellan-backup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "backup.db")
	made, err := sqlite.Backup(ctx, c.DB, name, false)
	if err != nil {
		return err
	}
	c.warn(s, made)
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(s.Out, f)
	return err
}

// progressEvery is the time between two reports of progress.
const progressEvery = 5 * time.Second

// progress returns a function that reports how far a command has got, and about
// how long the rest takes, every few seconds.
func progress(s cli.Streams) host.Progress {
	began, reported := time.Now(), time.Now()
	return func(done, total int) {
		if time.Since(reported) < progressEvery || done == 0 {
			return
		}
		reported = time.Now()
		left := time.Since(began) / time.Duration(done) * time.Duration(total-done)
		fmt.Fprintf(s.Errs, "%d of %s, about %v left\n", done, cli.Count(total, "match", "matches"), left.Round(time.Second))
	}
}

type verifyCommand struct {
	DB   string `name:"db" required:"" help:"Database, such as a backup; it is not changed and may be in use." placeholder:"FILE|URL"`
	JSON bool   `name:"json" help:"Print one JSON object instead of lines."`
}

// verifyReport is the result of castellan verify. Programs read its JSON form:
// fields may be added, never removed.
type verifyReport struct {
	Database string   `json:"database"`
	OK       bool     `json:"ok"` // complete, without damage and faults
	Matches  int      `json:"matches"`
	Ended    int      `json:"ended"`
	Entries  int      `json:"entries"`
	Damage   []string `json:"damage"` // SQLite's findings about the file
	Faults   []fault  `json:"faults"`
	Complete bool     `json:"complete"` // every match could be read
}

// fault describes a match that does not replay as recorded.
type fault struct {
	Match   storage.MatchID `json:"match"`
	Game    string          `json:"game"`
	Reasons []string        `json:"reasons"`
}

// Run verifies a database, prints the report and fails if there is a fault.
func (c verifyCommand) Run(ctx context.Context, s cli.Streams) error {
	known, err := games.Registry()
	if err != nil {
		return err
	}
	report := verifyReport{Database: transfer.Redacted(c.DB), Damage: []string{}, Faults: []fault{}}
	err = readStore(ctx, c.DB, func(store storage.Store) error {
		var damage []string
		if file, ok := store.(*sqlite.Store); ok {
			var err error
			if damage, err = file.Check(ctx); err != nil {
				return err
			}
		}
		v, err := verify.Matches(ctx, store, known, progress(s))
		report.Complete = !errors.Is(err, storage.ErrCorrupt)
		if err != nil && report.Complete {
			return err
		}
		report.Matches, report.Ended, report.Entries = v.Matches, v.Ended, v.Entries
		report.Damage = append(report.Damage, damage...)
		for _, f := range v.Faults {
			report.Faults = append(report.Faults, fault{f.Match, f.Game, f.Reasons})
		}
		return nil
	})
	if err != nil {
		return err
	}
	report.OK = report.Complete && len(report.Damage) == 0 && len(report.Faults) == 0
	if err := s.Print(c.JSON, report); err != nil {
		return err
	}
	return report.err()
}

// String returns a line for each finding and a summary.
func (r verifyReport) String() string {
	var b strings.Builder
	for _, d := range r.Damage {
		fmt.Fprintf(&b, "damage: %s\n", d)
	}
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "match %d (%s): %s\n", f.Match, f.Game, strings.Join(f.Reasons, "; "))
	}
	if r.Complete {
		verdict := "all replay as recorded"
		if n := len(r.Faults); n > 0 {
			verdict = fmt.Sprintf("%d with faults", n)
		}
		fmt.Fprintf(&b, "%s: %s, %d ended, with %s; %s\n", r.Database,
			cli.Count(r.Matches, "match", "matches"), r.Ended, cli.Count(r.Entries, "entry", "entries"), verdict)
	}
	return b.String()
}

// err sums up the faults, or returns nil if there are none.
func (r verifyReport) err() error {
	switch {
	case !r.Complete:
		return fmt.Errorf("%s is damaged, and some matches cannot be read; restore a backup", r.Database)
	case len(r.Damage) > 0:
		return fmt.Errorf("%s is damaged; restore a backup", r.Database)
	case len(r.Faults) > 0:
		return fmt.Errorf("%s holds %s that cannot be replayed as recorded", r.Database, cli.Count(len(r.Faults), "match", "matches"))
	}
	return nil
}

// newHost returns a host that works on a database while the bot does not.
func newHost(store storage.Store, known *engine.Registry, s cli.Streams) *host.Host {
	return host.New(host.Config{
		Store: store, Games: known, Logger: slog.New(slog.NewTextHandler(s.Errs, nil)), Seed: rand.Uint64, Now: clockOf(store),
	})
}

type ratingsCommand struct {
	Rebuild ratingsRebuildCommand `cmd:"" help:"Compute all ratings from the matches again, and correct what differs."`
}

type ratingsRebuildCommand struct {
	DB    string `name:"db" required:"" help:"Database; stop the bot first, unless with --check." placeholder:"FILE|URL"`
	Check bool   `help:"Only compare: change nothing, and fail if something differs."`
}

// Run computes the ratings again and reports the differences.
func (c ratingsRebuildCommand) Run(ctx context.Context, s cli.Streams) error {
	known, err := games.Registry()
	if err != nil {
		return err
	}
	var r host.RatingsReport
	if c.Check {
		err = readStore(ctx, c.DB, func(store storage.Store) (err error) {
			r, err = newHost(store, known, s).CheckRatings(ctx, progress(s))
			return err
		})
	} else {
		err = changeStore(ctx, c.DB, func(store storage.Store) (err error) {
			r, err = newHost(store, known, s).RebuildRatings(ctx, progress(s))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("computing the ratings again: %w", err)
	}

	for _, d := range r.Differences {
		if _, err := fmt.Fprintln(s.Out, d); err != nil {
			return err
		}
	}
	verdict, n := "nothing differs", len(r.Differences)
	if n > 0 {
		verdict = cli.Count(n, "difference", "differences")
		if !c.Check {
			verdict += " corrected"
		}
	}
	if _, err := fmt.Fprintf(s.Out, "%s: %s ended, %d of them rated, %s; %s\n", transfer.Redacted(c.DB),
		cli.Count(r.Matches, "match", "matches"), r.Rated, cli.Count(r.Ratings, "rating", "ratings"), verdict); err != nil {
		return err
	}
	if c.Check && n > 0 {
		return fmt.Errorf("%s in the ratings of %s; castellan ratings rebuild --db %s corrects them",
			cli.Count(n, "difference", "differences"), transfer.Redacted(c.DB), transfer.Redacted(c.DB))
	}
	return nil
}
