package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// Read changes neither the file nor its folder, and the store cannot be updated.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "castellan.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	looks := func() {
		t.Helper()
		before := folder(t, dir)
		must(t, sqlite.Read(t.Context(), path, func(s *sqlite.Store) error {
			same(t, read(t, s), want)
			findings, err := s.Check(t.Context())
			if len(findings) > 0 {
				t.Errorf("check finds %q", findings)
			}
			if err := s.Update(t.Context(), func(storage.Tx) error { return nil }); !errors.Is(err, storage.ErrReadOnly) {
				t.Errorf("update: %v, want ErrReadOnly", err)
			}
			return err
		}))
		unchanged(t, dir, before)
	}
	looks() // in use
	must(t, s.Close())
	looks()
}

// If somebody writes to a database that nobody had open, it is read again.
func TestReadAgainAfterChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	must(t, prepare(s))
	must(t, s.Close())
	var seen []int
	err := sqlite.Read(t.Context(), path, func(reader *sqlite.Store) error {
		if len(seen) == 0 {
			writer := open(t, path)
			must(t, (transaction{id: "a", matches: []storage.MatchID{1}, entries: 1}).run(writer))
		}
		whole, err := audit(reader)
		seen = append(seen, len(whole))
		return err
	})
	if err != nil || !slices.Equal(seen, []int{0, 1}) {
		t.Errorf("it saw %v transactions (%v)", seen, err)
	}
}

func TestReadFunctionError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	fill(t, open(t, path))
	mine := errors.New("mine")
	var kept *sqlite.Store
	if err := sqlite.Read(t.Context(), path, func(s *sqlite.Store) error { kept = s; return mine }); err != mine {
		t.Errorf("error %v", err)
	}
	if err := kept.View(t.Context(), func(storage.Reader) error { return nil }); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a view afterwards: %v, want ErrClosed", err)
	}
}

// Check finds broken references, gaps and what SQLite finds.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, harm, says string
		copied           error // error of a backup: imperfect ones are made, damaged ones are not
	}{
		{"a row that refers to nothing", "INSERT INTO boards (match_id, seq, guild, channel, message, notify, state, attempts) VALUES (77, 0, '', '', '', 0, 'due', 0)", "boards refers to a missing row of matches", nil},
		{"a seat that is missing", "DELETE FROM seats WHERE seat = 1", "match 1 has a gap in its seats", nil},
		{"an index that does not fit", "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, '(person, match_id)', '(name, match_id)') WHERE name = 'seats_running'", "seats_running", storage.ErrCorrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "castellan.db")
			s := open(t, path)
			fill(t, s)
			must(t, s.Close())
			db := raw(t, path)
			execute(t, db, strings.Split(tt.harm, ";")...)
			must(t, db.Close())
			s = open(t, path)
			findings, err := s.Check(t.Context())
			if err != nil || len(findings) == 0 || !strings.Contains(strings.Join(findings, "\n"), tt.says) {
				t.Errorf("it finds %q (%v), want %q", findings, err, tt.says)
			}
			if _, err := sqlite.Backup(t.Context(), path, path+".copy", false); !errors.Is(err, tt.copied) {
				t.Errorf("a copy: %v, want %v", err, tt.copied)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "castellan.db")
	must(t, open(t, path).Close())
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Truncate(path, info.Size()-100))
	err = sqlite.Read(t.Context(), path, func(s *sqlite.Store) error {
		findings, err := s.Check(t.Context())
		if !strings.Contains(strings.Join(findings, "\n"), "100 bytes of its last page are missing") {
			t.Errorf("cut off: %q", findings)
		}
		return err
	})
	must(t, err)
	made, err := sqlite.Backup(t.Context(), path, filepath.Join(t.TempDir(), "copy.db"), false)
	must(t, err)
	if !strings.Contains(strings.Join(made.Damage, "\n"), "100 bytes of its last page are missing") {
		t.Errorf("the backup of a file that was cut off says %q", made.Damage)
	}
	s := open(t, sqlite.Memory)
	if findings, err := s.Check(t.Context()); err != nil || len(findings) > 0 {
		t.Errorf("in memory: %q, %v", findings, err)
	}
	must(t, s.Close())
	if _, err := s.Check(t.Context()); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
}
