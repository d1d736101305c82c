package host

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"castellan/engine"
	"castellan/storage"
)

// setBoards sets the boards of a view that has not been returned yet.
func (v *View) setBoards(live []storage.Board) {
	v.Boards, v.Board = live, currentBoard(live)
}

// newBoard returns a board that shows the match to everybody.
func (h *Host) newBoard(v *View, notify bool) storage.Board {
	return storage.Board{Match: v.Record.ID, Seq: v.Match.PublicSeq(), Place: v.Record.Place, Notify: notify, NextAttempt: h.Now()}
}

// insertBoard makes a board due that notifies and edits like another.
func (h *Host) insertBoard(tx storage.BoardQueue, v *View, like storage.Board) error {
	b := h.newBoard(v, like.Notify)
	b.Offer, b.Edit = like.Offer, like.Edit
	id, err := tx.InsertBoard(b)
	if err == nil {
		v.setBoards(addBoard(v.Boards, b, id))
	}
	return err
}

// mustNotify reports whether the due board has a notification that has not
// reached the channel. The board that supersedes it must notify instead.
func mustNotify(v *View) bool { return v.Board.State == storage.BoardDue && v.Board.Notify }

// replaceBoard carries out a use case that makes a new board due and leaves the
// log as it is. prepare reports whether the board notifies, or fails with
// errBoardDue if no other board is needed.
func (h *Host) replaceBoard(ctx context.Context, a Actor, id storage.MatchID,
	prepare func(storage.Tx, *View) (notify bool, err error),
) (*View, error) {
	return h.onMatch(ctx, a, id, func(tx storage.Tx, v *View) (*View, error) {
		notify, err := prepare(tx, v)
		if err == nil {
			err = h.insertBoard(tx, v, storage.Board{Notify: notify})
		}
		if err != nil && !errors.Is(err, errBoardDue) {
			return nil, err
		}
		h.committed(v)
		return v, tx.MarkProcessed(h.processed(a, v))
	})
}

// errBoardDue reports that a board that shows the same is due already.
var errBoardDue = errors.New("the board is due")

// RepostBoard makes a new board due, without a notification. It does nothing if
// the current board is due: that board may be on its way to the channel, and a
// second one would notify again. Anybody may ask for it. It fails with ErrNoMatch.
func (h *Host) RepostBoard(ctx context.Context, a Actor, id storage.MatchID) (*View, error) {
	return h.withNewBoard(ctx, func(failIfDue func(*View) error) (*View, error) {
		return h.replaceBoard(ctx, a, id, func(_ storage.Tx, v *View) (bool, error) {
			if b := v.Board; b.State == storage.BoardDue && b.Seq == v.Match.PublicSeq() && b.Place == v.Record.Place {
				return false, errBoardDue
			}
			return mustNotify(v), failIfDue(v)
		})
	})
}

// RepostAll makes a new board due in every running match that has none due,
// and reposts every open challenge and every tournament that has not ended. Use it after
// channels have lost messages.
func (h *Host) RepostAll(ctx context.Context) error {
	return h.Write(ctx, func(tx storage.Tx) error {
		records, err := tx.AllRunning()
		if err != nil {
			return err
		}
		for _, rec := range records {
			v, err := h.view(tx, rec.ID)
			if isBroken(err) || err == nil && v.Board.State == storage.BoardDue {
				continue
			}
			if err != nil {
				return err
			}
			if err := h.insertBoard(tx, v, storage.Board{}); err != nil {
				return err
			}
			h.committed(v)
		}
		open, err := tx.OpenChallenges("")
		if err != nil {
			return err
		}
		for _, ch := range open {
			if err := tx.RepostChallenge(ch.ID, h.Now()); err != nil {
				return err
			}
		}
		tournaments, err := tx.Tournaments("", math.MaxInt32)
		for _, id := range tournaments {
			var t storage.Tournament
			if err == nil {
				t, err = tx.Tournament(id)
			}
			if err == nil && t.EndedAt.IsZero() && t.Message != "" {
				err = tx.RepostTournament(id)
			}
		}
		return err
	})
}

// MoveMatch moves a match to another place, because the bot can no longer post
// in the old one, and makes its board due there. The board notifies the player
// to move, who could not find the match otherwise. It fails with ErrNoMatch,
// ErrNotSeated, or with ErrStale if the match is not at the place from.
//
// The place is not part of the log: it does not affect the game, and the log
// must replay wherever the match is.
func (h *Host) MoveMatch(ctx context.Context, a Actor, id storage.MatchID, from, to storage.Place) (*View, error) {
	return h.replaceBoard(ctx, a, id, func(tx storage.Tx, v *View) (bool, error) {
		if v.SeatOf(a.Person.ID) == engine.Nobody {
			return false, v.refuse(ErrNotSeated)
		}
		err := tx.MoveMatch(id, from, to)
		if errors.Is(err, storage.ErrConflict) {
			err = v.refuse(ErrStale)
		}
		if err == nil {
			v.Record.Place = to
		}
		return shouldNotify(v.Record, v.Match), err
	})
}

// BoardPosted records that Discord confirmed the message of a board, and that
// other boards have been collapsed. It returns the view afterwards. If the lease of
// the view was lost, it fails with storage.ErrFenced and returns the match as it is;
// the message is recorded nevertheless.
func (h *Host) BoardPosted(ctx context.Context, v *View, id storage.BoardID, message string, collapsed ...storage.BoardID) (*View, error) {
	return h.changeBoards(ctx, v, append([]storage.BoardID{id}, collapsed...),
		func(tx storage.Tx, changed storage.BoardID) error {
			if changed != id {
				return tx.MarkBoardCollapsed(changed)
			}
			return tx.MarkBoardPosted(id, message)
		},
		func(v *View, b *storage.Board) {
			if b.ID != id {
				markCollapsed(b)
			} else if markPosted(b, message) {
				v.Record.ShownSeq = max(v.Record.ShownSeq, b.Seq)
			}
		},
		func(tx storage.Tx) error {
			return cmp.Or(recordLatePost(tx, v.Boards, id, message, v.ReadAt), repeatLateEdits(tx, v.Record.ID, v.Boards, collapsed, v.ReadAt))
		},
		func(tx storage.Tx, after *View) error {
			if after.Board.ID != id || after.Board.Message == "" {
				return nil
			}
			return h.resume(tx, after)
		})
}

// BoardsCollapsed records that Discord confirmed that superseded boards are
// collapsed or gone, that outdated ones are edited or gone, or that skipped ones
// are not there. It returns the view afterwards. If the lease of the view was lost,
// it records nothing and fails with storage.ErrFenced; messages that it may have
// spoilt are edited again.
func (h *Host) BoardsCollapsed(ctx context.Context, v *View, ids ...storage.BoardID) (*View, error) {
	return h.changeBoards(ctx, v, ids, storage.Tx.MarkBoardCollapsed, func(_ *View, b *storage.Board) { markCollapsed(b) },
		func(tx storage.Tx) error { return repeatLateEdits(tx, v.Record.ID, v.Boards, ids, v.ReadAt) },
		func(storage.Tx, *View) error { return nil })
}

// changeBoards changes boards in the store by write and in the view by patch.
// It reads the view again if v is not the latest view of its match,
// and returns v if it fails. If the lease of v was lost, it calls late instead. It
// releases the lease if there is nothing left to show. At the end it calls finish.
func (h *Host) changeBoards(ctx context.Context, v *View, ids []storage.BoardID,
	write func(storage.Tx, storage.BoardID) error, patch func(*View, *storage.Board), late func(storage.Tx) error,
	finish func(storage.Tx, *View) error,
) (after *View, err error) {
	var fenced error
	err = h.Write(ctx, func(tx storage.Tx) error {
		patched := *v
		marked, done, current := ids, false, h.cache.current(v.Record.ID, v.revision)
		if current {
			live := slices.Clone(v.Boards)
			for i := range live {
				if slices.Contains(ids, live[i].ID) {
					patch(&patched, &live[i])
				}
			}
			patched.setBoards(slices.DeleteFunc(live, func(b storage.Board) bool { return !isLive(b) }))
			done = !slices.ContainsFunc(patched.Boards, func(b storage.Board) bool { return b.State != storage.BoardPosted || b.NeedsRedraw })
		}
		if fenced = tx.CheckDeliveryLease(v.Lease, done); errors.Is(fenced, storage.ErrFenced) {
			current, done = false, true
			if err := late(tx); err != nil {
				return err
			}
			marked = nil
		} else if fenced != nil {
			return fenced
		}
		for _, id := range marked {
			if err := write(tx, id); err != nil {
				return err
			}
		}
		if after = &patched; !current {
			if after, err = h.view(tx, v.Record.ID); err != nil {
				return err
			}
		}
		if after.Lease = v.Lease; done {
			after.Lease = storage.DeliveryLease{}
		}
		h.committed(after)
		return finish(tx, after)
	})
	if err != nil {
		return v, err
	}
	h.cache.keepBoards(after.Record.ID, after.Boards)
	return after, fenced
}
