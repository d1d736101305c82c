package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
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
			if made.Matches != 1 || made.Entries != 1 || made.Version < 1 {
				t.Errorf("it says %+v", made)
			}
			unchanged(t, filepath.Dir(from), before)
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
	var acknowledged atomic.Int64
	during := int64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for !t.Failed() {
			select {
			case <-stop:
				return
			default:
			}
			d := transaction{id: fmt.Sprint("d", acknowledged.Load()), matches: []storage.MatchID{1, 2, 3}, entries: 10, size: 400}
			if err := d.run(s); err != nil {
				t.Error(err)
			}
			acknowledged.Add(1)
		}
	}()
	for range 6 {
		for last := acknowledged.Load(); acknowledged.Load() == last && !t.Failed(); {
			runtime.Gosched()
		}
		before := acknowledged.Load()
		to := filepath.Join(t.TempDir(), "copy.db")
		_, err := sqlite.Backup(t.Context(), path, to, false)
		must(t, err)
		during += acknowledged.Load() - before
		c := open(t, to)
		got, err := audit(c)
		must(t, err)
		for n := range before {
			if id := fmt.Sprint("d", n); !slices.Contains(got, id) {
				t.Errorf("the copy lacks %s", id)
			}
		}
		must(t, c.Close())
	}
	close(stop)
	<-stopped
	if during == 0 {
		t.Error("nothing was written while copies were made")
	}
	t.Logf("6 copies; %d transactions acknowledged while they were made", during)
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
		{"a damaged database", func(t *testing.T, dir string) (string, string) {
			path := dir + "/castellan.db"
			s := open(t, path)
			must(t, prepare(s))
			must(t, hugeTransaction("a").run(s))
			must(t, s.Close())
			harm(t, path, len(readFile(t, path))/2)
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
			unchanged(t, dir, before)
		})
	}
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
