package host

import (
	"context"
	"errors"
	"slices"
	"time"

	"castellan/storage"
)

// LeaseTime is how long a process has the right to show a match or challenge before
// others take over.
const LeaseTime = 20 * time.Second

// A process that finds a lease held by another one tries again every leasePause. It
// takes the lease over after leasePatience, because a person is waiting.
const (
	leasePause    = 50 * time.Millisecond
	leasePatience = time.Second
)

// claimTime is the timeout of a claim. The end of the caller's context does not
// interrupt a claim that has begun: the database may already have granted leases, and
// nobody would give them back.
const claimTime = LeaseTime / 2

// ClaimWork does the same as PendingWork, and takes leases for that work if other
// processes use the same database.
func (h *Host) ClaimWork(ctx context.Context, limit int) (storage.ClaimedPosts, error) {
	if err := ctx.Err(); err != nil {
		return storage.ClaimedPosts{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
	defer cancel()
	return h.store.ClaimPosts(ctx, h.Now(), limit, LeaseTime)
}

// claimShow takes the lease to show something. It waits a moment for another process
// that has it.
func (h *Host) claimShow(ctx context.Context, what storage.DeliveryLease) (storage.DeliveryLease, error) {
	for waited := time.Duration(0); ; waited += leasePause {
		if err := ctx.Err(); err != nil {
			return storage.DeliveryLease{}, err
		}
		claiming, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
		l, err := h.store.ClaimDelivery(claiming, what, LeaseTime, waited >= leasePatience)
		cancel()
		if !errors.Is(err, storage.ErrHeld) {
			return l, err
		}
		select {
		case <-time.After(leasePause):
		case <-ctx.Done():
			return l, err
		}
	}
}

// BeginShow returns a match, as it is, with the lease to show it. It takes the lease
// unless the caller has it, by a claim or by the use case that returned v. If it fails,
// it gives the lease back.
func (h *Host) BeginShow(ctx context.Context, v *View, lease storage.DeliveryLease) (_ *View, err error) {
	if v.Lease.Ends.After(time.Now()) && h.cache.current(v.Record.ID, v.revision) {
		return v, nil
	}
	h.EndShow(context.WithoutCancel(ctx), v.Lease) // otherwise it would be waited for
	if lease.Token == 0 {
		if lease, err = h.claimShow(ctx, storage.DeliveryLease{Match: v.Record.ID}); err != nil {
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

// TakeChallenge takes the lease to show a challenge, and returns the challenge as it is.
func (h *Host) TakeChallenge(ctx context.Context, id storage.ChallengeID) (l storage.DeliveryLease, ch storage.Challenge, err error) {
	if l, err = h.claimShow(ctx, storage.DeliveryLease{Challenge: id}); err == nil {
		if ch, err = h.FindChallenge(ctx, id); err != nil {
			h.EndShow(context.WithoutCancel(ctx), l)
		}
	}
	return l, ch, err
}

// EndShow gives a lease back, so that others need not wait until it has run out.
func (h *Host) EndShow(ctx context.Context, l storage.DeliveryLease) {
	if l.Token == 0 {
		return
	}
	if err := h.store.ReleaseDelivery(ctx, l); err != nil {
		h.log.Debug("releasing a lease", "match", l.Match, "challenge", l.Challenge, "error", err)
	}
}

// recordLatePost records a message in which a board was shown under a lost lease, by a post
// or by an edit. known holds the boards as they were before. The message becomes that of
// its board or, if the board has another one, is collapsed. It is never forgotten.
func recordLatePost(tx storage.BoardQueue, known []storage.Board, id storage.BoardID, message string, at time.Time) error {
	now, err := tx.Board(id)
	if err != nil || message == "" {
		return err
	}
	was := findBoard(known, func(b storage.Board) bool { return b.ID == id })
	edited := findBoard(known, func(b storage.Board) bool { return b.Message == message })
	if now.Message == message && edited.ID == 0 {
		return nil
	}
	if edited.ID == 0 && now.Message == "" && now.Place == was.Place {
		if err := tx.MarkBoardPosted(id, message); err != nil {
			return err
		}
	}
	was.Message, was.NextAttempt = message, at
	return tx.MarkForEdit(was)
}

// repeatLateEdits has the messages edited again that may have been spoilt by edits under a
// lost lease. A board that was collapsed is spoilt if it has become the current one
// since, and one that was drawn again if it has not.
func repeatLateEdits(tx storage.BoardQueue, match storage.MatchID, known []storage.Board, ids []storage.BoardID, at time.Time) error {
	now, err := tx.Boards(match)
	if err != nil {
		return err
	}
	for _, b := range known {
		current := findBoard(now, func(o storage.Board) bool { return o.Message == b.Message && o.State == storage.BoardPosted })
		if b.Message != "" && slices.Contains(ids, b.ID) && (b.NeedsRedraw || current.ID != 0) {
			b.NextAttempt = at
			if err := tx.MarkForEdit(b); err != nil {
				return err
			}
		}
	}
	return nil
}
