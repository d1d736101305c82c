package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
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

// open opens a database.
func open(t testing.TB, path string, opts ...sqlite.Option) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, opts...)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
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

// Open, Read and Backup refuse a file with one sentence that names it, and change
// nothing.
func TestRefuses(t *testing.T) {
	t.Parallel()
	const foreign, notOurs, newerSays = "name a new file", "not a Castellan database", "run that version"
	in := func(name string, make func(t *testing.T, path string)) func(*testing.T, string) string {
		return func(t *testing.T, dir string) string {
			make(t, filepath.Join(dir, name))
			return filepath.Join(dir, name)
		}
	}
	other := func(statements ...string) func(*testing.T, string) string {
		return in("other.db", func(t *testing.T, path string) {
			db := raw(t, path)
			execute(t, db, statements...)
			must(t, db.Close())
		})
	}
	// left returns a database as a killed process leaves it.
	left := func(make func(t *testing.T, path string), statements ...string) func(*testing.T, string) string {
		return in("left.db", func(t *testing.T, path string) {
			from := filepath.Join(t.TempDir(), "left.db")
			make(t, from)
			execute(t, raw(t, from), statements...)
			crash(t, from, path)
		})
	}
	for _, tt := range []struct {
		name string
		// make prepares a folder and returns the file to open.
		make               func(t *testing.T, dir string) string
		is                 error
		open, read, backup string // what the errors say, or "" for what is not tried
	}{
		{"a text file", in("notes.txt", func(t *testing.T, path string) { write(t, path, []byte("remember the milk\n")) }), storage.ErrForeign, foreign, notOurs, notOurs},
		{"another program's database", other("CREATE TABLE songs (name)", "INSERT INTO songs VALUES ('la')"), storage.ErrForeign, foreign, notOurs, notOurs},
		{"another program's application ID", other("PRAGMA application_id = 77"), storage.ErrForeign, foreign, notOurs, notOurs},
		{"another program's database of a killed process", left(func(*testing.T, string) {}, "PRAGMA journal_mode = WAL", "CREATE TABLE songs (name)"), storage.ErrForeign, foreign, notOurs, notOurs},
		{"a newer schema", in("newer.db", newer), storage.ErrNewerSchema, newerSays, newerSays, newerSays},
		{"a newer schema of a killed process", left(func(t *testing.T, path string) { must(t, open(t, path).Close()) },
			"INSERT INTO goose_db_version (version_id, is_applied) VALUES (2030, 1)"), storage.ErrNewerSchema, newerSays, newerSays, newerSays},
		{"an older schema", in("older.db", older), nil, "", "start this program's bot with it once", ""},
		{"an empty file", in("empty.db", func(t *testing.T, path string) { write(t, path, nil) }), nil, "", "is empty", "is empty"},
		{"a damaged database", in("damaged.db", func(t *testing.T, path string) {
			must(t, open(t, path).Close())
			harm(t, path, 100) // all but the header
		}), nil, "damaged", "restore a backup", "damaged"},
		{"no file", in("no.db", func(*testing.T, string) {}), fs.ErrNotExist, "", "there is no such file", "there is no such file"},
		{"a folder", in("data", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o755)) }), nil, "is a folder", "is a folder", "is a folder"},
		{"a folder that is missing", in("no/castellan.db", func(*testing.T, string) {}), nil, "does not exist", "does not exist", "does not exist"},
		{"a file where the folder should be", in("file/castellan.db", func(t *testing.T, path string) { write(t, filepath.Dir(path), nil) }), nil, "is not a folder", "is not a folder", "is not a folder"},
		{"a link to nothing", in("link", func(t *testing.T, path string) { must(t, os.Symlink(filepath.Dir(path)+"/nothing", path)) }), nil, "/nothing, which does not exist", "", ""},
		{"no name", func(*testing.T, string) string { return "" }, nil, "empty", "", ""},
		{"a device", func(*testing.T, string) string { return os.DevNull }, nil, "not a regular file", "not a regular file", ""},
		{"memory", func(*testing.T, string) string { return sqlite.Memory }, nil, "", "name a file", "name a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := tt.make(t, dir)
			before := folder(t, dir)
			for _, use := range []struct {
				says string
				do   func() error
			}{
				{tt.open, func() error { _, err := sqlite.Open(t.Context(), path, sqlite.BusyTimeout(0)); return err }},
				{tt.read, func() error {
					return sqlite.Read(t.Context(), path, func(*sqlite.Store) error { t.Error("it is read"); return nil })
				}},
				{tt.backup, func() error { _, err := sqlite.Backup(t.Context(), path, t.TempDir()+"/copy.db", false); return err }},
			} {
				if use.says == "" {
					continue
				}
				err := use.do()
				if err == nil {
					t.Fatal("no error")
				}
				if tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("error is %v, want %v", err, tt.is)
				}
				sentence(t, err, path, use.says)
				unchanged(t, dir, before)
			}
		})
	}
}

// unchanged checks that a folder holds the same files, except for the index that
// SQLite makes of a log that it reads.
func unchanged(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	after := folder(t, dir)
	for _, files := range []map[string]string{before, after} {
		maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, "-shm") })
	}
	if !maps.Equal(after, before) {
		t.Errorf("of %v, some have changed: %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
}

// harm overwrites a file from an offset on.
func harm(t *testing.T, path string, from int) {
	t.Helper()
	data := readFile(t, path)
	write(t, path, append(data[:from], bytes.Repeat([]byte{0xa5}, len(data)-from)...))
}

// sentence checks that an error is one line with the file and some words.
func sentence(t *testing.T, err error, path, says string) {
	t.Helper()
	t.Log(err)
	if text := err.Error(); !strings.Contains(text, "cannot open "+path) || !strings.Contains(text, says) || strings.Contains(text, "\n") {
		t.Errorf("the error is\n%s\nwant one line that names %s and says %q", text, path, says)
	}
}

// newer makes a database with a newer schema.
func newer(t *testing.T, path string) {
	t.Helper()
	must(t, open(t, path).Close())
	db := raw(t, path)
	execute(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (2030, 1)")
	must(t, db.Close())
}

// older makes a database that lacks the last update of its schema.
func older(t *testing.T, path string) {
	t.Helper()
	must(t, open(t, path).Close())
	db := raw(t, path)
	execute(t, db, "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)")
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
			CheckAt: noon.Truncate(time.Second).Add(7 * 24 * time.Hour),
			Seats:   []storage.Person{{ID: "1", Name: "Zoë"}, {ID: "2", Name: "日本"}},
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
			storagetest.Append(tx, match, []storage.Entry{{Seq: 1, Kind: "action", Seat: 1, Text: "right", At: noon, Interaction: "9"}}),
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

// An update waits for the one that runs, until its context is done or the store closes.
// Close waits for the one that runs, which is committed.
func TestUpdatesWait(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "castellan.db"))
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
	none := func(storage.Tx) error { t.Error("an update that waits runs"); return nil }
	wait := func(ctx context.Context) <-chan error {
		waiting := make(chan error, n)
		for range n {
			go func() { waiting <- s.Update(ctx, none) }()
		}
		return waiting
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled, refused, closed := wait(ctx), wait(t.Context()), make(chan error, 1)
	cancel()
	for range n {
		if err := <-cancelled; !errors.Is(err, context.Canceled) {
			t.Errorf("an update that was cancelled: %v", err)
		}
	}
	go func() { closed <- s.Close() }()
	for range n {
		for _, err := range []error{<-refused, s.Update(t.Context(), none)} { // waited; came too late
			if !errors.Is(err, storage.ErrClosed) {
				t.Errorf("an update of a store that closes: %v", err)
			}
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
