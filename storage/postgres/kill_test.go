package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"castellan/storage"
	"castellan/storage/postgres/pgtest"
)

// A server that is killed again and again loses nothing that was acknowledged, and
// nothing is written twice. CASTELLAN_KILLS is the number of kills, up to ten.
func TestServerKills(t *testing.T) {
	t.Parallel()
	kills, err := strconv.Atoi(os.Getenv("CASTELLAN_KILLS"))
	if err != nil {
		t.Skip("CASTELLAN_KILLS is not set")
	}
	c := pgtest.New(t)
	url := c.Migrated(t)
	var (
		wg      sync.WaitGroup
		written atomic.Int64
		retried atomic.Int64
		stop    = make(chan struct{})
	)
	const writers = 8
	ids, acknowledged := make([]storage.MatchID, writers), make([]int, writers)
	stores := []storage.Store{open(t, url), open(t, url)} // as two processes
	for w := range writers {
		ids[w] = insertMatch(t, stores[0])
		s := stores[w%2]
		wg.Go(func() {
			for n := 1; ; n++ {
				interaction := fmt.Sprint(w, "-", n)
				err := s.Update(t.Context(), func(tx storage.Tx) error {
					return errors.Join(tx.MarkProcessed(storage.ProcessedInteraction{Interaction: interaction, At: noon}), appendEntry(tx, ids[w], n-1))
				})
				switch {
				case errors.Is(err, storage.ErrUnreachable), errors.Is(err, storage.ErrOutcomeUnknown):
					retried.Add(1)
					n-- // the same again, as a person would
				case err == nil, errors.Is(err, storage.ErrAlreadyProcessed):
					acknowledged[w] = n
					written.Add(1)
				default:
					t.Errorf("writer %d, update %d: %v", w, n, err)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for range min(kills, 10) {
		for before := written.Load(); written.Load() < before+200 && !t.Failed(); {
			runtime.Gosched()
		}
		must(t, c.Kill())
		must(t, c.Start())
	}
	close(stop)
	wg.Wait()
	for w, id := range ids {
		if seq := seqOf(t, stores[0], id); seq != acknowledged[w] && seq != acknowledged[w]+1 {
			t.Errorf("writer %d: %d updates acknowledged, %d written", w, acknowledged[w], seq)
		}
	}
	t.Logf("%d kills, %d updates acknowledged, %d reported as failed or unknown", min(kills, 10), written.Load(), retried.Load())
}
