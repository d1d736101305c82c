package host

import (
	"context"
	"errors"

	"castellan/engine"
	"castellan/storage"
)

// TakeOver takes a match to another place, from one that the bot cannot reach
// any more, and makes its board due there. It notifies the next player, who
// has no other way of learning where the match goes on. It is refused with
// ErrNoMatch, with ErrNotSeated to who does not play, and with ErrStale where
// the match is not at the place from any more.
//
// Where a match is shown is no part of its log: it changes nothing in the
// game, and a log must replay wherever it is.
func (h *Host) TakeOver(ctx context.Context, c Cause, id storage.MatchID, from, to storage.Place) (v *View, err error) {
	err = h.once(ctx, c, func(tx storage.Tx, done *storage.ProcessedInteraction) error {
		if done != nil {
			v, err = h.view(tx, done.Match)
			return repeated(v, err)
		}
		if v, err = h.view(tx, id); err != nil {
			return err
		}
		if v.SeatOf(c.Person.ID) == engine.Nobody {
			return &Refusal{Err: ErrNotSeated, View: v}
		}
		switch err := tx.MoveMatch(id, from, to); {
		case errors.Is(err, storage.ErrConflict):
			return &Refusal{Err: ErrStale, View: v}
		case err != nil:
			return err
		}
		board := storage.Board{Match: id, Seq: v.Match.PublicSeq(), Place: to, Notify: concerns(v.Record, v.Match), NextAttempt: h.now()}
		if _, err := tx.InsertBoard(board); err != nil {
			return err
		}
		if err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: c.Interaction, At: h.now(), Match: id, Seq: v.Match.Seq()}); err != nil {
			return err
		}
		v, err = h.view(tx, id)
		return err
	})
	return v, err
}
