package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"castellan/storage"
)

// At most one goroutine holds the lock at a time, and no file is left.
func TestLockHasOneHolder(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "castellan.db-lock")
	var holders, taken atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 300 {
				l, err := acquireLock(name)
				if errors.Is(err, storage.ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d goroutines hold the lock", n)
				}
				taken.Add(1)
				holders.Add(-1)
				if err := l(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if taken.Load() == 0 {
		t.Error("nobody got the lock")
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file still exists")
	}
}
