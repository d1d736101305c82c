package dbfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"castellan/storage/sqlite/internal/dbfile"
)

// A process that is being started has a copy of every file descriptor until it
// runs its program. Such a copy does not keep a released database locked.
func TestReleaseWhileAProcessStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := dbfile.LockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := false
	for fd := range 1000 {
		if name, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); name == path {
			inherited, err := syscall.Dup(fd)
			if err != nil {
				t.Fatal(err)
			}
			defer syscall.Close(inherited)
			copied = true
			break
		}
	}
	if !copied {
		t.Fatal("the descriptor of the database was not found")
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if lock, err = dbfile.LockFile(path); err != nil {
		t.Fatalf("locking it again: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
}
