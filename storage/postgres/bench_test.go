package postgres_test

import (
	"testing"

	"castellan/storage"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/storagetest"
)

// BenchmarkUpdates measures a server that flushes every commit to the disk.
func BenchmarkUpdates(b *testing.B) {
	c := pgtest.New(b)
	storagetest.Benchmark(b, func(tb testing.TB) storage.Store { return open(tb, c.Migrated(tb)) })
}
