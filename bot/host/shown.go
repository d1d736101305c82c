package host

import (
	"context"
	"errors"
	"time"

	"castellan/storage"
)

// Remembered is how long it is remembered that an interaction was carried out.
// Discord gives up on one after fifteen minutes.
const Remembered = 24 * time.Hour

// Now is the host's time.
func (h *Host) Now() time.Time { return h.now() }

// Work is what has not been confirmed as shown and whose time to try has come.
func (h *Host) Work(ctx context.Context, limit int) (w storage.Work, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		w, err = r.Work(h.now(), limit)
		return err
	})
	return w, err
}

// Forget removes the notes of interactions that are older than Remembered.
func (h *Host) Forget(ctx context.Context) (n int, err error) {
	err = h.store.Update(ctx, func(tx storage.Tx) error {
		n, err = tx.ForgetApplied(h.now().Add(-Remembered))
		return err
	})
	return n, err
}

// Boards is a match as it stands with those of its boards that something is to
// be done about or that stand in the channel, oldest first.
func (h *Host) Boards(ctx context.Context, id storage.MatchID) (v *View, boards []storage.Board, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		if v, err = h.view(r, id); err != nil {
			return err
		}
		all, err := r.Boards(id)
		if err != nil {
			return err
		}
		boards = nil
		for _, b := range all {
			switch b.State {
			case storage.BoardDue, storage.BoardPosted, storage.BoardStale:
				boards = append(boards, b)
			}
		}
		return nil
	})
	return v, boards, err
}

// BoardPosted records that Discord confirmed the message of a board.
func (h *Host) BoardPosted(ctx context.Context, id storage.BoardID, message string) error {
	return h.store.Update(ctx, func(tx storage.Tx) error { return tx.BoardPosted(id, message) })
}

// BoardCollapsed records that Discord confirmed that a superseded board is
// collapsed or gone.
func (h *Host) BoardCollapsed(ctx context.Context, id storage.BoardID) error {
	return h.store.Update(ctx, func(tx storage.Tx) error { return tx.BoardCollapsed(id) })
}

// BoardFailed records that posting or collapsing a board failed after so many
// failures before, and returns when it is tried again.
func (h *Host) BoardFailed(ctx context.Context, b storage.Board) (next time.Time, err error) {
	next = h.now().Add(Backoff(b.Tries))
	return next, h.store.Update(ctx, func(tx storage.Tx) error { return tx.BoardFailed(b.ID, next) })
}

// ChallengeShown records that Discord confirmed that a message shows a
// revision.
func (h *Host) ChallengeShown(ctx context.Context, id storage.ChallengeID, message string, revision int) error {
	return h.store.Update(ctx, func(tx storage.Tx) error { return tx.ChallengeShown(id, message, revision) })
}

// ChallengeFailed records that posting or editing a challenge failed.
func (h *Host) ChallengeFailed(ctx context.Context, ch storage.Challenge) (next time.Time, err error) {
	next = h.now().Add(Backoff(ch.Tries))
	return next, h.store.Update(ctx, func(tx storage.Tx) error { return tx.ChallengeFailed(ch.ID, next) })
}

// The first wait after a failure, and the longest.
const (
	firstWait = 5 * time.Second
	lastWait  = 10 * time.Minute
)

// Backoff is how long to wait before the next try after so many failures
// before this one: 5 s, doubled each time, at most 10 minutes.
func Backoff(failures int) time.Duration {
	if failures >= 7 {
		return lastWait
	}
	return min(firstWait<<max(failures, 0), lastWait)
}

// RepostAll makes a board due in every match that has not ended and has none
// due. It serves where the channels are known to have lost their messages.
func (h *Host) RepostAll(ctx context.Context) error {
	return h.store.Update(ctx, func(tx storage.Tx) error {
		records, err := tx.AllRunning()
		if err != nil {
			return err
		}
		for _, rec := range records {
			v, err := h.rebuild(tx, rec)
			if errors.Is(err, ErrCannotReplay) {
				h.log.Error("a match cannot be rebuilt", "match", rec.ID, "error", err)
				continue
			}
			if err != nil {
				return err
			}
			if v.Board.State == storage.BoardDue {
				continue
			}
			if _, err := tx.InsertBoard(storage.Board{Match: rec.ID, Seq: v.Match.PublicSeq(), Place: rec.Place}); err != nil {
				return err
			}
		}
		return nil
	})
}
