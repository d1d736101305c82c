package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
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
		after := folder(t, dir)
		delete(before, "castellan.db-shm") // readers write to it
		delete(after, "castellan.db-shm")
		if !reflect.DeepEqual(after, before) {
			t.Error("the folder has changed")
		}
	}
	looks() // in use
	must(t, s.Close())
	looks()
}

// A database with an older schema is read through a copy and does not change.
func TestReadOlderSchema(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "castellan.db")
	old(t, path, 1, `INSERT INTO challenges (guild, channel, challenger, challenger_name, opponent, opponent_name, game, options, first, seed,
		state, created_at, answered_at, match_id, message, shown_state, tries, next_at)
		VALUES ('g', 'c', '1', 'Zoë', '2', '日本', 'a-game', 'size=5', 'me', 7, 'open', 1000, NULL, NULL, '', '', 0, NULL)`)
	before := folder(t, dir)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	must(t, sqlite.Read(t.Context(), path, func(s *sqlite.Store) error {
		return s.View(t.Context(), func(r storage.Reader) error {
			ch, err := r.Challenge(1)
			if err == nil && (ch.Seats != 2 || len(ch.Invited) != 1) {
				t.Errorf("the challenge is %+v", ch)
			}
			return err
		})
	}))
	if !reflect.DeepEqual(folder(t, dir), before) {
		t.Error("the folder has changed")
	}
	if left := folder(t, temporary); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
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
			must(t, (transaction{id: "a", matches: []storage.MatchID{1}, entries: 1}).run(writer, noPause))
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

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	future(t, dir+"/newer.db")
	write(t, dir+"/notes.txt", []byte("remember the milk\n"))
	write(t, dir+"/empty.db", nil)
	must(t, open(t, dir+"/damaged.db").Close())
	data := readFile(t, dir+"/damaged.db")
	for i := 100; i < len(data); i++ {
		data[i] = 0xa5
	}
	write(t, dir+"/damaged.db", data)
	before := folder(t, dir)
	for name, says := range map[string]string{
		"newer.db": "run that version", "notes.txt": "not a Castellan database", "empty.db": "is empty",
		"no.db": "there is no such file", "damaged.db": "restore a backup",
	} {
		path := filepath.Join(dir, name)
		err := sqlite.Read(context.Background(), path, func(*sqlite.Store) error {
			t.Errorf("%s is read", name)
			return nil
		})
		if err == nil {
			t.Fatalf("%s is opened", name)
		}
		sentence(t, err, path, says)
	}
	if !reflect.DeepEqual(folder(t, dir), before) {
		t.Error("the folder has changed")
	}
}

// Check finds broken references, gaps and what SQLite finds.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, harm, says string
		copied           error // error of a backup: imperfect ones are made, damaged ones are not
	}{
		{"a row that refers to nothing", "INSERT INTO boards (match_id, seq, guild, channel, message, notify, state, tries) VALUES (77, 0, '', '', '', 0, 'due', 0)", "boards refers to a missing row of matches", nil},
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
	s := open(t, sqlite.Memory)
	if findings, err := s.Check(t.Context()); err != nil || len(findings) > 0 {
		t.Errorf("in memory: %q, %v", findings, err)
	}
	must(t, s.Close())
	if _, err := s.Check(t.Context()); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
}

// TestImage opens databases in memory as copies of a file.
func TestImage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	must(t, prepare(s))
	must(t, s.Close())
	file, err := os.ReadFile(path)
	must(t, err)
	for range 2 { // nothing that one writes is in the other
		s := open(t, sqlite.Memory, sqlite.Image(file))
		for _, fails := range []error{nil, errors.ErrUnsupported} {
			err := s.Update(t.Context(), func(tx storage.Tx) error {
				_, err := tx.InsertMatch(storage.Match{Game: "trails", CreatedAt: noon, Seats: []storage.Person{{ID: "1"}, {ID: "2"}}})
				return errors.Join(err, fails)
			})
			if !errors.Is(err, fails) {
				t.Fatal(err)
			}
		}
		must(t, s.View(t.Context(), func(r storage.Reader) error {
			if _, err := r.Match(testMatches + 1); err != nil {
				t.Errorf("the new match: %v", err)
			}
			if _, err := r.Match(testMatches + 2); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("a match that was rolled back: %v", err)
			}
			return nil
		}))
		if findings, err := s.Check(t.Context()); err != nil || len(findings) > 0 {
			t.Errorf("it finds %q, %v", findings, err)
		}
	}
	if _, err := sqlite.Open(t.Context(), sqlite.Memory, sqlite.Image(file[:10])); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("a part of a file: %v, want ErrCorrupt", err)
	}
}
