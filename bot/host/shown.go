package host

import (
	"context"
	"time"

	"castellan/storage"
)

// Remembered is how long it is remembered that an interaction was carried out.
// Discord gives up on one after fifteen minutes.
const Remembered = 24 * time.Hour

// Now is the host's time.
func (h *Host) Now() time.Time { return h.now() }

// Work is what has not been confirmed as shown and whose time to try has come.
func (h *Host) Work(ctx context.Context, limit int) (w storage.PendingPosts, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		w, err = r.PendingPosts(h.now(), limit)
		return err
	})
	return w, err
}

// Forget removes the notes of interactions that are older than Remembered.
func (h *Host) Forget(ctx context.Context) (n int, err error) {
	err = h.store.Update(ctx, func(tx storage.Tx) error {
		n, err = tx.PruneProcessed(h.now().Add(-Remembered))
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
			case storage.BoardSkipped:
				if !b.NextAttempt.IsZero() { // it is to be looked for
					boards = append(boards, b)
				}
			}
		}
		return nil
	})
	return v, boards, err
}

// BoardPosted records that Discord confirmed the message of a board.
func (h *Host) BoardPosted(ctx context.Context, id storage.BoardID, message string) error {
	return h.store.Update(ctx, func(tx storage.Tx) error { return tx.MarkBoardPosted(id, message) })
}

// BoardCollapsed records that Discord confirmed that a superseded board is
// collapsed or gone, or that a skipped one is not there.
func (h *Host) BoardCollapsed(ctx context.Context, id storage.BoardID) error {
	return h.store.Update(ctx, func(tx storage.Tx) error { return tx.MarkBoardCollapsed(id) })
}

// ChallengeShown records that Discord confirmed that a message shows a
// revision.
func (h *Host) ChallengeShown(ctx context.Context, id storage.ChallengeID, message string, revision int) error {
	return h.store.Update(ctx, func(tx storage.Tx) error { return tx.MarkChallengeShown(id, message, revision) })
}
