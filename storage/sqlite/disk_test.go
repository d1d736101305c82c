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

// filled is the figures of a disk that was full.
type filled struct {
	done    int // transactions that were acknowledged
	refused int // transactions that were refused because the disk was full
}

func (f filled) String() string {
	return fmt.Sprintf("%d transactions acknowledged, %d refused with ErrDiskFull; 0 lost, 0 in part; the next one after making room was acknowledged",
		f.done, f.refused)
}

// fillUp does transactions until the disk is full, goes on trying for a while, makes
// room, and does one more without opening the store again. At each step it
// looks whether everything that was acknowledged is there, and nothing else.
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

// again opens a database that has been filled up, and looks once more.
func reopen(t *testing.T, path string, f filled) {
	t.Helper()
	s := open(t, path)
	got, err := audit(s)
	if err != nil || len(got) != f.done {
		t.Errorf("opened again it holds %d transactions, want %d (%v)", len(got), f.done, err)
	}
}

// limited is a store whose database may not grow by more than some pages.
func limited(t *testing.T, path string, more int) *sqlite.Store {
	t.Helper()
	s := open(t, path)
	if err := prepare(s); err != nil {
		t.Fatal(err)
	}
	var pages int
	if err := sqlite.Writer(s).QueryRowContext(context.Background(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	execute(t, sqlite.Writer(s), fmt.Sprint("PRAGMA max_page_count = ", pages+more))
	return s
}

func TestDiskPageLimit(t *testing.T) {
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

// Where SQLite finds the disk full it rolls the transaction back by itself, and
// the next statement would be a transaction of its own. A function that goes
// on after the error must not leave anything behind.
func TestNoWriteAfterDiskFull(t *testing.T) {
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
	err = s.View(context.Background(), func(r storage.Reader) error {
		p, err := r.Preferences("1")
		if p.ManualEndTurn {
			t.Error("what followed the error was written")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	wantTransactions(t, s, nil)
	// What needs no room goes on.
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

// A connection that may not write is told from a disk without room.
func TestReadOnlyConnection(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "castellan.db"))
	if err := prepare(s); err != nil {
		t.Fatal(err)
	}
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

// Damage under a running store is told, in reading and in writing.
func TestCorruptDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	if err := prepare(s); err != nil {
		t.Fatal(err)
	}
	if err := hugeTransaction("a").run(s, noPause); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data := readFile(t, path)
	for i := len(data) / 4; i < len(data); i++ {
		data[i] = 0xa5
	}
	write(t, path, data)

	s = open(t, path) // its beginning is whole
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
