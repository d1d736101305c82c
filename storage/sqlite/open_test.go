package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// raw opens a database as another program would, without any of our care.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// executor is a database or one of its connections.
type executor interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

func execute(t *testing.T, db executor, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// folder is the content of every file of a folder.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.IsDir() {
			files[f.Name()] = "folder"
			continue
		}
		if f.Type()&os.ModeSymlink != 0 {
			files[f.Name()] = "link"
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name()] = string(data)
	}
	return files
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// crash copies a database that is open, with what is outside its file yet, as
// a killed process would leave it.
func crash(t *testing.T, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(from + suffix)
		if err != nil {
			t.Fatal(err)
		}
		write(t, to+suffix, data)
	}
}

// Each refusal is one sentence that names the file, and nothing is changed.
func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name string
		// make prepares a folder and names the file to open.
		make func(t *testing.T, dir string) string
		is   error
		says string
	}{
		{"a text file", func(t *testing.T, dir string) string {
			write(t, dir+"/notes.txt", []byte("remember the milk\n"))
			return dir + "/notes.txt"
		}, storage.ErrForeign, "name a new file"},
		{"a single byte", func(t *testing.T, dir string) string {
			write(t, dir+"/x", []byte("x"))
			return dir + "/x"
		}, storage.ErrForeign, "name a new file"},
		{"a large file of something else", func(t *testing.T, dir string) string {
			write(t, dir+"/x.png", bytes.Repeat([]byte("\x89PNG"), 5000))
			return dir + "/x.png"
		}, storage.ErrForeign, "name a new file"},
		{"another program's database", func(t *testing.T, dir string) string {
			db := raw(t, dir+"/other.db")
			execute(t, db, "CREATE TABLE songs (name)", "INSERT INTO songs VALUES ('la')")
			db.Close()
			return dir + "/other.db"
		}, storage.ErrForeign, "name a new file"},
		{"another program's database with its mark", func(t *testing.T, dir string) string {
			db := raw(t, dir+"/other.db")
			execute(t, db, "PRAGMA application_id = 77")
			db.Close()
			return dir + "/other.db"
		}, storage.ErrForeign, "name a new file"},
		{"another program's database with a write-ahead log", func(t *testing.T, dir string) string {
			db := raw(t, dir+"/other.db")
			execute(t, db, "PRAGMA journal_mode = WAL", "CREATE TABLE songs (name)")
			db.Close()
			return dir + "/other.db"
		}, storage.ErrForeign, "name a new file"},
		{"another program's database that was left in the middle", func(t *testing.T, dir string) string {
			db := raw(t, t.TempDir()+"/other.db")
			execute(t, db, "PRAGMA journal_mode = WAL", "CREATE TABLE songs (name)")
			var path string
			if err := db.QueryRow("SELECT file FROM pragma_database_list").Scan(&path); err != nil {
				t.Fatal(err)
			}
			crash(t, path, dir+"/other.db")
			return dir + "/other.db"
		}, storage.ErrForeign, "name a new file"},
		{"a database from the future", func(t *testing.T, dir string) string {
			future(t, dir+"/castellan.db")
			return dir + "/castellan.db"
		}, storage.ErrNewerSchema, "run that version"},
		{"a database from the future that was left in the middle", func(t *testing.T, dir string) string {
			path := t.TempDir() + "/castellan.db"
			if err := open(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			db := raw(t, path)
			execute(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (2030, 1)")
			crash(t, path, dir+"/castellan.db")
			return dir + "/castellan.db"
		}, storage.ErrNewerSchema, "run that version"},
		{"a damaged database", func(t *testing.T, dir string) string {
			path := dir + "/castellan.db"
			if err := open(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 100; i < len(data); i++ { // all but the header
				data[i] = 0xa5
			}
			write(t, path, data)
			return path
		}, nil, "damaged"},
		{"a folder", func(t *testing.T, dir string) string {
			if err := os.Mkdir(dir+"/data", 0o755); err != nil {
				t.Fatal(err)
			}
			return dir + "/data"
		}, nil, "is a folder"},
		{"a folder that is missing", func(_ *testing.T, dir string) string { return dir + "/no/castellan.db" }, nil, "does not exist"},
		{"a file where the folder should be", func(t *testing.T, dir string) string {
			write(t, dir+"/file", nil)
			return dir + "/file/castellan.db"
		}, nil, "is not a folder"},
		{"a link to nothing", func(t *testing.T, dir string) string {
			if err := os.Symlink(dir+"/nothing", dir+"/link"); err != nil {
				t.Skip(err)
			}
			return dir + "/link"
		}, nil, "/nothing, which does not exist"},
		{"no name", func(*testing.T, string) string { return "" }, nil, "empty"},
		{"a device", func(*testing.T, string) string { return os.DevNull }, nil, "not a regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := tt.make(t, dir)
			before := folder(t, dir)
			s, err := sqlite.Open(context.Background(), path, sqlite.BusyTimeout(0))
			if err == nil {
				s.Close()
				t.Fatal("it is opened")
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error is %v, want %v", err, tt.is)
			}
			sentence(t, err, path, tt.says)
			after := folder(t, dir)
			for name, data := range before {
				if after[name] != data {
					t.Errorf("%s has changed", name)
				}
			}
			for name := range after {
				// To read the log of a killed process SQLite needs its
				// index, which is rebuilt whenever it is missing.
				if _, had := before[name]; !had && !strings.HasSuffix(name, "-shm") {
					t.Errorf("%s has appeared", name)
				}
			}
		})
	}
}

// sentence checks that an error names the file and says something in one line.
func sentence(t *testing.T, err error, path, says string) {
	t.Helper()
	t.Log(err)
	if text := err.Error(); !strings.Contains(text, "cannot open "+path) || !strings.Contains(text, says) || strings.Contains(text, "\n") {
		t.Errorf("the error is\n%s\nwant one line that names %s and says %q", text, path, says)
	}
}

// future makes a database that a newer version has written.
func future(t *testing.T, path string) {
	t.Helper()
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	execute(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (2030, 1)")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenMakesANewDatabase(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/empty", nil)
	for _, name := range []string{"new.db", "empty", "with space ?and#signs%20&100%.db", "ünïcode-日本.db"} {
		s := open(t, filepath.Join(dir, name))
		fill(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		header, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.HasPrefix(header, []byte("SQLite format 3\x00")) || string(header[68:72]) != "CSTL" {
			t.Errorf("%s begins with %q (%v)", name, header[:min(100, len(header))], err)
		}
	}
	for name := range folder(t, dir) {
		if strings.HasSuffix(name, "-lock") || strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") {
			t.Errorf("%s is left after closing", name)
		}
	}
}

func TestOpenInARelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	fill(t, open(t, "castellan.db"))
	if _, err := os.Stat("castellan.db"); err != nil {
		t.Error(err)
	}
}

func TestOpenWithACancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, path := range []string{sqlite.Memory, filepath.Join(t.TempDir(), "castellan.db")} {
		if s, err := sqlite.Open(ctx, path); err == nil {
			s.Close()
			t.Errorf("%s is opened", path)
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", path, err)
		}
	}
}

// snapshot is everything that fill has written.
type snapshot struct {
	Matches   []storage.Match
	Entries   []storage.Entry
	Boards    []storage.Board
	Challenge storage.Challenge
	Applied   storage.ProcessedInteraction
	Work      storage.PendingPosts
}

var noon = time.Date(2026, 4, 1, 12, 0, 0, 123, time.UTC)

// fill writes one of everything.
func fill(t testing.TB, s *sqlite.Store) {
	t.Helper()
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		challenge, err := tx.InsertChallenge(storage.Challenge{
			Challenger: storage.Person{ID: "1", Name: "Zoë"}, Seats: 2, Joined: []storage.Person{{ID: "1", Name: "Zoë"}, {ID: "2", Name: "日本"}},
			Game: "trails", CreatedAt: noon, ExpiresAt: noon.Truncate(time.Second).Add(24 * time.Hour),
		})
		if err != nil {
			return err
		}
		match, err := tx.InsertMatch(storage.Match{
			Challenge: challenge, Game: "trails", RulesVersion: 1, Options: "size=5", Seed: 1<<64 - 1, CreatedAt: noon,
			Deadline: noon.Truncate(time.Second).Add(7 * 24 * time.Hour),
			Seats:    []storage.Person{{ID: "1", Name: "Zoë"}, {ID: "2", Name: "日本"}},
		})
		if err != nil {
			return err
		}
		board, err := tx.InsertBoard(storage.Board{Match: match, Notify: true})
		if err != nil {
			return err
		}
		return errors.Join(
			tx.ResolveChallenge(challenge, storage.ChallengeAccepted, match, noon),
			tx.Append(match, 0, []storage.Entry{{Seq: 1, Kind: "action", Seat: 1, Text: "right", At: noon, Interaction: "9"}}),
			tx.MarkBoardPosted(board, "m"),
			tx.MarkProcessed(storage.ProcessedInteraction{Interaction: "9", At: noon, Match: match, Seq: 1}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, s *sqlite.Store) (all snapshot) {
	t.Helper()
	err := s.View(context.Background(), func(r storage.Reader) (err error) {
		if all.Matches, err = r.AllRunning(); err != nil || len(all.Matches) == 0 {
			return err
		}
		if all.Entries, err = r.Entries(all.Matches[0].ID); err != nil {
			return err
		}
		if all.Boards, err = r.Boards(all.Matches[0].ID); err != nil {
			return err
		}
		if all.Challenge, err = r.Challenge(all.Matches[0].Challenge); err != nil {
			return err
		}
		if all.Applied, err = r.ProcessedInteraction("9"); err != nil {
			return err
		}
		all.Work, err = r.PendingPosts(noon, 10)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestReopeningKeepsEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	if len(want.Entries) != 1 || len(want.Boards) != 1 || want.Applied.Seq != 1 || len(want.Work.Challenges) != 1 {
		t.Fatalf("it was not filled: %+v", want)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, path)
		if got := read(t, s); !reflect.DeepEqual(got, want) {
			t.Errorf("it holds\n%+v\nwant\n%+v", got, want)
		}
	}
}

// What Update has returned nil for is there after the process was killed.
func TestACrashLosesNothing(t *testing.T) {
	from := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, from)
	fill(t, s)
	to := filepath.Join(t.TempDir(), "castellan.db")
	crash(t, from, to)
	if got, want := read(t, open(t, to)), read(t, s); !reflect.DeepEqual(got, want) {
		t.Errorf("it holds\n%+v\nwant\n%+v", got, want)
	}
}

// Identifiers are not used again even if the last record is removed by hand.
func TestIdentifiersAreNeverUsedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	fill(t, s)
	was := read(t, s).Boards[0].ID
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	execute(t, db, "DELETE FROM boards")
	db.Close()
	s = open(t, path)
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		id, err := tx.InsertBoard(storage.Board{Match: 1})
		if id <= was {
			t.Errorf("board %d comes after %d", id, was)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestViewDuringUpdate(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "castellan.db"))
	err := s.View(context.Background(), func(r storage.Reader) error {
		for _, during := range []bool{false, true} {
			if during {
				fill(t, s)
			}
			if all, err := r.AllRunning(); err != nil || len(all) != 0 {
				t.Errorf("a view that had begun sees %d later matches (%v)", len(all), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, s); len(got.Matches) != 1 {
		t.Errorf("a view after it sees %d matches", len(got.Matches))
	}
}
