package postgres_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/storagetest"
)

// BenchmarkUpdates measures a server that flushes every commit to the disk.
func BenchmarkUpdates(b *testing.B) {
	c := pgtest.New(b)
	storagetest.Benchmark(b, func(tb testing.TB) storage.Store { return open(tb, c.Migrated(tb)) })
}

// BenchmarkClaims measures claims from 1, 2, 4 and 8 clients at a time while 42,000
// boards are due. A claim takes up to 100 boards; they are given back one by one.
// GOMAXPROCS must be 1.
func BenchmarkClaims(b *testing.B) {
	c := pgtest.New(b)
	url := c.Migrated(b)
	s, now := open(b, url), time.Now()
	if _, err := raw(b, url).ExecContext(b.Context(), `
SET session_replication_role = replica; -- without the triggers that count
INSERT INTO matches (guild, channel, game, rules, options, seed, created_at, newest_at) SELECT '', n, 'a', 1, '', 1, 1, 1 FROM generate_series(1, 42000) n;
INSERT INTO boards (match_id, seq, guild, channel, message, notify, state, tries, next_at) SELECT id, 0, '', channel, '', 1, 'due', 0, 1 FROM matches;
ANALYZE`); err != nil {
		b.Fatal(err)
	}
	for _, clients := range []int{1, 2, 4, 8} {
		b.Run(strconv.Itoa(clients), func(b *testing.B) {
			var boards, claiming atomic.Int64
			b.SetParallelism(clients) // of GOMAXPROCS
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					began := time.Now()
					claimed, err := s.ClaimPosts(context.Background(), now, 100, time.Minute)
					claiming.Add(int64(time.Since(began)))
					boards.Add(int64(len(claimed.Boards)))
					for _, l := range claimed.MatchLeases {
						if err == nil {
							err = s.ReleaseShow(context.Background(), l)
						}
					}
					if err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(boards.Load())/b.Elapsed().Seconds(), "boards/s")
			b.ReportMetric(float64(boards.Load())/float64(b.N), "boards/claim")
			b.ReportMetric(float64(claiming.Load())/float64(b.N)/1e6, "ms/claim")
		})
	}
}
