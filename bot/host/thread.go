package host

import (
	"context"
	"time"

	"castellan/storage"
)

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
		return storage.ThreadCreated, moveWithBoard(tx, v.Record.ID, ch.Place, threadOf(ch))
	})
}

// ThreadFailed records that there is no thread for a match, or none that the
// bot can post in, and returns the view afterwards. state says why. A match that
// is in its thread moves back to the channel, with a new board if none is due. Until
// that is posted, the clock stands still.
func (h *Host) ThreadFailed(ctx context.Context, v *View, state storage.ThreadState) (*View, error) {
	return h.changeThread(ctx, v, func(tx storage.Tx, ch storage.Challenge, before storage.ThreadState) (storage.ThreadState, error) {
		switch before {
		case storage.ThreadWanted:
			return state, nil
		case storage.ThreadCreated:
			if err := moveWithBoard(tx, v.Record.ID, threadOf(ch), ch.Place); err != nil {
				return state, err
			}
			moved, err := h.view(tx, v.Record.ID)
			if err == nil {
				err = h.pause(tx, moved)
			}
			if _, over := v.Match.Over(); err != nil || over || moved.Board.State == storage.BoardDue {
				return state, err
			}
			return state, h.insertBoard(tx, moved, storage.Board{Notify: shouldNotify(moved.Record, moved.Match)})
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
		if err := tx.CheckDeliveryLease(v.Lease, false); err != nil {
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

// moveWithBoard moves a match and its due board to another place.
func moveWithBoard(tx storage.Tx, id storage.MatchID, from, to storage.Place) error {
	if err := tx.MoveMatch(id, from, to); err != nil {
		return err
	}
	return tx.MoveDueBoard(id, to)
}

func threadOf(ch storage.Challenge) storage.Place {
	return storage.Place{Guild: ch.Place.Guild, Channel: ch.Message}
}

// reviseThreadChallenge has the message of a challenge show the result of its
// match if that was played in a thread: the channel does not see the last
// board.
func reviseThreadChallenge(tx storage.ChallengeStore, rec storage.Match) error {
	if rec.Challenge == 0 {
		return nil
	}
	if state, err := tx.Thread(rec.Challenge); err != nil || state != storage.ThreadCreated {
		return err
	}
	return tx.ReviseChallenge(rec.Challenge)
}
