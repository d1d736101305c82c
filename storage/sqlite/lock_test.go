package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
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

// One store at a time has a database, whatever name it is opened by. The file itself is
// locked, so that the removal of the lock file lets no second store in.
func TestLockOfAnotherStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link, linked := filepath.Join(dir, "castellan.db"), filepath.Join(dir, "link"), filepath.Join(t.TempDir(), "linked.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	must(t, errors.Join(s.Close(), os.Symlink(path, link), os.Link(path, linked)))
	for _, tt := range []struct {
		name, path string
		removed    bool // the lock file
	}{
		{"its name", path, false}, {"a link", link, false},
		{"another name", linked, true}, {"without the file beside it", path, true},
	} {
		if tt.removed && runtime.GOOS != "linux" {
			continue // only Linux keeps flock apart from the locks of SQLite
		}
		remove := func() {
			if tt.removed {
				must(t, os.Remove(path+"-lock"))
			}
		}
		refused := func(holder string) {
			t.Helper()
			if s, err := sqlite.Open(t.Context(), tt.path); err == nil {
				s.Close()
				t.Errorf("%s: opened while %s has it", tt.name, holder)
			} else if sentence(t, err, tt.path, "stop that program"); !errors.Is(err, storage.ErrLocked) {
				t.Errorf("%s, held by %s: error is %v, want ErrLocked", tt.name, holder, err)
			}
		}
		other := startChild(t, "holder", path)
		if line := other.line(); line != "held" {
			t.Fatalf("the other process says %q", line)
		}
		remove()
		before := folder(t, dir)
		refused("another process")
		unchanged(t, dir, before)
		other.kill() // releases the lock
		// A second store of this process neither gets in nor frees the locks
		// that SQLite holds for the first.
		s := open(t, path)
		remove()
		refused("this process")
		must(t, s.Update(t.Context(), func(storage.Tx) error {
			locker := startChild(t, "locker", path)
			if line := locker.line(); !strings.HasPrefix(line, "failed") {
				t.Errorf("%s: another process can write during an update: %q", tt.name, line)
			}
			locker.kill()
			return nil
		}))
		same(t, read(t, s), want)
		must(t, s.Close())
	}
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
	fill(t, open(t, path))
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
			go func() { result <- d.run(s) }()
			wantTransactions(t, s, nil)
			gives := tt.timeout < time.Second
			if gives {
				if err := <-result; !errors.Is(err, storage.ErrLocked) {
					t.Fatalf("update: %v, want ErrLocked", err)
				}
				tt.release(other)
				result <- d.run(s)
			} else {
				tt.release(other)
			}
			must(t, <-result)
			wantTransactions(t, s, []string{"a"})
		})
	}
}
