package host

import (
	"context"

	"castellan/storage"
)

// A match that is to live in a thread starts in the channel of its challenge.
// Before its first board is posted the thread is made, outside any
// transaction, and the match moves there. A thread on a message has the
// identifier of the message, so that nothing is lost where this is cut short:
// made again, it is the same one.

// Housing is a challenge and what has become of the thread for its match.
func (h *Host) Housing(ctx context.Context, id storage.ChallengeID) (ch storage.Challenge, state storage.ThreadState, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		if ch, err = challenge(r, id); err != nil {
			return err
		}
		state, err = r.Thread(id)
		return err
	})
	return ch, state, err
}

// Housed records that the thread on the message of a match's challenge is
// there, and moves the match into it. Where none was wanted nothing is done.
func (h *Host) Housed(ctx context.Context, id storage.MatchID) error {
	return h.house(ctx, id, storage.ThreadWanted, storage.ThreadCreated, func(ch storage.Challenge) (from, to storage.Place) {
		return ch.Place, threadOf(ch)
	})
}

// Unhoused records that there can be no thread, or none that the bot can post
// in: state is ThreadRefused where leave is missing, ThreadNone where there is
// no room for one. A match that is there already moves back to the channel.
func (h *Host) Unhoused(ctx context.Context, id storage.MatchID, state storage.ThreadState) error {
	if err := h.house(ctx, id, storage.ThreadWanted, state, nil); err != nil {
		return err
	}
	return h.house(ctx, id, storage.ThreadCreated, state, func(ch storage.Challenge) (from, to storage.Place) {
		return threadOf(ch), ch.Place
	})
}

// house takes the thread of a match from one state to another; move, where it
// is not nil, says where the match moves.
func (h *Host) house(ctx context.Context, id storage.MatchID, before, after storage.ThreadState,
	move func(storage.Challenge) (from, to storage.Place),
) error {
	return h.store.Update(ctx, func(tx storage.Tx) error {
		rec, err := tx.Match(id)
		if err != nil {
			return err
		}
		if state, err := tx.Thread(rec.Challenge); err != nil || state != before {
			return err
		}
		if err := tx.SetThread(rec.Challenge, after); err != nil {
			return err
		}
		ch, err := tx.Challenge(rec.Challenge)
		if err != nil {
			return err
		}
		if move != nil {
			from, to := move(ch)
			if err := tx.MoveMatch(id, from, to); err != nil {
				return err
			}
			if err := tx.MoveDueBoard(id, to); err != nil {
				return err
			}
		}
		return tx.ReviseChallenge(rec.Challenge) // whose message says where it is played
	})
}

func threadOf(ch storage.Challenge) storage.Place {
	return storage.Place{Guild: ch.Place.Guild, Channel: ch.Message}
}

// reportEnd has the message of a challenge show the result of its match, where
// that was played in a thread: the channel does not see its last board.
func reportEnd(tx storage.Tx, rec storage.Match) error {
	if rec.Challenge == 0 {
		return nil
	}
	if state, err := tx.Thread(rec.Challenge); err != nil || state != storage.ThreadCreated {
		return err
	}
	return tx.ReviseChallenge(rec.Challenge)
}
