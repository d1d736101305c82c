package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// raw opens a database as another program would.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
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

// folder returns the content of every file of a folder.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	list, err := os.ReadDir(dir)
	must(t, err)
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
		must(t, err)
		files[f.Name()] = string(data)
	}
	return files
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	must(t, os.WriteFile(path, data, 0o644))
}

// crash copies an open database with its log, as a killed process would leave it.
func crash(t *testing.T, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(from + suffix)
		must(t, err)
		write(t, to+suffix, data)
	}
}

// Each error is one sentence that names the file, and nothing changes.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// make prepares a folder and returns the file to open.
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
		{"another program's application ID", func(t *testing.T, dir string) string {
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
		{"another program's database of a killed process", func(t *testing.T, dir string) string {
			db := raw(t, t.TempDir()+"/other.db")
			execute(t, db, "PRAGMA journal_mode = WAL", "CREATE TABLE songs (name)")
			var path string
			must(t, db.QueryRow("SELECT file FROM pragma_database_list").Scan(&path))
			crash(t, path, dir+"/other.db")
			return dir + "/other.db"
		}, storage.ErrForeign, "name a new file"},
		{"a newer schema", func(t *testing.T, dir string) string {
			future(t, dir+"/castellan.db")
			return dir + "/castellan.db"
		}, storage.ErrNewerSchema, "run that version"},
		{"a newer schema of a killed process", func(t *testing.T, dir string) string {
			path := t.TempDir() + "/castellan.db"
			must(t, open(t, path).Close())
			db := raw(t, path)
			execute(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (2030, 1)")
			crash(t, path, dir+"/castellan.db")
			return dir + "/castellan.db"
		}, storage.ErrNewerSchema, "run that version"},
		{"a damaged database", func(t *testing.T, dir string) string {
			path := dir + "/castellan.db"
			must(t, open(t, path).Close())
			data, err := os.ReadFile(path)
			must(t, err)
			for i := 100; i < len(data); i++ { // all but the header
				data[i] = 0xa5
			}
			write(t, path, data)
			return path
		}, nil, "damaged"},
		{"a folder", func(t *testing.T, dir string) string {
			must(t, os.Mkdir(dir+"/data", 0o755))
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
				t.Fatal("no error")
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
				// SQLite rebuilds the index of a log that it reads.
				if _, had := before[name]; !had && !strings.HasSuffix(name, "-shm") {
					t.Errorf("%s has appeared", name)
				}
			}
		})
	}
}

// sentence checks that an error is one line with the file and some words.
func sentence(t *testing.T, err error, path, says string) {
	t.Helper()
	t.Log(err)
	if text := err.Error(); !strings.Contains(text, "cannot open "+path) || !strings.Contains(text, says) || strings.Contains(text, "\n") {
		t.Errorf("the error is\n%s\nwant one line that names %s and says %q", text, path, says)
	}
}

// future creates a database with a newer schema.
func future(t *testing.T, path string) {
	t.Helper()
	must(t, open(t, path).Close())
	db := raw(t, path)
	execute(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (2030, 1)")
	must(t, db.Close())
}

func TestOpenNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/empty", nil)
	for _, name := range []string{"new.db", "empty", "with space ?and#signs%20&100%.db", "ünïcode-日本.db"} {
		s := open(t, filepath.Join(dir, name))
		fill(t, s)
		must(t, s.Close())
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

func TestOpenRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	fill(t, open(t, "castellan.db"))
	if _, err := os.Stat("castellan.db"); err != nil {
		t.Error(err)
	}
}

func TestOpenCancelled(t *testing.T) {
	t.Parallel()
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

// snapshot is what fill has written.
type snapshot struct {
	Matches   []storage.Match
	Entries   []storage.Entry
	Boards    []storage.Board
	Challenge storage.Challenge
	Processed storage.ProcessedInteraction
	Pending   storage.PendingPosts
}

var noon = time.Date(2026, 4, 1, 12, 0, 0, 123, time.UTC)

// fill writes one record of each kind.
func fill(t testing.TB, s *sqlite.Store) {
	t.Helper()
	must(t, s.Update(context.Background(), func(tx storage.Tx) error {
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
	}))
}

func read(t testing.TB, s *sqlite.Store) (all snapshot) {
	t.Helper()
	must(t, s.View(context.Background(), func(r storage.Reader) (err error) {
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
		if all.Processed, err = r.ProcessedInteraction("9"); err != nil {
			return err
		}
		all.Pending, err = r.PendingPosts(noon, 10)
		return err
	}))
	return all
}

func TestReopen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	if len(want.Entries) != 1 || len(want.Boards) != 1 || want.Processed.Seq != 1 || len(want.Pending.Challenges) != 1 {
		t.Fatalf("fill has written %+v", want)
	}
	for range 2 {
		must(t, s.Close())
		s = open(t, path)
		same(t, read(t, s), want)
	}
}

// A committed transaction survives a kill of the process.
func TestOpenAfterCrash(t *testing.T) {
	t.Parallel()
	from := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, from)
	fill(t, s)
	to := filepath.Join(t.TempDir(), "castellan.db")
	crash(t, from, to)
	same(t, read(t, open(t, to)), read(t, s))
}

// Identifiers are not reused even if the last record is deleted by hand.
func TestIdentifiersAreNotReused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	fill(t, s)
	was := read(t, s).Boards[0].ID
	must(t, s.Close())
	db := raw(t, path)
	execute(t, db, "DELETE FROM boards")
	db.Close()
	s = open(t, path)
	must(t, s.Update(context.Background(), func(tx storage.Tx) error {
		id, err := tx.InsertBoard(storage.Board{Match: 1})
		if id <= was {
			t.Errorf("board %d comes after %d", id, was)
		}
		return err
	}))
}

// Updates that have not begun do not hold up Close; the one that has is
// committed.
func TestCloseRefusesWaitingUpdates(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "castellan.db"))
	must(t, err)
	begun, gate, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first <- s.Update(t.Context(), func(storage.Tx) error {
			close(begun)
			<-gate
			return nil
		})
	}()
	<-begun
	const n = 50
	waiting := make(chan error, n)
	for range n {
		go func() { waiting <- s.Update(t.Context(), func(storage.Tx) error { return nil }) }()
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	for range n {
		if err := <-waiting; !errors.Is(err, storage.ErrClosed) {
			t.Errorf("an update that waited: %v", err)
		}
	}
	select {
	case <-closed:
		t.Error("closed during an update")
	default:
	}
	close(gate)
	must(t, <-first)
	must(t, <-closed)
}

// However many reports run or wait, views and updates do not wait for them.
func TestReportsDelayNobody(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "castellan.db"))
	release, running := make(chan struct{}), make(chan struct{}, 10)
	var reports sync.WaitGroup
	for range cap(running) {
		reports.Go(func() {
			if err := s.Report(context.Background(), func(r storage.Reader) error {
				running <- struct{}{}
				<-release
				_, err := r.AllRunning()
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	<-running
	<-running
	fill(t, s)
	if got := read(t, s); len(got.Matches) != 1 {
		t.Errorf("a view sees %d matches", len(got.Matches))
	}
	close(release)
	reports.Wait()
}

func TestViewDuringUpdate(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "castellan.db"))
	must(t, s.View(context.Background(), func(r storage.Reader) error {
		for _, during := range []bool{false, true} {
			if during {
				fill(t, s)
			}
			if all, err := r.AllRunning(); err != nil || len(all) != 0 {
				t.Errorf("a view that had begun sees %d later matches (%v)", len(all), err)
			}
		}
		return nil
	}))
	if got := read(t, s); len(got.Matches) != 1 {
		t.Errorf("a view after it sees %d matches", len(got.Matches))
	}
}
