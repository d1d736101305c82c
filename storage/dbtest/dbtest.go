// Package dbtest opens databases for the tests of the bot: SQLite's, or those of
// PostgreSQL if the environment variable CASTELLAN_DATABASE is "postgres".
package dbtest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
)

// Postgres reports whether tests use PostgreSQL.
func Postgres() bool { return os.Getenv("CASTELLAN_DATABASE") == "postgres" }

// Memory opens an empty database that is gone after the test. The caller closes
// it.
func Memory(tb pgtest.TB, opts ...sqlite.Option) storage.Store {
	tb.Helper()
	name := sqlite.Memory
	if Postgres() {
		name = pgtest.Migrated(tb)
	}
	s, err := Open(name, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// Name returns the name of an empty database for Open that is gone after the test:
// file, or a URL.
func Name(tb pgtest.TB, file string) string {
	tb.Helper()
	if Postgres() {
		return pgtest.Migrated(tb)
	}
	return file
}

// Open opens a database that Name returned. The options are for SQLite alone.
func Open(name string, opts ...sqlite.Option) (storage.Store, error) {
	if Postgres() {
		return postgres.Open(context.Background(), name, postgres.Connections(4))
	}
	image, err := empty()
	if err != nil {
		return nil, err
	}
	if name == sqlite.Memory {
		opts = append(opts, sqlite.Image(image))
	} else if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(name, image, 0o600); err != nil {
			return nil, err
		}
	}
	return sqlite.Open(context.Background(), name, opts...)
}

// empty returns the file of an empty database. The migrations, which take longer
// than most tests, run once.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "empty.db")
	s, err := sqlite.Open(context.Background(), file)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// Rerun makes every update of a store run twice. It leaves PostgreSQL as it is,
// which has its own reasons to run an update again, and where a run that is undone
// leaves a gap in the numbers of matches and challenges.
func Rerun(s storage.Store) storage.Store {
	if Postgres() {
		return s
	}
	return &storagetest.Rerun{Store: s}
}
