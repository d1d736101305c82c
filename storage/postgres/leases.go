package postgres

import (
	"context"
	"time"

	"castellan/storage"
	"castellan/storage/internal/sqltx"
)

// AcquireLease implements storage.Leaser.
func (s *Store) AcquireLease(ctx context.Context, name, holder, note string, d time.Duration) (l storage.Lease, err error) {
	err = s.lease(ctx, func(t *sqltx.Tx) error { l, err = t.AcquireLease(name, holder, note, d); return err })
	return l, err
}

// RenewLease implements storage.Leaser.
func (s *Store) RenewLease(ctx context.Context, l storage.Lease, d time.Duration) (_ storage.Lease, err error) {
	err = s.lease(ctx, func(t *sqltx.Tx) error { l, err = t.RenewLease(l, d); return err })
	return l, err
}

// ReleaseLease implements storage.Leaser.
func (s *Store) ReleaseLease(ctx context.Context, l storage.Lease) error {
	return s.lease(ctx, func(t *sqltx.Tx) error { return t.ReleaseLease(l) })
}

// lease runs one statement on a connection for views, so that it does not wait for
// updates. On a connection that turns out to be lost it runs once more.
func (s *Store) lease(ctx context.Context, fn func(*sqltx.Tx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.mu.RUnlock()
	for again := true; ; again = false {
		conn, err := s.take(ctx, s.views)
		if err != nil {
			return err
		}
		err = fn(sqltx.New(ctx, conn, &sqlDriver))
		lost := isLost(conn)
		conn.Close()
		if err == nil || !lost || !again || ctx.Err() != nil {
			return err
		}
	}
}

// ClaimPosts implements storage.Shower.
func (s *Store) ClaimPosts(ctx context.Context, now time.Time, limit int, d time.Duration) (c storage.ClaimedPosts, err error) {
	err = s.lease(ctx, func(t *sqltx.Tx) error { c, err = t.ClaimPosts(now, limit, d); return err })
	return c, err
}

// ClaimShow implements storage.Shower.
func (s *Store) ClaimShow(ctx context.Context, what storage.ShowLease, d time.Duration, force bool) (l storage.ShowLease, err error) {
	err = s.lease(ctx, func(t *sqltx.Tx) error { l, err = t.ClaimShow(what, d, force); return err })
	return l, err
}

// ReleaseShow implements storage.Shower.
func (s *Store) ReleaseShow(ctx context.Context, l storage.ShowLease) error {
	return s.lease(ctx, func(t *sqltx.Tx) error { return t.ReleaseShow(l) })
}
