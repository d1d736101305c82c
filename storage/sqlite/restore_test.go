package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// A backup is put in the place of a database, and the write-ahead log of the
// old one has been forgotten beside it. SQLite would apply it to the backup.
func TestABackupBesideTheLogOfTheOldDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	if err := prepare(s); err != nil {
		t.Fatal(err)
	}
	one := func(n int) {
		t.Helper()
		if err := (deed{id: fmt.Sprint(n), matches: []storage.MatchID{1, 2, 3}, entries: 5, size: 3000}).carryOut(s, noGate); err != nil {
			t.Fatal(err)
		}
	}
	one(0)
	copied, _ := backup(t, path)
	execute(t, sqlite.Writer(s), "PRAGMA wal_checkpoint(RESTART)")
	for n := range 20 {
		one(n + 1)
	}

	dir := t.TempDir()
	restored := filepath.Join(dir, "castellan.db")
	write(t, restored, slurp(t, copied))
	write(t, restored+"-wal", slurp(t, path+"-wal"))
	before := folder(t, dir)
	refused, err := sqlite.Open(t.Context(), restored)
	if err == nil {
		refused.Close()
		t.Fatal("it is opened")
	}
	sentence(t, err, restored, "move castellan.db-wal")
	if !reflect.DeepEqual(folder(t, dir), before) {
		t.Error("the folder has changed")
	}
	if err := os.Remove(restored + "-wal"); err != nil {
		t.Fatal(err)
	}
	holds(t, open(t, restored), []string{"0"})
}
