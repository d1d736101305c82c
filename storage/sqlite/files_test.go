package sqlite_test

import (
	"context"
	"errors"
	"maps"
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

// commit commits n transactions of one entry each.
func commit(t *testing.T, s *sqlite.Store, n int) {
	t.Helper()
	for range n {
		must(t, s.Update(context.Background(), func(tx storage.Tx) error {
			m, err := tx.Match(1)
			if err != nil {
				return err
			}
			return tx.Append(1, m.Seq, []storage.Entry{{Seq: m.Seq + 1, Kind: "action", Seat: 1, Text: "right", At: noon}})
		}))
	}
}

func entries(t *testing.T, s *sqlite.Store) int { t.Helper(); return len(read(t, s).Entries) }

// A log without its database, or beside another one, is left alone: SQLite
// would discard it, or destroy the database with it.
func TestLeftoverLog(t *testing.T) {
	t.Parallel()
	// The log of the killed process begins after the third transaction.
	dir := t.TempDir()
	path, killed := dir+"/castellan.db", dir+"/killed.db"
	var copies [4][]byte
	for i := range copies {
		s := open(t, path)
		if i == 0 {
			fill(t, s)
		} else {
			commit(t, s, 1)
		}
		must(t, s.Close())
		copies[i] = readFile(t, path)
	}
	s := open(t, path)
	commit(t, s, 5)
	crash(t, path, killed)
	must(t, s.Close())
	finished, log := readFile(t, path), readFile(t, killed+"-wal")
	backup := dir + "/backup.db"
	_, err := sqlite.Backup(context.Background(), path, backup, false)
	must(t, err)
	other := dir + "/other.db"
	s = open(t, other)
	fill(t, s)
	must(t, s.Close())

	for name, tt := range map[string]struct {
		db      []byte // nil if missing
		entries int    // 0 if refused
		says    string
	}{
		"its database":                    {readFile(t, killed), 9, ""},
		"its database before the log":     {copies[3], 9, ""},
		"its database, with all of it":    {finished, 9, ""},
		"no database":                     {nil, 0, "put castellan.db back"},
		"an empty file":                   {[]byte{}, 0, "put castellan.db back"},
		"a copy that is one change older": {copies[2], 0, "does not belong to this castellan.db"},
		"an old copy":                     {copies[0], 0, "does not belong to this castellan.db"},
		"a new database":                  {readFile(t, other), 0, "does not belong to this castellan.db"},
		"a backup":                        {readFile(t, backup), 0, "belongs to the database that was here before"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := dir + "/castellan.db"
			write(t, path+"-wal", log)
			if tt.db != nil {
				write(t, path, tt.db)
			}
			before := folder(t, dir)
			s, err := sqlite.Open(context.Background(), path)
			if tt.entries > 0 {
				must(t, err)
				defer s.Close()
				if n := entries(t, s); n != tt.entries {
					t.Errorf("there are %d entries, want %d", n, tt.entries)
				}
				return
			}
			if err == nil {
				s.Close()
				t.Fatal("it is opened")
			}
			sentence(t, err, path, tt.says)
			after := folder(t, dir)
			maps.DeleteFunc(after, func(name, _ string) bool { return strings.HasSuffix(name, "-shm") }) // the index of the log
			if !reflect.DeepEqual(after, before) {
				t.Errorf("the folder has changed: %v", slices.Collect(maps.Keys(after)))
			}
		})
	}
}

// If files disappear or are replaced while the database is open, updates are not
// acknowledged any more, because nobody would find them again.
func TestReplacedFiles(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(path string) error{
		"removed":     os.Remove,
		"log removed": func(path string) error { return os.Remove(path + "-wal") },
		"moved":       func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, nil, 0o600))
		},
		"log replaced": func(path string) error {
			return errors.Join(os.Rename(path+"-wal", path+".old"), os.WriteFile(path+"-wal", nil, 0o600))
		},
		"folder moved":     func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".old") },
		"during an update": nil,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data", "castellan.db")
			must(t, os.Mkdir(filepath.Dir(path), 0o700))
			s := open(t, path)
			fill(t, s)
			must(t, s.Intact())
			if replace != nil {
				must(t, replace(path))
			}
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				if replace == nil {
					must(t, os.Remove(path))
				}
				return tx.SetPreferences(storage.Preferences{Person: "1"})
			})
			if !errors.Is(err, storage.ErrReplaced) || !errors.Is(s.Intact(), storage.ErrReplaced) {
				t.Errorf("update: %v, intact: %v", err, s.Intact())
			}
			t.Log(err)
			if n := entries(t, s); n != 1 { // reading goes on
				t.Errorf("there are %d entries", n)
			}
			if name == "moved" {
				must(t, os.Rename(path+".old", path))
				must(t, s.Intact())
				commit(t, s, 1)
				must(t, s.Close())
				if n := entries(t, open(t, path)); n != 2 {
					t.Errorf("after moving it back there are %d entries", n)
				}
			}
		})
	}
}

// The database file itself is locked: neither another name of it nor the removal
// of the lock file lets a second store in.
func TestLockOfTheFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux keeps flock apart from the locks of SQLite")
	}
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	fill(t, s)
	must(t, s.Close())
	linked := filepath.Join(t.TempDir(), "linked.db")
	must(t, os.Link(path, linked))
	for _, tt := range []struct{ name, path string }{{"another name", linked}, {"without the file beside it", path}} {
		other := startChild(t, "holder", path)
		if line := other.line(); line != "held" {
			t.Fatalf("the other process says %q", line)
		}
		must(t, os.Remove(path+"-lock"))
		if s, err := sqlite.Open(context.Background(), tt.path); !errors.Is(err, storage.ErrLocked) {
			t.Errorf("%s: error is %v, want ErrLocked", tt.name, err)
			s.Close()
		}
		other.kill()
		// A second store of this process neither gets in nor frees the locks
		// that SQLite holds for the first.
		s := open(t, path)
		must(t, os.Remove(path+"-lock"))
		if second, err := sqlite.Open(context.Background(), tt.path); !errors.Is(err, storage.ErrLocked) {
			t.Errorf("%s, same process: error is %v, want ErrLocked", tt.name, err)
			second.Close()
		}
		must(t, s.Update(context.Background(), func(storage.Tx) error {
			locker := startChild(t, "locker", path)
			if line := locker.line(); !strings.HasPrefix(line, "failed") {
				t.Errorf("%s: another process can write during an update: %q", tt.name, line)
			}
			locker.kill()
			return nil
		}))
		must(t, s.Close())
	}
}

// Only the owner can read the files.
func TestFileMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no permission bits")
	}
	path := filepath.Join(t.TempDir(), "castellan.db")
	fill(t, open(t, path))
	for _, suffix := range []string{"", "-wal", "-shm", "-lock"} {
		info, err := os.Stat(path + suffix)
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("castellan.db%s: %v", suffix, info.Mode())
		}
	}
}
