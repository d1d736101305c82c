package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/migrations"
	"castellan/storage/postgres/pgtest"
)

// next is the migrations of a later version that programs of this one can use.
var next = os.DirFS("migrations")

// changing returns them with one after which programs of this version cannot go on.
func changing(t *testing.T) fs.FS {
	t.Helper()
	files := fstest.MapFS{"9002_changing.sql": {Data: []byte(`-- +goose Up
COMMENT ON TABLE goose_db_version IS 'used by programs that know version 9001';
LOCK TABLE updates IN EXCLUSIVE MODE;
ALTER TABLE challenges DROP COLUMN later;
`)}}
	names, err := fs.Glob(next, "*.sql")
	must(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(next, name)
		must(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	return files
}

// While a later version updates the schema, programs of this version go on, and lose
// nothing. They can also be started then.
func TestRollingUpgrade(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	first := open(t, url)
	db := raw(t, url+"&lock_timeout=300ms") // as the program has it
	const clients = 6
	var (
		ids      [clients]storage.MatchID
		acked    [clients]atomic.Int64
		running  sync.WaitGroup
		stop     atomic.Bool
		progress = make(chan struct{})
	)
	load := func(s *postgres.Store, from, to int) {
		for i := from; i < to; i++ {
			running.Go(func() {
				for !stop.Load() {
					n := int(acked[i].Load())
					err := s.Update(context.WithoutCancel(t.Context()), func(tx storage.Tx) error { return appendEntry(tx, ids[i], n) })
					if err == nil {
						err = s.View(context.WithoutCancel(t.Context()), func(r storage.Reader) error {
							if m, err := r.Match(ids[i]); err != nil || m.Seq != n+1 {
								return fmt.Errorf("match %d has %d entries, not %d: %w", m.ID, m.Seq, n+1, err)
							}
							return nil
						})
					}
					if err != nil {
						t.Error(err)
						return
					}
					acked[i].Add(1)
					select {
					case progress <- struct{}{}:
					default:
					}
				}
			})
		}
	}
	for i := range ids {
		ids[i] = insertMatch(t, first)
	}
	advance := func() { // until all that was going on has ended, and more
		for range 3 * clients {
			<-progress
		}
	}
	load(first, 0, clients/2)
	advance()
	must(t, migrations.UpWith(t.Context(), db, next))
	advance()
	second := open(t, url) // another program of this version is started
	load(second, clients/2, clients)
	advance()
	// A migration that would stop them is refused.
	if err := migrations.UpWith(t.Context(), db, changing(t)); err == nil || !strings.Contains(err.Error(), "an older version is connected") {
		t.Errorf("a migration that stops running programs: %v", err)
	}
	advance()
	stop.Store(true)
	go func() { running.Wait(); close(progress) }()
	for range progress {
	}
	for i, id := range ids {
		if n := seqOf(t, second, id); n != int(acked[i].Load()) || n == 0 {
			t.Errorf("match %d has %d entries, %d were acknowledged", id, n, acked[i].Load())
		}
	}
	must(t, first.Close())
	must(t, second.Close())
	waitFor(t, db, "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'castellan%'")
	must(t, migrations.UpWith(t.Context(), db, changing(t)))
	if _, err := postgres.Open(t.Context(), url); !errors.Is(err, storage.ErrNewerSchema) {
		t.Errorf("a program that cannot use the schema: %v", err)
	}
}
