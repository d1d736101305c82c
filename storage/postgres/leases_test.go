package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// An update sees that a lease was lost after its snapshot was taken: it runs again.
func TestLeaseLostDuringUpdate(t *testing.T) {
	url := pgtest.Migrated(t)
	reruns := 0
	s, other := open(t, url, postgres.OnRerun(func(error) { reruns++ })), open(t, url)
	ctx := t.Context()
	id := insertMatch(t, s)
	for _, test := range []struct {
		name string
		lose func(storage.Lease) error
		want error
	}{
		{"acquired", func(l storage.Lease) error {
			_, err := other.AcquireLease(ctx, l.Name, "b", "", 0)
			return err
		}, storage.ErrFenced},
		{"renewed", func(l storage.Lease) error {
			_, err := other.RenewLease(ctx, l, 0)
			return err
		}, nil},
		{"released", func(l storage.Lease) error { return other.ReleaseLease(ctx, l) }, storage.ErrFenced},
	} {
		lease, err := s.AcquireLease(ctx, "shard/0", "a", "", 0)
		must(t, err)
		runs := 0
		reruns = 0
		err = s.Update(context.Background(), func(tx storage.Tx) error {
			if _, err := tx.Match(id); err != nil { // takes the snapshot
				return err
			}
			if runs++; runs == 1 {
				must(t, test.lose(lease))
			}
			return tx.CheckLease(lease)
		})
		if !errors.Is(err, test.want) || runs != 2 || reruns != 1 {
			t.Errorf("%s: %d runs, error %v, want 2 and %v", test.name, runs, err, test.want)
		}
	}
}

// Tokens grow even if the server's clock goes back. Leases that nobody needs are
// deleted after some days. One that was just released is not, because its note is for
// the next holder: in an update, a process starts while another one hands over.
func TestOldLeases(t *testing.T) {
	url := pgtest.Migrated(t)
	s := open(t, url)
	l, err := s.AcquireLease(t.Context(), "shard/0", "a", "", 0)
	must(t, err)
	db := raw(t, url)
	_, err = db.ExecContext(t.Context(), "UPDATE leases SET token = token + 1000000000000")
	must(t, err)
	if again, err := s.AcquireLease(t.Context(), "shard/0", "b", "", time.Hour); err != nil || again.Token != l.Token+1e12+1 {
		t.Errorf("after token %d, the next is %d (%v)", l.Token+1e12, again.Token, err)
	}
	old := time.Now().Add(-72 * time.Hour).UnixNano()
	_, err = db.ExecContext(t.Context(), "INSERT INTO leases VALUES ('old', 'a', 1, $1, 'note')", old)
	must(t, err)
	left, err := s.AcquireLease(t.Context(), "shard/1", "b", "session 7", time.Hour)
	must(t, err)
	must(t, s.ReleaseLease(t.Context(), left))
	s = open(t, url)
	must(t, s.View(t.Context(), func(r storage.Reader) error {
		all, err := r.Leases("")
		if len(all) != 2 || all[0].Holder != "b" || all[1].Note != "session 7" {
			t.Errorf("the leases are %+v", all)
		}
		return err
	}))
}
