package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
)

// filled counts transactions on a full disk.
type filled struct {
	done    int // acknowledged transactions
	refused int // transactions refused with ErrDiskFull
}

func (f filled) String() string {
	return fmt.Sprintf("%d transactions acknowledged, %d refused with ErrDiskFull; 0 lost, 0 partial; the next one with free space was acknowledged",
		f.done, f.refused)
}

// fillUp runs transactions until the disk is full and some more are refused, frees
// space, and runs one more without reopening the store. After each refusal it checks
// that exactly the acknowledged transactions are there, as reopen does at the end.
func fillUp(s *sqlite.Store, freeSpace func() error) (f filled, err error) {
	var kept []string
	do := func(d transaction) error {
		err := d.run(s)
		if err == nil {
			f.done++
			kept = append(kept, d.id)
			return nil
		}
		got, auditErr := audit(s)
		if lost, extra := without(kept, got), without(got, kept); auditErr != nil || len(lost)+len(extra) > 0 {
			return fmt.Errorf("after %v: lost %v, too many %v (%v)", err, lost, extra, auditErr)
		}
		return err
	}
	for n := 0; f.refused < 10; n++ {
		d := transaction{id: fmt.Sprint(n), matches: []storage.MatchID{1, 2}, entries: 3, size: 5000}
		if n%7 == 6 {
			d = hugeTransaction(d.id) // fills up in the middle of the transaction
			d.entries = 100
		}
		err := do(d)
		if errors.Is(err, storage.ErrDiskFull) {
			f.refused++
		} else if err != nil || n > 5000 {
			return f, fmt.Errorf("transaction %d: %v, want ErrDiskFull", n, err)
		}
	}
	if f.done == 0 {
		return f, errors.New("it was full from the beginning")
	}
	if err := freeSpace(); err != nil {
		return f, err
	}
	if err := do(transaction{id: "last", matches: []storage.MatchID{1, 2}, entries: 3, size: 5000}); err != nil {
		return f, fmt.Errorf("after making room: %w", err)
	}
	return f, s.Close()
}

// reopen checks a database once more that has been filled up.
func reopen(t *testing.T, path string, f filled) {
	t.Helper()
	got, err := audit(open(t, path))
	if err != nil || len(got) != f.done {
		t.Errorf("opened again it holds %d transactions, want %d (%v)", len(got), f.done, err)
	}
}

// limited returns a store whose database can only grow by some pages.
func limited(t *testing.T, path string, more int) *sqlite.Store {
	t.Helper()
	s := open(t, path)
	must(t, prepare(s))
	var pages int
	must(t, sqlite.Writer(s).QueryRowContext(context.Background(), "PRAGMA page_count").Scan(&pages))
	execute(t, sqlite.Writer(s), fmt.Sprint("PRAGMA max_page_count = ", pages+more))
	return s
}

func TestDiskPageLimit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := limited(t, path, 100)
	f, err := fillUp(s, func() error {
		_, err := sqlite.Writer(s).ExecContext(context.Background(), "PRAGMA max_page_count = 100000")
		return err
	})
	must(t, err)
	reopen(t, path, f)
	t.Log("limit of pages: ", f)
}

// On a full disk SQLite rolls back by itself, and the next statement would be a
// transaction of its own. Nothing may be left of a function that goes on after the
// error.
func TestNoWriteAfterDiskFull(t *testing.T) {
	t.Parallel()
	s := limited(t, filepath.Join(t.TempDir(), "castellan.db"), 0)
	many := make([]storage.Entry, 50)
	for i := range many {
		many[i] = storage.Entry{Seq: i + 1, Kind: "action", Text: strings.Repeat("x", 4000), At: noon}
	}
	var first, second error
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		first = storagetest.Append(tx, 1, many)
		second = tx.SetPreferences(storage.Preferences{Person: "1", ManualEndTurn: true})
		return nil
	})
	for _, err := range []error{first, second, err} {
		if !errors.Is(err, storage.ErrDiskFull) {
			t.Errorf("error %v, want ErrDiskFull", err)
		}
	}
	must(t, s.View(context.Background(), func(r storage.Reader) error {
		p, err := r.Preferences("1")
		if p.ManualEndTurn {
			t.Error("a write after the error was committed")
		}
		return err
	}))
	wantTransactions(t, s, nil)
	// An update that needs no space still works.
	if err := s.Update(context.Background(), func(tx storage.Tx) error {
		return tx.SetPreferences(storage.Preferences{Person: "1", ManualEndTurn: true})
	}); err != nil {
		t.Error(err)
	}
}

func same(t *testing.T, got, want snapshot) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it holds\n%+v\nwant\n%+v", got, want)
	}
}

// A read-only connection is not reported as a full disk.
func TestReadOnlyConnection(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "castellan.db"))
	must(t, prepare(s))
	d := transaction{id: "a", matches: []storage.MatchID{1}, entries: 1}
	execute(t, sqlite.Writer(s), "PRAGMA query_only = 1")
	if err := d.run(s); !errors.Is(err, storage.ErrReadOnly) || errors.Is(err, storage.ErrDiskFull) {
		t.Errorf("error %v, want ErrReadOnly", err)
	}
	execute(t, sqlite.Writer(s), "PRAGMA query_only = 0")
	if err := d.run(s); err != nil {
		t.Error(err)
	}
	wantTransactions(t, s, []string{"a"})
}

// Reads and writes of a running store report damage.
func TestCorruptDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	must(t, prepare(s))
	must(t, hugeTransaction("a").run(s))
	must(t, s.Close())
	harm(t, path, len(readFile(t, path))/4)

	s = open(t, path) // the beginning is intact
	findings, err := s.Check(context.Background())
	if err != nil || len(findings) == 0 {
		t.Errorf("check finds %q (%v)", findings, err)
	}
	err = s.View(context.Background(), func(r storage.Reader) error {
		_, err := r.Entries(1)
		return err
	})
	if !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("view: %v, want ErrCorrupt", err)
	}
	d := transaction{id: "b", matches: []storage.MatchID{1, 2}, entries: 1}
	if err := d.run(s); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("update: %v, want ErrCorrupt", err)
	}
}
