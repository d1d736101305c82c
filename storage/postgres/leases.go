package postgres

import (
	"context"
	"time"

	"castellan/storage"
	"castellan/storage/sqlstore"
)

// AcquireLease implements storage.Leaser.
func (s *Store) AcquireLease(ctx context.Context, name, holder, note string, d time.Duration) (l storage.Lease, err error) {
	err = s.lease(ctx, func(t *sqlstore.Tx) error { l, err = t.AcquireLease(name, holder, note, d); return err })
	return l, err
}

// RenewLease implements storage.Leaser.
func (s *Store) RenewLease(ctx context.Context, l storage.Lease, d time.Duration) (_ storage.Lease, err error) {
	err = s.lease(ctx, func(t *sqlstore.Tx) error { l, err = t.RenewLease(l, d); return err })
	return l, err
}

// ReleaseLease implements storage.Leaser.
func (s *Store) ReleaseLease(ctx context.Context, l storage.Lease) error {
	return s.lease(ctx, func(t *sqlstore.Tx) error { return t.ReleaseLease(l) })
}

// lease runs one statement on a connection for views, so that it does not wait for
// updates. On a connection that turns out to be lost it runs once more.
func (s *Store) lease(ctx context.Context, fn func(*sqlstore.Tx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.mu.RUnlock()
	for again := true; ; again = false {
		conn, err := s.take(ctx, s.views)
		if err != nil {
			return err
		}
		err = fn(sqlstore.New(ctx, conn, &sqlDriver))
		lost := isLost(conn)
		conn.Close()
		if err == nil || !lost || !again || ctx.Err() != nil {
			return err
		}
	}
}

// ClaimPosts implements storage.DeliveryLeaser.
func (s *Store) ClaimPosts(ctx context.Context, now time.Time, limit int, d time.Duration) (c storage.ClaimedPosts, err error) {
	err = s.lease(ctx, func(t *sqlstore.Tx) error { c, err = t.ClaimPosts(now, limit, d); return err })
	return c, err
}

// ClaimDelivery implements storage.DeliveryLeaser.
func (s *Store) ClaimDelivery(ctx context.Context, what storage.DeliveryLease, d time.Duration, force bool) (l storage.DeliveryLease, err error) {
	err = s.lease(ctx, func(t *sqlstore.Tx) error { l, err = t.ClaimDelivery(what, d, force); return err })
	return l, err
}

// ReleaseDelivery implements storage.DeliveryLeaser.
func (s *Store) ReleaseDelivery(ctx context.Context, l storage.DeliveryLease) error {
	return s.lease(ctx, func(t *sqlstore.Tx) error { return t.ReleaseDelivery(l) })
}
