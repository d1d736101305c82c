package host

import (
	"context"
	"errors"

	"castellan/storage"
)

// RepostAll has everything posted again that people wait for: a board in every
// match that has not ended and has none due, and every open challenge. It
// serves where the channels are known to have lost their messages.
func (h *Host) RepostAll(ctx context.Context) error {
	return h.store.Update(ctx, func(tx storage.Tx) error {
		if err := h.repostBoards(tx); err != nil {
			return err
		}
		open, err := tx.OpenChallenges()
		if err != nil {
			return err
		}
		for _, ch := range open {
			if err := tx.RepostChallenge(ch.ID, h.now()); err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *Host) repostBoards(tx storage.Tx) error {
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
		board := storage.Board{Match: rec.ID, Seq: v.Match.PublicSeq(), Place: rec.Place, NextAttempt: h.now()}
		if _, err := tx.InsertBoard(board); err != nil {
			return err
		}
	}
	return nil
}
