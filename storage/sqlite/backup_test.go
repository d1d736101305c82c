package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// backup copies a database into an empty folder and checks that nothing else is
// left there.
func backup(t *testing.T, path string) (string, sqlite.BackupInfo) {
	t.Helper()
	dir := t.TempDir()
	to := filepath.Join(dir, "copy.db")
	made, err := sqlite.Backup(t.Context(), path, to, false)
	must(t, err)
	files := folder(t, dir)
	if len(files) != 1 || int64(len(files["copy.db"])) != made.Bytes || made.Path != to {
		t.Errorf("%+v, and the folder holds %d files", made, len(files))
	}
	return to, made
}

// A copy holds the same records, whether the database is open, closed or left by a
// killed process. The database does not change.
func TestBackup(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(t *testing.T, path string, s *sqlite.Store) string
	}{
		{"in use", func(_ *testing.T, path string, _ *sqlite.Store) string { return path }},
		{"closed", func(t *testing.T, path string, s *sqlite.Store) string {
			must(t, s.Close())
			return path
		}},
		{"left by a killed process", func(t *testing.T, path string, _ *sqlite.Store) string {
			left := filepath.Join(t.TempDir(), "castellan.db")
			crash(t, path, left)
			return left
		}},
		{"by a link", func(t *testing.T, path string, _ *sqlite.Store) string {
			link := filepath.Join(t.TempDir(), "link")
			must(t, os.Symlink(path, link))
			return link
		}},
		{"a copy", func(t *testing.T, path string, _ *sqlite.Store) string {
			to, _ := backup(t, path)
			return to
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "castellan.db")
			s := open(t, path)
			fill(t, s)
			want := read(t, s)
			from := tt.make(t, path, s)
			before := folder(t, filepath.Dir(from))
			to, made := backup(t, from)
			if made.Matches != 1 || made.Entries != 1 || made.Version < 3 {
				t.Errorf("it says %+v", made)
			}
			after := folder(t, filepath.Dir(from))
			for name, data := range before {
				if after[name] != data && !strings.HasSuffix(name, "-shm") {
					t.Errorf("%s has changed", name)
				}
			}
			for name := range after {
				if _, had := before[name]; !had && !strings.HasSuffix(name, "-shm") {
					t.Errorf("%s has appeared", name)
				}
			}
			if info, err := os.Stat(to); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("it is %v (%v)", info.Mode(), err)
			}
			same(t, read(t, open(t, to)), want)
		})
	}
}

// A copy made during writes is a snapshot: it holds complete transactions, among them
// all that were acknowledged before, and blocks nobody.
func TestBackupDuringWrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	must(t, prepare(s))
	stop, done := make(chan struct{}), make(chan error, 1)
	acknowledged := make(chan string)
	go func() {
		for n := 0; ; n++ {
			d := transaction{id: fmt.Sprint("d", n), matches: []storage.MatchID{1, 2, 3}, entries: 10, size: 400}
			if err := d.run(s, noPause); err != nil {
				done <- err
				return
			}
			select {
			case acknowledged <- d.id:
			case <-stop:
				done <- nil
				return
			}
		}
	}()
	var kept []string
	var during int
	for range 6 {
		kept = append(kept, <-acknowledged)
		type result struct {
			to  string
			err error
		}
		copied := make(chan result, 1)
		dir := t.TempDir()
		go func() {
			to := filepath.Join(dir, "copy.db")
			_, err := sqlite.Backup(context.Background(), path, to, false)
			copied <- result{to, err}
		}()
		var r result
		before := slices.Clone(kept)
		for waiting := true; waiting; {
			select {
			case id := <-acknowledged:
				kept = append(kept, id)
				during++
			case r = <-copied:
				waiting = false
			}
		}
		if r.err != nil {
			t.Fatal(r.err)
		}
		c := open(t, r.to)
		got, err := audit(c)
		must(t, err)
		if lost := without(before, got); len(lost) > 0 {
			t.Errorf("the copy lacks %v", lost)
		}
		must(t, c.Close())
	}
	close(stop)
	must(t, <-done)
	if during == 0 {
		t.Error("nothing was written while copies were made")
	}
	t.Logf("6 copies; %d transactions acknowledged while they were made", during)
}

// A copy has the schema of its database; Open updates it.
func TestBackupOlderSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	old(t, path, 1, `INSERT INTO matches (guild, channel, game, rules, options, seed, created_at, newest_at) VALUES ('g', 'c', 'a-game', 1, '', 7, 1, 1)`)
	before := readFile(t, path)
	to, made := backup(t, path)
	if made.Version != 1 || made.Matches != 1 {
		t.Errorf("it says %+v", made)
	}
	if !reflect.DeepEqual(readFile(t, path), before) {
		t.Error("the database has changed")
	}
	must(t, open(t, to).View(t.Context(), func(r storage.Reader) error {
		m, err := r.Match(1)
		if err == nil && m.Game != "a-game" {
			t.Errorf("the copy holds %+v", m)
		}
		return err
	}))
}

// Each error is one sentence, and nothing changes.
func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	source := func(t *testing.T, dir string) string {
		path := filepath.Join(dir, "castellan.db")
		s := open(t, path)
		fill(t, s)
		must(t, s.Close())
		return path
	}
	for _, tt := range []struct {
		name    string
		make    func(t *testing.T, dir string) (from, to string)
		replace bool
		is      error
		says    string
	}{
		{"a file that is there", func(t *testing.T, dir string) (string, string) {
			write(t, dir+"/copy.db", []byte("dear"))
			return source(t, dir), dir + "/copy.db"
		}, false, fs.ErrExist, "name a new file"},
		{"the database itself", func(t *testing.T, dir string) (string, string) {
			path := source(t, dir)
			return path, path
		}, true, nil, "it is the database itself"},
		{"a database that is in use", func(t *testing.T, dir string) (string, string) {
			fill(t, open(t, dir+"/other.db"))
			return source(t, dir), dir + "/other.db"
		}, true, nil, "in use"},
		{"a folder that is missing", func(t *testing.T, dir string) (string, string) {
			return source(t, dir), dir + "/no/copy.db"
		}, false, nil, "does not exist"},
		{"a folder", func(t *testing.T, dir string) (string, string) { return source(t, dir), dir }, true, nil, "is a folder"},
		{"no database", func(_ *testing.T, dir string) (string, string) { return dir + "/no.db", dir + "/copy.db" }, false, fs.ErrNotExist, "there is no such file"},
		{"an empty file", func(t *testing.T, dir string) (string, string) {
			write(t, dir+"/empty.db", nil)
			return dir + "/empty.db", dir + "/copy.db"
		}, false, nil, "is empty"},
		{"memory", func(_ *testing.T, dir string) (string, string) { return sqlite.Memory, dir + "/copy.db" }, false, nil, "name a file"},
		{"something else", func(t *testing.T, dir string) (string, string) {
			write(t, dir+"/notes.txt", []byte("remember the milk\n"))
			return dir + "/notes.txt", dir + "/copy.db"
		}, false, storage.ErrForeign, "not a Castellan database"},
		{"a newer schema", func(t *testing.T, dir string) (string, string) {
			future(t, dir+"/castellan.db")
			return dir + "/castellan.db", dir + "/copy.db"
		}, false, storage.ErrNewerSchema, "run that version"},
		{"a damaged database", func(t *testing.T, dir string) (string, string) {
			path := dir + "/castellan.db"
			s := open(t, path)
			must(t, prepare(s))
			must(t, hugeTransaction("a").run(s, noPause))
			must(t, s.Close())
			data := readFile(t, path)
			for i := len(data) / 2; i < len(data); i++ {
				data[i] = 0xa5
			}
			write(t, path, data)
			write(t, dir+"/copy.db", []byte("the last good one"))
			return path, dir + "/copy.db"
		}, true, storage.ErrCorrupt, "castellan verify"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			from, to := tt.make(t, dir)
			before := folder(t, dir)
			_, err := sqlite.Backup(t.Context(), from, to, tt.replace)
			if err == nil {
				t.Fatal("no error")
			}
			t.Log(err)
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error is %v, want %v", err, tt.is)
			}
			if text := err.Error(); !strings.Contains(text, tt.says) || strings.Contains(text, "\n") {
				t.Errorf("the error %q does not say %q in a line", text, tt.says)
			}
			if after := folder(t, dir); !reflect.DeepEqual(after, before) {
				t.Error("the folder has changed")
			}
		})
	}
}

func TestBackupReplaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, to := filepath.Join(dir, "castellan.db"), filepath.Join(dir, "copy.db")
	s := open(t, path)
	fill(t, s)
	write(t, to, []byte("an older copy"))
	if _, err := sqlite.Backup(t.Context(), path, to, true); err != nil {
		t.Fatal(err)
	}
	same(t, read(t, open(t, to)), read(t, s))
}

func TestBackupCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "castellan.db")
	fill(t, open(t, path))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sqlite.Backup(ctx, path, filepath.Join(dir, "copy.db"), false); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	for name := range folder(t, dir) {
		if strings.HasPrefix(name, "copy") {
			t.Errorf("%s is left", name)
		}
	}
}

// A backup is restored and the write-ahead log of the old database is left beside
// it. SQLite would apply it to the backup.
func TestBackupBesideOldLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	must(t, prepare(s))
	one := func(n int) {
		t.Helper()
		must(t, (transaction{id: fmt.Sprint(n), matches: []storage.MatchID{1, 2, 3}, entries: 5, size: 3000}).run(s, noPause))
	}
	one(0)
	copied, _ := backup(t, path)
	execute(t, sqlite.Writer(s), "PRAGMA wal_checkpoint(RESTART)")
	for n := range 20 {
		one(n + 1)
	}

	dir := t.TempDir()
	restored := filepath.Join(dir, "castellan.db")
	write(t, restored, readFile(t, copied))
	write(t, restored+"-wal", readFile(t, path+"-wal"))
	before := folder(t, dir)
	refused, err := sqlite.Open(t.Context(), restored)
	if err == nil {
		refused.Close()
		t.Fatal("no error")
	}
	sentence(t, err, restored, "move castellan.db-wal")
	if !reflect.DeepEqual(folder(t, dir), before) {
		t.Error("the folder has changed")
	}
	must(t, os.Remove(restored+"-wal"))
	wantTransactions(t, open(t, restored), []string{"0"})
}
