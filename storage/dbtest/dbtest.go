// Package dbtest opens databases for the tests of the bot: SQLite's, or those of
// PostgreSQL if the environment variable CASTELLAN_DATABASE is "postgres".
package dbtest

import (
	"context"
	"os"

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
	return sqlite.Open(context.Background(), name, opts...)
}

// Rerun makes every update of a store run twice. It leaves PostgreSQL as it is,
// which has its own reasons to run an update again, and where a run that is undone
// leaves a gap in the numbers of matches and challenges.
func Rerun(s storage.Store) storage.Store {
	if Postgres() {
		return s
	}
	return &storagetest.Rerun{Store: s}
}
