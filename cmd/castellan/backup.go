package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"castellan/storage/sqlite"
)

type backupCommand struct {
	DB    string `name:"db" required:"" help:"The database; it may be in use." placeholder:"FILE"`
	Force bool   `help:"Replace the file if it is there already."`
	To    string `arg:"" name:"file" help:"The file to make."`
}

// Run makes the copy and says what it holds.
func (c backupCommand) Run(ctx context.Context, s streams) error {
	begun := time.Now()
	made, err := sqlite.Backup(ctx, c.DB, c.To, c.Force)
	if errors.Is(err, fs.ErrExist) {
		return &usageError{fmt.Errorf("%s is there already; name a new file, or replace it with --force", c.To)}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %d bytes, %s with %s, in %v\n", c.To, made.Bytes,
		count(made.Matches, "match", "matches"), count(made.Entries, "entry", "entries"), time.Since(begun).Round(time.Millisecond))
	return err
}

// count is a number with its noun.
func count(n int, one, more string) string {
	if n == 1 {
		more = one
	}
	return fmt.Sprintf("%d %s", n, more)
}
