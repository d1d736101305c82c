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

// However takers and leavers of the lock interleave, one has it at a time, and
// in the end nothing is left.
func TestTheLockHasOneHolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "castellan.db-lock")
	var holders, taken atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 300 {
				l, err := acquire(name)
				if errors.Is(err, storage.ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				taken.Add(1)
				holders.Add(-1)
				if err := l.release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if taken.Load() == 0 {
		t.Error("nobody has had the lock")
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file is left")
	}
}
