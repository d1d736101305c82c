package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"castellan/storage/sqlite"
)

// asNobody runs fn without the powers of root over files. They are a matter of
// the thread, which ends with the goroutine that has locked it.
func asNobody(t *testing.T, fn func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		fn()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked
		const nobody = 65534
		if err := syscall.Setfsuid(nobody); err != nil {
			t.Errorf("become nobody: %v", err)
			return
		}
		fn()
	}()
	<-done
}

// reach lets everybody into a folder of the test.
func reach(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	for d, m := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: mode} {
		if err := os.Chmod(d, m); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
}

func TestOpenRefusesWhatCannotBeWritten(t *testing.T) {
	tests := []struct {
		name         string
		folder, file os.FileMode
		exists       bool
		says         string
	}{
		{"a new file in a folder", 0o555, 0, false, "nothing can be written in the folder"},
		{"an old file in a folder", 0o555, 0o666, true, "nothing can be written in the folder"},
		{"a file that is read-only", 0o777, 0o444, true, "cannot be read and written"},
		{"a file that cannot be read", 0o777, 0o000, true, "cannot be read and written"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "castellan.db")
			if tt.exists {
				s := open(t, path)
				fill(t, s)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, tt.file); err != nil {
					t.Fatal(err)
				}
			}
			reach(t, dir, tt.folder)
			asNobody(t, func() {
				s, err := sqlite.Open(context.Background(), path)
				if err == nil {
					s.Close()
					t.Error("it is opened")
					return
				}
				sentence(t, err, path, tt.says)
			})
			if list, err := os.ReadDir(dir); err != nil || len(list) > 1 || len(list) == 1 != tt.exists {
				t.Errorf("the folder holds %v (%v)", list, err)
			}
		})
	}
}
