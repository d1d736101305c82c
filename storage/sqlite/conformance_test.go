package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
)

// open opens a database or fails the test.
func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestContractInAFile(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		return open(t, filepath.Join(t.TempDir(), "castellan.db"))
	})
}

func TestContractInMemory(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store { return open(t, sqlite.Memory) })
}
