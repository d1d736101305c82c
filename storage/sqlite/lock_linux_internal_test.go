package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A process that is being started has a copy of every file descriptor until it
// runs its program. Such a copy does not keep a released database locked.
func TestReleaseWhileAProcessStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	must(t, os.WriteFile(path, nil, 0o600))
	lock, err := lockFile(path)
	must(t, err)
	copied := false
	for fd := range 1000 {
		if name, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); name == path {
			inherited, err := syscall.Dup(fd)
			must(t, err)
			defer syscall.Close(inherited)
			copied = true
			break
		}
	}
	if !copied {
		t.Fatal("the descriptor of the database was not found")
	}
	must(t, lock())
	if lock, err = lockFile(path); err != nil {
		t.Fatalf("locking it again: %v", err)
	}
	if err := lock(); err != nil {
		t.Error(err)
	}
}
