package storagetest_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/storage"
)

// leaseTests check leases. One acquired for no time has run out at once.
var leaseTests = []test{
	{"LeaseOfTwoHolders", func(t *testing.T, s storage.Store) {
		ctx := context.Background()
		a := acquire(t, s, "shard/0", "a", "left by a", time.Hour)
		if a.Name != "shard/0" || a.Holder != "a" || a.Note != "left by a" || a.Left <= 59*time.Minute || a.Left > time.Hour {
			t.Errorf("acquired %+v", a)
		}
		_, err := s.AcquireLease(ctx, "shard/0", "b", "", time.Hour)
		wantClass(t, "acquire a held lease", err, storage.ErrHeld)
		a.Note = "renewed by a"
		a, err = s.RenewLease(ctx, a, 0)
		wantClass(t, "renew", err, nil)
		checkLease(t, s, "before anybody acquires it", a, nil)
		a, err = s.RenewLease(ctx, a, 0)
		wantClass(t, "renew a lease that has run out", err, nil)

		b := acquire(t, s, "shard/0", "b", "", time.Hour)
		if b.Token <= a.Token || b.Note != "renewed by a" {
			t.Errorf("after token %d, another holder acquired %+v", a.Token, b)
		}
		checkLease(t, s, "fenced", a, storage.ErrFenced)
		_, err = s.RenewLease(ctx, a, time.Hour)
		wantClass(t, "renew a fenced lease", err, storage.ErrFenced)
		wantClass(t, "release a fenced lease", s.ReleaseLease(ctx, a), storage.ErrFenced)
		checkLease(t, s, "held", b, nil)

		again := acquire(t, s, "shard/0", "b", "", time.Hour)
		if again.Token <= b.Token {
			t.Errorf("acquired again: token %d after %d", again.Token, b.Token)
		}
		checkLease(t, s, "acquired again by its holder", b, storage.ErrFenced)
	}},
	{"LeaseHandedOver", func(t *testing.T, s storage.Store) {
		ctx := context.Background()
		a := acquire(t, s, "shard/0", "a", "", time.Hour)
		a.Note = "session 7"
		wantClass(t, "release", s.ReleaseLease(ctx, a), nil)
		checkLease(t, s, "released", a, storage.ErrFenced)
		_, err := s.RenewLease(ctx, a, time.Hour)
		wantClass(t, "renew a released lease", err, storage.ErrFenced)
		if all := leases(t, s, ""); len(all) != 1 || all[0].Holder != "" || all[0].Left > 0 || all[0].Note != "session 7" {
			t.Errorf("after the release: %+v", all)
		}
		b := acquire(t, s, "shard/0", "b", "", time.Hour)
		if b.Note != "session 7" || b.Token <= a.Token {
			t.Errorf("after token %d, the next holder got %+v", a.Token, b)
		}
		b.Note = ""
		wantClass(t, "release without a note", s.ReleaseLease(ctx, b), nil)
		if all := leases(t, s, ""); len(all) != 0 {
			t.Errorf("released without a note: %+v", all)
		}
		if c := acquire(t, s, "shard/0", "c", "", time.Hour); c.Token <= b.Token || c.Note != "" {
			t.Errorf("after token %d: %+v", b.Token, c)
		}
	}},
	{"LeaseChecked", func(t *testing.T, s storage.Store) {
		a := acquire(t, s, "shard/0", "a", "", 0)
		update(t, s, func(tx storage.Tx) error {
			if err := tx.CheckLease(a); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			if _, err := s.AcquireLease(ctx, "shard/0", "b", "", time.Hour); err == nil {
				t.Error("somebody acquires a lease in the middle of an update that has checked it")
			}
			return tx.SetLocale(alice.ID, "de")
		})
		acquire(t, s, "shard/0", "b", "", time.Hour)
		err := s.Update(context.Background(), func(tx storage.Tx) error {
			if err := tx.SetLocale(alice.ID, "fr"); err != nil {
				return err
			}
			return tx.CheckLease(a)
		})
		wantClass(t, "fenced update", err, storage.ErrFenced)
		if l := view(t, s, func(r storage.Reader) (string, error) { return r.Locale(alice.ID) }); l != "de" {
			t.Errorf("the fenced update has written %s", l)
		}
	}},
	{"LeaseOfManyWriters", func(t *testing.T, s storage.Store) {
		var wins atomic.Int32
		write(func(writer int) {
			_, err := s.AcquireLease(context.Background(), "one", fmt.Sprint(writer), "", time.Hour)
			if err == nil {
				wins.Add(1)
			} else {
				wantClass(t, "acquire", err, storage.ErrHeld)
			}
		})
		if wins.Load() != 1 {
			t.Errorf("%d holders have the lease", wins.Load())
		}
	}},
	{"LeasesByPrefix", func(t *testing.T, s storage.Store) {
		for i, name := range []string{"shards/2/1", "shards/1/2", "shards/10/1", "shards/1/10", "shard", "shards/1/1"} {
			acquire(t, s, name, "a", fmt.Sprint(i), time.Hour)
		}
		for prefix, want := range map[string]string{
			"shards/1/": "shards/1/1 5, shards/1/10 3, shards/1/2 1", "shards/2": "shards/2/1 0", "shards/3": "",
			"": "shard 4, shards/1/1 5, shards/1/10 3, shards/1/2 1, shards/10/1 2, shards/2/1 0",
		} {
			var got []string
			for _, l := range leases(t, s, prefix) {
				got = append(got, l.Name+" "+l.Note)
				if l.Holder != "a" || l.Left <= 0 {
					t.Errorf("lease %+v", l)
				}
			}
			if all := strings.Join(got, ", "); all != want {
				t.Errorf("the leases of %q are %s, want %s", prefix, all, want)
			}
		}
	}},
}

func acquire(t *testing.T, s storage.Store, name, holder, note string, d time.Duration) storage.Lease {
	t.Helper()
	l, err := s.AcquireLease(context.Background(), name, holder, note, d)
	wantClass(t, "acquire "+name, err, nil)
	return l
}

func checkLease(t *testing.T, s storage.Store, what string, l storage.Lease, want error) {
	t.Helper()
	wantClass(t, what, s.Update(context.Background(), func(tx storage.Tx) error { return tx.CheckLease(l) }), want)
}

func leases(t *testing.T, s storage.Store, prefix string) []storage.Lease {
	t.Helper()
	return view(t, s, func(r storage.Reader) ([]storage.Lease, error) { return r.Leases(prefix) })
}
