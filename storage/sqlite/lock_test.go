package sqlite_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// holder is the variable that makes the test program hold a database instead
// of testing.
const holder = "CASTELLAN_TEST_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(holder); path != "" {
		hold(path)
	}
	if play, ok := children[os.Getenv(childPart)]; ok {
		if err := play(os.Getenv(childPath)); err != nil {
			fmt.Println("failed", strings.ReplaceAll(err.Error(), "\n", " "))
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hold opens a database, says so, and ends without closing it when its input
// ends.
func hold(path string) {
	if _, err := sqlite.Open(context.Background(), path); err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("held\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func TestLockOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "castellan.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), holder+"="+path)
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other process says %q (%v)", line, err)
	}

	before := folder(t, dir)
	_, err = sqlite.Open(context.Background(), path)
	if !errors.Is(err, storage.ErrLocked) {
		t.Errorf("error is %v, want ErrLocked", err)
	} else {
		sentence(t, err, path, "stop that program")
	}
	if after := folder(t, dir); !reflect.DeepEqual(after, before) {
		t.Error("the folder has changed")
	}

	// Its end frees the database, although it has closed nothing.
	in.Close()
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, open(t, path)); !reflect.DeepEqual(got, want) {
		t.Errorf("it holds\n%+v\nwant\n%+v", got, want)
	}
}

func TestLockOfAnotherStore(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "castellan.db")
	first := open(t, path)
	if err := os.Symlink(path, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, filepath.Join(dir, ".", "link")} {
		if s, err := sqlite.Open(context.Background(), name); !errors.Is(err, storage.ErrLocked) {
			t.Errorf("%s: error is %v, want ErrLocked", name, err)
			s.Close()
		}
	}
	fill(t, first) // still whole
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}

// A program that knows nothing of our lock, such as sqlite3, holds the
// database for a transaction.
func TestLockOfAnotherConnection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	execute(t, db, "BEGIN IMMEDIATE")
	_, err := sqlite.Open(context.Background(), path, sqlite.BusyTimeout(0))
	if !errors.Is(err, storage.ErrLocked) {
		t.Fatalf("error is %v, want ErrLocked", err)
	}
	sentence(t, err, path, "stop that program")
	execute(t, db, "ROLLBACK")

	s, err := sqlite.Open(context.Background(), path, sqlite.BusyTimeout(0))
	if err != nil {
		t.Fatal(err)
	}
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

// holdWriteLock writes to a database as a program that knows nothing of
// ours, and does not end its transaction before its input ends.
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

// Another process is in the middle of writing: an update waits for it, or gives
// up with ErrLocked after its time; reading goes on meanwhile.
func TestBusy(t *testing.T) {
	d := transaction{id: "a", matches: []storage.MatchID{1}, entries: 1}
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
			other := startChild(t, "locker", path)
			if line := other.line(); line != "held" {
				t.Fatalf("the other process says %q", line)
			}
			result := make(chan error, 1)
			go func() { result <- d.run(s, noPause) }()
			wantTransactions(t, s, nil)
			gives := tt.patience < time.Second
			if gives {
				if err := <-result; !errors.Is(err, storage.ErrLocked) {
					t.Fatalf("update: %v, want ErrLocked", err)
				}
				tt.release(other)
				result <- d.run(s, noPause)
			} else {
				tt.release(other)
			}
			if err := <-result; err != nil {
				t.Fatal(err)
			}
			wantTransactions(t, s, []string{"a"})
		})
	}
}
