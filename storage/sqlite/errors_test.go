package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

func same(t *testing.T, got, want snapshot) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it holds\n%+v\nwant\n%+v", got, want)
	}
}

// A connection that may not write is told from a disk without room.
func TestAReadOnlyDatabase(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "castellan.db"))
	if err := prepare(s); err != nil {
		t.Fatal(err)
	}
	d := deed{id: "a", matches: []storage.MatchID{1}, entries: 1}
	execute(t, sqlite.Writer(s), "PRAGMA query_only = 1")
	if err := d.carryOut(s, noGate); !errors.Is(err, storage.ErrReadOnly) || errors.Is(err, storage.ErrDiskFull) {
		t.Errorf("error %v, want ErrReadOnly", err)
	}
	execute(t, sqlite.Writer(s), "PRAGMA query_only = 0")
	if err := d.carryOut(s, noGate); err != nil {
		t.Error(err)
	}
	holds(t, s, []string{"a"})
}

// Damage under a running store is told, in reading and in writing.
func TestADatabaseThatIsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	if err := prepare(s); err != nil {
		t.Fatal(err)
	}
	if err := hugeDeed("a").carryOut(s, noGate); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data := slurp(t, path)
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
		t.Errorf("view: %v, want ErrDamaged", err)
	}
	d := deed{id: "b", matches: []storage.MatchID{1, 2}, entries: 1}
	if err := d.carryOut(s, noGate); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("update: %v, want ErrDamaged", err)
	}
}
