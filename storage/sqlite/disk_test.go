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
// space, and runs one more without reopening the store. After each step it checks
// that exactly the acknowledged transactions are there.
func fillUp(s *sqlite.Store, freeSpace func() error) (f filled, err error) {
	var kept []string
	check := func(when string) error {
		got, err := audit(s)
		if err != nil {
			return fmt.Errorf("%s: %w", when, err)
		}
		if lost, extra := without(kept, got), without(got, kept); len(lost)+len(extra) > 0 {
			return fmt.Errorf("%s: lost %v, too many %v", when, lost, extra)
		}
		return nil
	}
	do := func(d transaction) (full bool, err error) {
		switch err := d.run(s, noPause); {
		case err == nil:
			f.done++
			kept = append(kept, d.id)
			return false, nil
		case errors.Is(err, storage.ErrDiskFull):
			f.refused++
			return true, nil
		default:
			return false, fmt.Errorf("transaction %s: %w, want ErrDiskFull", d.id, err)
		}
	}
	for n := 0; f.refused < 10; n++ {
		if n > 5000 {
			return f, errors.New("it is never full")
		}
		d := transaction{id: fmt.Sprint(n), matches: []storage.MatchID{1, 2}, entries: 3, size: 5000}
		if n%7 == 6 {
			d = hugeTransaction(d.id) // fills up in the middle of the transaction
			d.entries = 100
		}
		full, err := do(d)
		if err != nil {
			return f, err
		}
		if full {
			if err := check("full"); err != nil {
				return f, err
			}
		}
	}
	if f.done == 0 {
		return f, errors.New("it was full from the beginning")
	}
	if err := freeSpace(); err != nil {
		return f, err
	}
	if full, err := do(transaction{id: "last", matches: []storage.MatchID{1, 2}, entries: 3, size: 5000}); err != nil || full {
		return f, fmt.Errorf("after making room it is full (%t): %w", full, err)
	}
	if err := check("with room again"); err != nil {
		return f, err
	}
	if err := s.Close(); err != nil {
		return f, fmt.Errorf("close: %w", err)
	}
	return f, nil
}

// reopen checks a database once more that has been filled up.
func reopen(t *testing.T, path string, f filled) {
	t.Helper()
	s := open(t, path)
	got, err := audit(s)
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
	if err != nil {
		t.Fatal(err)
	}
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
		first = tx.Append(1, 0, many)
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
	if err := d.run(s, noPause); !errors.Is(err, storage.ErrReadOnly) || errors.Is(err, storage.ErrDiskFull) {
		t.Errorf("error %v, want ErrReadOnly", err)
	}
	execute(t, sqlite.Writer(s), "PRAGMA query_only = 0")
	if err := d.run(s, noPause); err != nil {
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
	must(t, hugeTransaction("a").run(s, noPause))
	must(t, s.Close())
	data := readFile(t, path)
	for i := len(data) / 4; i < len(data); i++ {
		data[i] = 0xa5
	}
	write(t, path, data)

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
	if err := d.run(s, noPause); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("update: %v, want ErrCorrupt", err)
	}
}
