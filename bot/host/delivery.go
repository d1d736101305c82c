package host

import (
	"cmp"
	"context"
	"time"

	"castellan/bot/host/internal/backoff"
	"castellan/bot/host/internal/boards"
	"castellan/bot/host/internal/show"
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

// LeaseTime is how long a process may show something before others take over.
const LeaseTime = show.LeaseTime

// ClaimWork does the same as PendingWork, and takes leases for that work if other
// processes use the same database.
func (h *Host) ClaimWork(ctx context.Context, limit int) (storage.ClaimedPosts, error) {
	return show.Claim(ctx, h.store, h.Now(), limit)
}

// BeginShow returns a match, as it is, with the lease to show it. It takes the lease
// unless the caller has it, by a claim or by the use case that returned v. If it fails,
// it gives the lease back.
func (h *Host) BeginShow(ctx context.Context, v *View, lease storage.ShowLease) (_ *View, err error) {
	if v.Lease.Ends.After(time.Now()) && h.cache.Current(v.Record.ID, v.revision) {
		return v, nil
	}
	h.EndShow(context.WithoutCancel(ctx), v.Lease) // otherwise it would be waited for
	if lease.Token == 0 {
		if lease, err = show.Take(ctx, h.store, storage.ShowLease{Match: v.Record.ID}); err != nil {
			return v, err
		}
	}
	if lease.Token == 0 { // only this process changes the match
		return h.Refresh(ctx, v)
	}
	after, err := h.Match(ctx, v.Record.ID)
	if err != nil {
		h.EndShow(context.WithoutCancel(ctx), lease)
		return v, err
	}
	after.Lease = lease
	return after, nil
}

// EditAgain has the message of a board edited again, and returns the view afterwards.
func (h *Host) EditAgain(ctx context.Context, v *View, b storage.Board) (after *View, err error) {
	err = h.Write(ctx, func(tx storage.Tx) error {
		b.NextAttempt = h.Now()
		if err := tx.EditAgain(b); err != nil {
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

// TakeChallenge takes the lease to show a challenge, and returns the challenge as it is.
func (h *Host) TakeChallenge(ctx context.Context, id storage.ChallengeID) (l storage.ShowLease, ch storage.Challenge, err error) {
	if l, err = show.Take(ctx, h.store, storage.ShowLease{Challenge: id}); err == nil {
		if ch, err = h.FindChallenge(ctx, id); err != nil {
			h.EndShow(context.WithoutCancel(ctx), l)
		}
	}
	return l, ch, err
}

// EndShow gives a lease back, so that others need not wait until it has run out.
func (h *Host) EndShow(ctx context.Context, l storage.ShowLease) {
	if l.Token == 0 {
		return
	}
	if err := h.store.ReleaseShow(ctx, l); err != nil {
		h.log.Debug("releasing a lease", "match", l.Match, "challenge", l.Challenge, "error", err)
	}
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

// ChallengeShown records that Discord confirmed that a message shows a
// revision of a challenge.
func (h *Host) ChallengeShown(ctx context.Context, id storage.ChallengeID, message string, revision int) error {
	return h.ChallengeShownBy(ctx, storage.ShowLease{}, id, message, revision)
}

// ChallengeShownBy does the same for a process that had a lease, and releases it. If
// the lease was lost, it fails with storage.ErrFenced; the message is then edited again,
// because a newer revision may have been shown before.
func (h *Host) ChallengeShownBy(ctx context.Context, l storage.ShowLease, id storage.ChallengeID, message string, revision int) error {
	var fenced error
	err := h.Write(ctx, func(tx storage.Tx) (err error) {
		fenced, err = show.Challenge(tx, l, id, message, revision)
		return err
	})
	return cmp.Or(err, fenced)
}

// Failure describes why a post or an edit failed.
type Failure = backoff.Failure

// Backoff returns the backoff of the zero Failure.
func Backoff(failures int) time.Duration { return Failure{}.Backoff(failures) }

// BoardFailed records that posting, collapsing or looking for a board failed,
// and returns when to try again. An attempt that was made early, because
// somebody used the bot, does not count.
//
// It fails with storage.ErrFenced if the lease was lost.
func (h *Host) BoardFailed(ctx context.Context, l storage.ShowLease, b storage.Board, f Failure) (next time.Time, err error) {
	next = h.Now().Add(f.Backoff(backoff.Counted(b.Attempts, b.NextAttempt)))
	return next, h.Write(ctx, func(tx storage.Tx) error {
		if err := tx.CheckShowLease(l, false); err != nil {
			return err
		}
		h.cache.Bump(b.Match)
		return tx.PostponeBoard(b.ID, next)
	})
}

// ChallengeFailed records that posting or editing a challenge failed, and
// returns when to try again. It fails with storage.ErrFenced if the lease was lost.
func (h *Host) ChallengeFailed(ctx context.Context, l storage.ShowLease, ch storage.Challenge, f Failure) (next time.Time, err error) {
	next = h.Now().Add(f.Backoff(backoff.Counted(ch.Attempts, ch.NextAttempt)))
	return next, h.Write(ctx, func(tx storage.Tx) error {
		return cmp.Or(tx.CheckShowLease(l, false), tx.PostponeChallenge(ch.ID, next))
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
	return now.Sub(backoff.Oldest(w, now)), nil
}

// A match with a thread starts in the channel of its challenge. Before the
// first board is posted, the thread is created outside any transaction and the
// match moves there. The identifier of a thread on a message is that of the
// message, so creating it again after an interruption finds the same thread.

// ChallengeThread returns a challenge and the state of the thread for its
// match.
func (h *Host) ChallengeThread(ctx context.Context, id storage.ChallengeID) (ch storage.Challenge, state storage.ThreadState, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		if ch, err = challenge(r, id); err != nil {
			return err
		}
		state, err = r.Thread(id)
		return err
	})
	return ch, state, err
}

// ThreadCreated records that the thread on the message of a match's challenge
// exists, moves the match there and returns the view afterwards. It changes
// nothing if no thread was wanted.
func (h *Host) ThreadCreated(ctx context.Context, v *View) (*View, error) {
	return h.changeThread(ctx, v, func(tx storage.Tx, ch storage.Challenge, state storage.ThreadState) (storage.ThreadState, error) {
		if state != storage.ThreadWanted {
			return state, nil
		}
		return storage.ThreadCreated, show.MoveWithBoard(tx, v.Record.ID, ch.Place, show.ThreadOf(ch))
	})
}

// ThreadFailed records that there is no thread for a match, or none that the
// bot can post in, and returns the view afterwards. state says why. A match that
// is in its thread moves back to the channel, with a new board if none is due.
func (h *Host) ThreadFailed(ctx context.Context, v *View, state storage.ThreadState) (*View, error) {
	return h.changeThread(ctx, v, func(tx storage.Tx, ch storage.Challenge, before storage.ThreadState) (storage.ThreadState, error) {
		switch before {
		case storage.ThreadWanted:
			return state, nil
		case storage.ThreadCreated:
			if err := show.MoveWithBoard(tx, v.Record.ID, show.ThreadOf(ch), ch.Place); err != nil {
				return state, err
			}
			moved, err := h.view(tx, v.Record.ID)
			if _, over := v.Match.Over(); err != nil || over || moved.Board.State == storage.BoardDue {
				return state, err
			}
			return state, h.insertBoard(tx, moved, storage.Board{Notify: boards.ShouldNotify(moved.Record, moved.Match)})
		default:
			return before, nil
		}
	})
}

// threadLinger is how long a thread stays open after its match: people talk
// about it, and may play again there.
const threadLinger = 10 * time.Minute

// EndedThreads returns challenges whose thread is to be archived.
func (h *Host) EndedThreads(ctx context.Context, limit int) (ended []storage.Challenge, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		ids, err := r.EndedThreads(h.Now().Add(-threadLinger), limit)
		if err != nil {
			return err
		}
		for _, id := range ids {
			ch, err := r.Challenge(id)
			if err != nil {
				return err
			}
			ended = append(ended, ch)
		}
		return nil
	})
	return ended, err
}

// SetThread records that the thread of a challenge is archived, or that Discord
// will do that, or that it is not archived any more.
func (h *Host) SetThread(ctx context.Context, id storage.ChallengeID, state storage.ThreadState) error {
	return h.Write(ctx, func(tx storage.Tx) error { return tx.SetThread(id, state) })
}

// changeThread changes the state of the thread of a match, and has the message
// of the challenge say so.
func (h *Host) changeThread(ctx context.Context, v *View,
	change func(tx storage.Tx, ch storage.Challenge, before storage.ThreadState) (storage.ThreadState, error),
) (after *View, err error) {
	id := v.Record.Challenge
	if id == 0 {
		return v, nil
	}
	err = h.Write(ctx, func(tx storage.Tx) error {
		if err := tx.CheckShowLease(v.Lease, false); err != nil {
			return err
		}
		before, err := tx.Thread(id)
		if err != nil {
			return err
		}
		ch, err := tx.Challenge(id)
		if err != nil {
			return err
		}
		state, err := change(tx, ch, before)
		if err != nil {
			return err
		}
		if state != before {
			if err := tx.SetThread(id, state); err != nil {
				return err
			}
			if err := tx.ReviseChallenge(id); err != nil {
				return err
			}
		}
		if after, err = h.view(tx, v.Record.ID); err != nil {
			return err
		}
		if after.Board.ID == v.Board.ID { // a new board ends the lease
			after.Lease = v.Lease
		}
		h.committed(after)
		return nil
	})
	if err != nil {
		return v, err
	}
	return after, nil
}
