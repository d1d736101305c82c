package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// holdTheWriteLock writes to a database as a program that knows nothing of
// ours, and does not end its transaction before its input ends.
func holdTheWriteLock(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	fmt.Println("held")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		return err
	}
	return db.Close()
}

// Another process is in the middle of writing: an update waits for it, or gives
// up with ErrLocked after its time; reading goes on meanwhile.
func TestAnotherProcessWrites(t *testing.T) {
	d := deed{id: "a", matches: []storage.MatchID{1}, entries: 1}
	for _, tt := range []struct {
		name     string
		patience time.Duration
		release  func(*child)
	}{
		{"gives up", 10 * time.Millisecond, func(c *child) { c.in.Close(); c.line() }},
		{"waits until it is done", time.Minute, func(c *child) { c.in.Close() }},
		{"waits until it is killed", time.Minute, func(c *child) { c.cmd.Process.Kill() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "castellan.db")
			s, err := sqlite.Open(context.Background(), path, sqlite.BusyTimeout(tt.patience))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := prepare(s); err != nil {
				t.Fatal(err)
			}
			other := startChild(t, "writer", path)
			if line := other.line(); line != "held" {
				t.Fatalf("the other process says %q", line)
			}
			result := make(chan error, 1)
			go func() { result <- d.carryOut(s, noGate) }()
			holds(t, s, nil)
			gives := tt.patience < time.Second
			if gives {
				if err := <-result; !errors.Is(err, storage.ErrLocked) {
					t.Fatalf("update: %v, want ErrLocked", err)
				}
				tt.release(other)
				result <- d.carryOut(s, noGate)
			} else {
				tt.release(other)
			}
			if err := <-result; err != nil {
				t.Fatal(err)
			}
			holds(t, s, []string{"a"})
		})
	}
}
