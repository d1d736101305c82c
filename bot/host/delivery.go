package host

import (
	"cmp"
	"context"
	"errors"
	"time"

	"castellan/storage"
)

// InteractionRetention is how long processed interactions are kept. Discord
// gives up on one after 15 minutes.
const InteractionRetention = 24 * time.Hour

// PendingWork returns the boards and challenges that Discord has not confirmed
// and that are to be tried now.
func (h *Host) PendingWork(ctx context.Context, limit int) (storage.PendingPosts, error) {
	return Read(ctx, h, func(r storage.Reader) (storage.PendingPosts, error) { return r.PendingPosts(h.Now(), limit) })
}

// MarkForEdit has the message of a board edited again, and returns the view afterwards.
func (h *Host) MarkForEdit(ctx context.Context, v *View, b storage.Board) (after *View, err error) {
	err = h.Write(ctx, func(tx storage.Tx) error {
		b.NextAttempt = h.Now()
		if err := tx.MarkForEdit(b); err != nil {
			return err
		}
		if after, err = h.view(tx, v.Record.ID); err == nil {
			h.committed(after)
		}
		return err
	})
	if err != nil {
		return v, err
	}
	return after, nil
}

// PruneInteractions removes processed interactions older than
// InteractionRetention, and returns how many there were.
func (h *Host) PruneInteractions(ctx context.Context) (n int, err error) {
	err = h.Write(ctx, func(tx storage.Tx) error {
		n, err = tx.PruneProcessed(h.Now().Add(-InteractionRetention))
		return err
	})
	return n, err
}

// ExpireRatings makes ratings provisional that no match has confirmed for long,
// so that leaderboards show them as such.
func (h *Host) ExpireRatings(ctx context.Context) error {
	return h.Write(ctx, func(tx storage.Tx) error {
		_, err := tx.ExpireRatings(h.Now())
		return err
	})
}

// ChallengeShown records that Discord confirmed that a message shows a revision of a
// challenge, and releases the lease. If that was lost, it fails with storage.ErrFenced;
// the message is then edited again, because a newer revision may have been shown before.
func (h *Host) ChallengeShown(ctx context.Context, l storage.DeliveryLease, id storage.ChallengeID, message string, revision int) error {
	var fenced error
	err := h.Write(ctx, func(tx storage.Tx) error {
		switch fenced = tx.CheckDeliveryLease(l, true); {
		case fenced == nil:
			return tx.MarkChallengeShown(id, message, revision)
		case !errors.Is(fenced, storage.ErrFenced):
			return fenced
		}
		ch, err := tx.Challenge(id)
		if err == nil && ch.Message == "" {
			err = tx.MarkChallengeShown(id, message, revision)
		}
		if err == nil {
			err = tx.ReviseChallenge(id)
		}
		return err
	})
	return cmp.Or(err, fenced)
}

// Backoff returns the backoff of the zero Failure.
func Backoff(failures int) time.Duration { return Failure{}.Backoff(failures) }

// BoardFailed records that posting, collapsing or looking for a board failed,
// and returns when to try again. An attempt that was made early, because
// somebody used the bot, does not count. If the current board is blocked, the player to
// move cannot be reached, see Unreachable.
//
// It fails with storage.ErrFenced if the lease was lost.
func (h *Host) BoardFailed(ctx context.Context, l storage.DeliveryLease, b storage.Board, f Failure) (next time.Time, err error) {
	next = h.Now().Add(f.Backoff(countedFailures(b.Attempts, b.NextAttempt)))
	return next, h.Write(ctx, func(tx storage.Tx) error {
		if err := tx.CheckDeliveryLease(l, false); err != nil {
			return err
		}
		h.cache.bump(b.Match)
		if err := tx.PostponeBoard(b.ID, next); err != nil || !f.Blocked || b.State != storage.BoardDue {
			return err
		}
		v, err := h.view(tx, b.Match)
		if isBroken(err) {
			return nil
		}
		if err == nil && v.Board.ID == b.ID {
			err = h.pause(tx, v)
		}
		return err
	})
}

// ChallengeFailed records that posting or editing a challenge failed, and
// returns when to try again. It fails with storage.ErrFenced if the lease was lost.
func (h *Host) ChallengeFailed(ctx context.Context, l storage.DeliveryLease, ch storage.Challenge, f Failure) (next time.Time, err error) {
	next = h.Now().Add(f.Backoff(countedFailures(ch.Attempts, ch.NextAttempt)))
	return next, h.Write(ctx, func(tx storage.Tx) error {
		return cmp.Or(tx.CheckDeliveryLease(l, false), tx.PostponeChallenge(ch.ID, next))
	})
}

// RetryPlace makes the postponed posts in a place due now, because the bot is
// used there or has learned that it can post there. A place without a channel
// stands for all channels of the guild. It reports whether there were any.
func (h *Host) RetryPlace(ctx context.Context, place storage.Place) (bool, error) {
	// Usually there are none, and reading does not block writers.
	postponed, err := Read(ctx, h, func(r storage.Reader) (bool, error) { return r.HasPostponed(place, h.Now()) })
	if err != nil || !postponed {
		return false, err
	}
	n := 0
	err = h.Write(ctx, func(tx storage.Tx) (err error) {
		n, err = tx.RetryNow(place, h.Now())
		return err
	})
	return n > 0, err
}

// lagSample is how many pending posts DeliveryLag looks at. Posts without a
// time come first and count as due just now.
const lagSample = 1000

// DeliveryLag returns how long the oldest pending post has been due, or 0.
func (h *Host) DeliveryLag(ctx context.Context) (time.Duration, error) {
	now := h.Now()
	w, err := h.PendingWork(ctx, lagSample)
	if err != nil {
		return 0, err
	}
	return now.Sub(oldestPending(w, now)), nil
}
