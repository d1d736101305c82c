package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// What is only read is not changed, not even beside its file, and cannot be
// written to.
func TestReadChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "castellan.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	looks := func() {
		t.Helper()
		before := folder(t, dir)
		err := sqlite.Read(t.Context(), path, func(s *sqlite.Store) error {
			same(t, read(t, s), want)
			findings, err := s.Check(t.Context())
			if len(findings) > 0 {
				t.Errorf("check finds %q", findings)
			}
			if err := s.Update(t.Context(), func(storage.Tx) error { return nil }); !errors.Is(err, storage.ErrReadOnly) {
				t.Errorf("update: %v, want ErrReadOnly", err)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		after := folder(t, dir)
		delete(before, "castellan.db-shm") // readers note in it how far they read
		delete(after, "castellan.db-shm")
		if !reflect.DeepEqual(after, before) {
			t.Error("the folder has changed")
		}
	}
	looks() // in use
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	looks()
}

// An older database is read as this version understands it, and stays as it is.
func TestReadAnOlderVersion(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "castellan.db")
	old(t, path, 1, `INSERT INTO challenges (guild, channel, challenger, challenger_name, opponent, opponent_name, game, options, first, seed,
		state, created_at, answered_at, match_id, message, shown_state, tries, next_at)
		VALUES ('g', 'c', '1', 'Zoë', '2', '日本', 'a-game', 'size=5', 'me', 7, 'open', 1000, NULL, NULL, '', '', 0, NULL)`)
	before := folder(t, dir)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	err := sqlite.Read(t.Context(), path, func(s *sqlite.Store) error {
		return s.View(t.Context(), func(r storage.Reader) error {
			ch, err := r.Challenge(1)
			if err == nil && (ch.Seats != 2 || len(ch.Invited) != 1) {
				t.Errorf("the challenge is %+v", ch)
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(folder(t, dir), before) {
		t.Error("the folder has changed")
	}
	if left := folder(t, temporary); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Should somebody begin to write to a database that was read as nobody's, it is
// read once more.
func TestReadAgainWhenItHasChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	if err := prepare(s); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var seen []int
	err := sqlite.Read(t.Context(), path, func(reader *sqlite.Store) error {
		if len(seen) == 0 {
			writer := open(t, path)
			if err := (transaction{id: "a", matches: []storage.MatchID{1}, entries: 1}).run(writer, noPause); err != nil {
				t.Fatal(err)
			}
		}
		whole, err := audit(reader)
		seen = append(seen, len(whole))
		return err
	})
	if err != nil || !slices.Equal(seen, []int{0, 1}) {
		t.Errorf("it saw %v transactions (%v)", seen, err)
	}
}

func TestReadReturnsTheErrorOfItsFunction(t *testing.T) {
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
	dir := t.TempDir()
	future(t, dir+"/newer.db")
	write(t, dir+"/notes.txt", []byte("remember the milk\n"))
	write(t, dir+"/empty.db", nil)
	if err := open(t, dir+"/damaged.db").Close(); err != nil {
		t.Fatal(err)
	}
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

// Check finds what SQLite does not prevent, and what SQLite alone can see.
func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, harm, says string
		copied           error // what making a copy gives: better an imperfect backup than none, but no damaged one
	}{
		{"a row that refers to nothing", "INSERT INTO boards (match_id, seq, guild, channel, message, notify, state, tries) VALUES (77, 0, '', '', '', 0, 'due', 0)", "boards refers to a missing row of matches", nil},
		{"a seat that is missing", "DELETE FROM seats WHERE seat = 1", "match 1 has a gap in its seats", nil},
		{"an index that does not fit", "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, '(person, match_id)', '(name, match_id)') WHERE name = 'seats_person'", "seats_person", storage.ErrCorrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "castellan.db")
			s := open(t, path)
			fill(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			db := raw(t, path)
			execute(t, db, strings.Split(tt.harm, ";")...)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
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
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(t.Context()); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
}
