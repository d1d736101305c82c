package postgres_test

import (
	"flag"
	"os"
	"testing"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/storagetest"
)

// open opens a database.
func open(t testing.TB, url string, opts ...postgres.Option) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, opts...)
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

func TestContract(t *testing.T) {
	if os.Getenv("CASTELLAN_FULL") == "" {
		if err := flag.Set("rapid.checks", "3"); err != nil {
			t.Fatal(err)
		}
	}
	storagetest.Run(t, func(t testing.TB) storage.Store { return open(t, pgtest.Migrated(t)) })
}
