package postgres_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// Processes get what is free, and their part when all want more than there is. What
// one has given up can be in use for a window.
func TestShareRequests(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	processes := map[string]*postgres.Store{"a": open(t, url), "b": open(t, url), "c": open(t, url)}
	db := raw(t, url)
	const window = time.Hour
	for i, tt := range []struct {
		passes  time.Duration // before
		process string
		wanted  int
		want    int
	}{
		{0, "a", 10, 10},
		{0, "a", 50, 50}, // nobody else is there
		{0, "b", 10, 0},
		{0, "a", 50, 41}, // in proportion
		{0, "b", 10, 0},  // the nine can have been used just now
		{window, "b", 10, 9},
		{0, "a", 20, 20},
		{window, "c", 50, 21}, // a has 20 and b has 9
		{0, "b", 10, 9},
		{window, "c", 50, 21}, // the slots of a have ended, but can have been used just now
		{2 * window, "c", 50, 50},
		{window, "c", 50, 50},
		{0, "a", 5, 0},
		{0, "c", 50, 45}, // a tenth is left for others
		{window, "a", 5, 5},
		{0, "c", 50, 45},
	} {
		if tt.passes > 0 {
			_, err := db.ExecContext(t.Context(), "UPDATE request_shares SET until = until - $1, reduced = reduced - $1", tt.passes.Milliseconds())
			must(t, err)
		}
		s, err := processes[tt.process].ShareRequests(t.Context(), storage.RequestUse{Limit: 50, Window: window, Wanted: tt.wanted})
		if err != nil || s.Slots != tt.want || s.For != 2*window {
			t.Errorf("step %d: %s wants %d and gets %+v, %v, want %d", i+1, tt.process, tt.wanted, s, err, tt.want)
		}
	}
}

// Whatever processes ask for, and however often, they never hold more slots together
// than there are.
func TestShareRequestsAtRandom(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	type span struct {
		slots    int
		from, to time.Time
	}
	const window, limit = 5 * time.Millisecond, 50
	var processes []*postgres.Store
	held := map[int][]span{} // by process
	for range 4 {
		processes = append(processes, open(t, url, postgres.Connections(1)))
	}
	random := rand.New(rand.NewPCG(1, 2))
	granted := 0
	for range 400 {
		i := random.IntN(len(processes))
		began := time.Now()
		s, err := processes[i].ShareRequests(t.Context(), storage.RequestUse{Limit: limit, Window: window, Wanted: random.IntN(limit + 1)})
		must(t, err)
		// The new slots replace the old ones, which may have been used just now.
		now := time.Now()
		if n := len(held[i]); n > 0 && held[i][n-1].to.After(began) {
			held[i][n-1].to = began
		}
		held[i] = append(held[i], span{s.Slots, now, began.Add(s.For)})
		granted += s.Slots
		sum := 0
		for _, spans := range held {
			most := 0
			for _, h := range spans {
				if h.to.After(h.from) && h.to.After(now.Add(time.Millisecond-window)) {
					most = max(most, h.slots)
				}
			}
			sum += most
		}
		if sum > limit {
			t.Fatalf("%d slots are held", sum)
		}
	}
	if granted < 400*limit/10 {
		t.Errorf("only %d slots were granted", granted)
	}
}

// Invalid requests are counted together, and a pause holds for all.
func TestSharedRefusals(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	a, b, db := open(t, url), open(t, url), raw(t, url)
	signals := signalsOf(t, b)
	ask := func(s *postgres.Store, invalid int, paused time.Duration) storage.RequestShare {
		t.Helper()
		share, err := s.ShareRequests(t.Context(), storage.RequestUse{Limit: 50, Window: time.Second, Wanted: 1, Invalid: invalid, Paused: paused})
		must(t, err)
		return share
	}
	ask(a, 3, 0)
	if s := ask(b, 2, 0); s.Invalid != 3 || s.Paused != 0 || s.Processes != 2 {
		t.Errorf("b gets %+v", s)
	}
	ask(a, 1, time.Hour)
	if s := ask(b, 0, 0); s.Invalid != 4 || s.Paused <= 59*time.Minute || s.Paused > time.Hour {
		t.Errorf("b gets %+v", s)
	}
	n := <-signals
	if left := time.UnixMilli(n.N).Sub(b.Now()); n.Kind != storage.RequestsPaused || left <= 59*time.Minute || left > time.Hour {
		t.Errorf("b hears %+v", n)
	}
	_, err := db.ExecContext(t.Context(), "UPDATE invalid_requests SET slot = slot - 60") // ten minutes
	must(t, err)
	if s := ask(b, 1, 0); s.Invalid != 0 {
		t.Errorf("ten minutes later, b gets %+v", s)
	}
	var rows int
	must(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM invalid_requests").Scan(&rows))
	if rows != 1 {
		t.Errorf("%d rows are left", rows)
	}
}
