package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/sqlite"
)

func TestMain(m *testing.M) {
	if play, ok := children[os.Getenv(childPart)]; ok {
		if err := play(os.Getenv(childPath)); err != nil {
			fmt.Println("failed", strings.ReplaceAll(err.Error(), "\n", " "))
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// holdStore opens a database and ends without closing it when its input ends.
func holdStore(path string) error {
	if _, err := sqlite.Open(context.Background(), path); err != nil {
		return err
	}
	fmt.Println("held")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func TestLockOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "castellan.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	must(t, s.Close())

	other := startChild(t, "holder", path)
	if line := other.line(); line != "held" {
		t.Fatalf("the other process says %q", line)
	}

	before := folder(t, dir)
	_, err := sqlite.Open(context.Background(), path)
	if !errors.Is(err, storage.ErrLocked) {
		t.Errorf("error is %v, want ErrLocked", err)
	} else {
		sentence(t, err, path, "stop that program")
	}
	if after := folder(t, dir); !reflect.DeepEqual(after, before) {
		t.Error("the folder has changed")
	}

	// The end of the process releases the lock.
	other.in.Close()
	must(t, other.cmd.Wait())
	same(t, read(t, open(t, path)), want)
}

func TestLockOfAnotherStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "castellan.db")
	first := open(t, path)
	must(t, os.Symlink(path, filepath.Join(dir, "link")))
	for _, name := range []string{path, filepath.Join(dir, ".", "link")} {
		if s, err := sqlite.Open(context.Background(), name); !errors.Is(err, storage.ErrLocked) {
			t.Errorf("%s: error is %v, want ErrLocked", name, err)
			s.Close()
		}
	}
	fill(t, first) // still works
	must(t, first.Close())
	open(t, path)
}

// A program that ignores the lock file, such as sqlite3, locks the database for a
// transaction.
func TestLockOfAnotherConnection(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	must(t, open(t, path).Close())
	db := raw(t, path)
	execute(t, db, "BEGIN IMMEDIATE")
	_, err := sqlite.Open(context.Background(), path, sqlite.BusyTimeout(0))
	if !errors.Is(err, storage.ErrLocked) {
		t.Fatalf("error is %v, want ErrLocked", err)
	}
	sentence(t, err, path, "stop that program")
	execute(t, db, "ROLLBACK")

	s, err := sqlite.Open(context.Background(), path, sqlite.BusyTimeout(0))
	must(t, err)
	defer s.Close()
	execute(t, db, "BEGIN IMMEDIATE")
	err = s.Update(context.Background(), func(storage.Tx) error {
		t.Error("the update runs")
		return nil
	})
	if !errors.Is(err, storage.ErrLocked) {
		t.Errorf("update: %v, want ErrLocked", err)
	}
	read(t, s) // reading goes on
	execute(t, db, "ROLLBACK")
	fill(t, s)
}

// holdWriteLock locks a database as a program that ignores the lock file would,
// until its input ends.
func holdWriteLock(path string) error {
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

// While another process writes, an update waits or fails with ErrLocked after the
// busy timeout; reads go on.
func TestBusy(t *testing.T) {
	t.Parallel()
	d := transaction{id: "a", matches: []storage.MatchID{1}, entries: 1}
	for _, tt := range []struct {
		name    string
		timeout time.Duration
		release func(*child)
	}{
		{"gives up", 10 * time.Millisecond, func(c *child) { c.in.Close(); c.line() }},
		{"waits until it is done", time.Minute, func(c *child) { c.in.Close() }},
		{"waits until it is killed", time.Minute, func(c *child) { c.cmd.Process.Kill() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "castellan.db")
			s, err := sqlite.Open(context.Background(), path, sqlite.BusyTimeout(tt.timeout))
			must(t, err)
			defer s.Close()
			must(t, prepare(s))
			other := startChild(t, "locker", path)
			if line := other.line(); line != "held" {
				t.Fatalf("the other process says %q", line)
			}
			result := make(chan error, 1)
			go func() { result <- d.run(s, noPause) }()
			wantTransactions(t, s, nil)
			gives := tt.timeout < time.Second
			if gives {
				if err := <-result; !errors.Is(err, storage.ErrLocked) {
					t.Fatalf("update: %v, want ErrLocked", err)
				}
				tt.release(other)
				result <- d.run(s, noPause)
			} else {
				tt.release(other)
			}
			must(t, <-result)
			wantTransactions(t, s, []string{"a"})
		})
	}
}
