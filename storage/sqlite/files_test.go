package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
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
			return storagetest.Append(tx, 1, []storage.Entry{{Seq: m.Seq + 1, Kind: "action", Seat: 1, Text: "right", At: noon}})
		}))
	}
}

func entries(t *testing.T, s *sqlite.Store) int { t.Helper(); return len(read(t, s).Entries) }

// A log without its database, or beside a backup, is left alone: SQLite would discard
// it, or destroy the backup with it.
func TestLeftoverLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, killed := dir+"/castellan.db", dir+"/killed.db"
	s := open(t, path)
	fill(t, s)
	must(t, s.Close())
	s = open(t, path)
	commit(t, s, 8)
	crash(t, path, killed)
	must(t, s.Close())
	finished, log := readFile(t, path), readFile(t, killed+"-wal")
	backup := dir + "/backup.db"
	_, err := sqlite.Backup(context.Background(), path, backup, false)
	must(t, err)

	for name, tt := range map[string]struct {
		db      []byte // nil if missing
		entries int    // 0 if refused
		says    string
	}{
		"its database":                 {readFile(t, killed), 9, ""},
		"its database, with all of it": {finished, 9, ""},
		"no database":                  {nil, 0, "put castellan.db back"},
		"an empty file":                {[]byte{}, 0, "put castellan.db back"},
		"a backup":                     {readFile(t, backup), 0, "belongs to the database that was here before"},
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
			unchanged(t, dir, before)
		})
	}
}

// crowd makes SQLite forget every page that a connection of this process remembers and does
// not use: they share the memory for pages, and take it from each other.
func crowd(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(`PRAGMA cache_size = 10; PRAGMA synchronous = OFF; CREATE TABLE filler (content BLOB);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 2000) INSERT INTO filler SELECT zeroblob(4000) FROM n`)
	return err
}

// If files disappear, are replaced or cut off while the database is open, updates are not
// acknowledged any more, because nobody would find them again. If the process is killed
// then, everything that was acknowledged is in the database or beside it.
func TestReplacedFiles(t *testing.T) {
	t.Parallel()
	cut := func(share int64) func(path string) error {
		return func(path string) error {
			info, err := os.Stat(path + "-wal")
			return errors.Join(err, os.Truncate(path+"-wal", info.Size()*share/4))
		}
	}
	for name, tt := range map[string]struct {
		replace func(path string) error // nil during an update
		saved   string                  // the suffix of the file that has everything
	}{
		"removed":      {os.Remove, "-saved"},
		"both removed": {func(path string) error { return errors.Join(os.Remove(path), os.Remove(path+"-wal")) }, "-saved"},
		"log removed":  {func(path string) error { return os.Remove(path + "-wal") }, ""},
		"moved":        {func(path string) error { return os.Rename(path, path+".old") }, "-saved"},
		"replaced": {func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, nil, 0o600))
		}, "-saved"},
		"log replaced": {func(path string) error {
			return errors.Join(os.Rename(path+"-wal", path+".old"), os.WriteFile(path+"-wal", nil, 0o600))
		}, ""},
		"log emptied": {cut(0), ""},
		"log cut off": {cut(3), ""},
		"log emptied, and other connections have needed memory": {func(path string) error {
			return errors.Join(crowd(path+".other"), cut(0)(path))
		}, ""},
		"folder moved":     {func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".old") }, "none"},
		"during an update": {nil, "-saved"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data", "castellan.db")
			must(t, os.Mkdir(filepath.Dir(path), 0o700))
			s := open(t, path)
			fill(t, s)
			commit(t, s, 20)
			must(t, s.Intact())
			if tt.replace != nil {
				must(t, tt.replace(path))
			}
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				if tt.replace == nil {
					must(t, os.Remove(path))
				}
				return tx.SetPreferences(storage.Preferences{Person: "1"})
			})
			if !errors.Is(err, storage.ErrReplaced) || !errors.Is(s.Intact(), storage.ErrReplaced) {
				t.Errorf("update: %v, intact: %v", err, s.Intact())
			}
			t.Log(err)
			if inPlace := !strings.HasPrefix(name, "log "); inPlace && entries(t, s) != 21 { // reading goes on
				t.Error("entries are missing")
			}
			if tt.saved != "none" {
				killed := filepath.Join(t.TempDir(), "castellan.db") // as it is found after a kill
				write(t, killed, readFile(t, path+tt.saved))
				if n := entries(t, open(t, killed)); n != 21 || !strings.Contains(err.Error(), "saved in castellan.db"+tt.saved+":") {
					t.Errorf("%d entries are saved, and the error is %v", n, err)
				}
			}
			if tt.saved == "-saved" {
				write(t, path+"2-saved", nil)
				if _, err := sqlite.Open(t.Context(), path+"2"); err == nil || !strings.Contains(err.Error(), "put castellan.db2-saved in the place") {
					t.Errorf("beside what was saved: %v", err)
				}
			}
			if name == "moved" {
				must(t, os.Rename(path+".old", path))
				must(t, s.Intact())
				commit(t, s, 1)
				must(t, s.Close())
				if n := entries(t, open(t, path)); n != 22 {
					t.Errorf("after moving it back there are %d entries", n)
				}
			}
		})
	}
}

// If nothing can be saved of a log that was cut off, it is said how many changes are lost.
func TestLostChanges(t *testing.T) {
	t.Parallel()
	for _, share := range []int64{0, 1, 2, 3} {
		path := filepath.Join(t.TempDir(), "castellan.db")
		s := open(t, path)
		fill(t, s)
		commit(t, s, 20)
		sqlite.ForgetLog(s) // as if it were too large
		info, err := os.Stat(path + "-wal")
		must(t, err)
		must(t, os.Truncate(path+"-wal", info.Size()*share/4))
		err = s.Intact()
		killed := filepath.Join(t.TempDir(), "castellan.db")
		write(t, killed, readFile(t, path))
		write(t, killed+"-wal", readFile(t, path+"-wal"))
		left := 0
		if share > 0 { // otherwise not even the tables
			left = entries(t, open(t, killed))
		}
		if want := fmt.Sprintf("the newest %d changes are lost", 21-left); !errors.Is(err, storage.ErrReplaced) || left > 0 && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		t.Log(left, err)
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
