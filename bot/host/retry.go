package host

import (
	"context"
	"time"

	"castellan/storage"
)

// Failure is what is known of a post or an edit that failed. The zero value
// is one that may work in a moment.
type Failure struct {
	// Blocked says that it fails until somebody changes something: the
	// channel is gone, or the bot may not do this there.
	Blocked bool
	// After is how long Discord asked to wait, 0 where it did not.
	After time.Duration
}

// The first wait after a failure, and the longest: of one that may work in a
// moment, and of one that is blocked.
const (
	firstWait   = 5 * time.Second
	lastWait    = 10 * time.Minute
	lastBlocked = 6 * time.Hour
)

// Backoff is how long to wait before the next try after so many failures
// before this one: 5 s, doubled each time, at most 10 minutes, or 6 hours
// where it is blocked; at least what Discord asked for, up to 6 hours.
func (f Failure) Backoff(failures int) time.Duration {
	last := lastWait
	if f.Blocked {
		last = lastBlocked
	}
	d := last
	if failures < 16 { // 5 s doubled 16 times is more than any
		d = min(firstWait<<max(failures, 0), last)
	}
	return max(d, min(f.After, lastBlocked))
}

// Backoff is how long to wait before the next try after so many failures that
// may work in a moment.
func Backoff(failures int) time.Duration { return Failure{}.Backoff(failures) }

// BoardFailed records that posting, collapsing or looking for a board failed,
// and returns when it is tried again.
func (h *Host) BoardFailed(ctx context.Context, b storage.Board, f Failure) (next time.Time, err error) {
	next = h.now().Add(f.Backoff(b.Attempts))
	return next, h.store.Update(ctx, func(tx storage.Tx) error { return tx.PostponeBoard(b.ID, next) })
}

// ChallengeFailed records that posting or editing a challenge failed, and
// returns when it is tried again.
func (h *Host) ChallengeFailed(ctx context.Context, ch storage.Challenge, f Failure) (next time.Time, err error) {
	next = h.now().Add(f.Backoff(ch.Attempts))
	return next, h.store.Update(ctx, func(tx storage.Tx) error { return tx.PostponeChallenge(ch.ID, next) })
}

// Reachable says that the bot is used in a place, or is in a server where the
// place has no channel: what was to be posted there and waits is due now. It
// reports whether there is any.
func (h *Host) Reachable(ctx context.Context, place storage.Place) (bool, error) {
	var waits bool
	// Most often nothing waits, and reading holds nobody up.
	err := h.store.View(ctx, func(r storage.Reader) (err error) {
		waits, err = r.HasPostponed(place, h.now())
		return err
	})
	if err != nil || !waits {
		return false, err
	}
	n := 0
	err = h.store.Update(ctx, func(tx storage.Tx) (err error) {
		n, err = tx.RetryNow(place, h.now())
		return err
	})
	return n > 0, err
}

// Lag is how long the oldest work that is due has been due, 0 where none is.
func (h *Host) Lag(ctx context.Context) (time.Duration, error) {
	now := h.now()
	w, err := h.Work(ctx, manyLate)
	if err != nil {
		return 0, err
	}
	oldest := now
	for _, b := range w.Boards {
		if !b.NextAttempt.IsZero() && b.NextAttempt.Before(oldest) {
			oldest = b.NextAttempt
		}
	}
	for _, ch := range w.Challenges {
		if since := dueSince(ch); !since.IsZero() && since.Before(oldest) {
			oldest = since
		}
	}
	return now.Sub(oldest), nil
}

// manyLate is how much work Lag looks at: what has no time stands before what
// has, and counts as due just now.
const manyLate = 1000

// dueSince is when a challenge that is behind became so, the zero time where
// its record does not tell: somebody has taken a seat or left one.
func dueSince(ch storage.Challenge) time.Time {
	switch {
	case !ch.NextAttempt.IsZero():
		return ch.NextAttempt
	case ch.Revision == 0:
		return ch.CreatedAt
	}
	return ch.ResolvedAt
}
