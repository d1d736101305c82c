package host

import (
	"context"
	"time"

	"castellan/storage"
)

// OpenFor is how long a challenge can be answered: a day, so that everybody
// has seen it who looks in once a day.
const OpenFor = 24 * time.Hour

// expiry is from when a challenge that is made now cannot be answered any
// more: a whole second, for people are told it in seconds.
func expiry(now time.Time) time.Time { return now.Add(OpenFor).Truncate(time.Second) }

// expired reports whether a challenge cannot be answered any more because its
// time is over, also where that has not been recorded yet.
func expired(ch storage.Challenge, now time.Time) bool {
	return ch.State == storage.ChallengeExpired ||
		ch.State == storage.ChallengeOpen && !ch.ExpiresAt.IsZero() && !now.Before(ch.ExpiresAt)
}

// Overdue is the challenges and matches whose time has come, for Expire and
// Remind.
func (h *Host) Overdue(ctx context.Context, limit int) (o storage.Overdue, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		o, err = r.Overdue(h.now(), limit)
		return err
	})
	return o, err
}

// Expire records that a challenge has expired, so that its message says so;
// from when it cannot be answered does not hang on it. Where it has been
// answered, or its time has not come, nothing is done.
func (h *Host) Expire(ctx context.Context, id storage.ChallengeID) error {
	return h.store.Update(ctx, func(tx storage.Tx) error {
		ch, err := challenge(tx, id)
		if err != nil {
			return err
		}
		if ch.State != storage.ChallengeOpen || !expired(ch, h.now()) {
			return nil
		}
		return tx.ResolveChallenge(id, storage.ChallengeExpired, 0, ch.ExpiresAt)
	})
}
