package host

import (
	"context"
	"slices"
	"time"

	"castellan/engine"
	"castellan/storage"
)

// Where the bot cannot reach the player to move, the clock of a match stands still:
// from the beginning of the turn if they have not been notified of it, and otherwise from
// when the bot finds out. It runs again when a board is posted, or when somebody goes
// on with the match from elsewhere.

// Unreachable records that the player to move in a match cannot be reached. A board is
// due, which is posted when they can be reached again; it notifies them if notify.
func (h *Host) Unreachable(ctx context.Context, id storage.MatchID, notify bool) error {
	return h.Write(ctx, func(tx storage.Tx) error {
		v, err := h.view(tx, id)
		if isBroken(err) {
			return nil
		}
		if err != nil || !v.Record.PausedAt.IsZero() {
			return err
		}
		defer h.committed(v)
		if err := h.pause(tx, v); err != nil || v.Record.PausedAt.IsZero() || v.Board.State == storage.BoardDue {
			return err
		}
		return h.insertBoard(tx, v, storage.Board{Notify: notify && shouldNotify(v.Record, v.Match)})
	})
}

// UnreachableIn does the same as Unreachable for the running matches of a channel and of
// the threads on its challenges or, without a channel, of a guild. It returns how many
// there are.
func (h *Host) UnreachableIn(ctx context.Context, place storage.Place, notify bool) (n int, err error) {
	running, err := Read(ctx, h, func(r storage.Reader) ([]storage.Match, error) {
		if place.Channel != "" {
			return r.RunningInChannel(place.Channel)
		}
		all, err := r.AllRunning()
		return slices.DeleteFunc(all, func(m storage.Match) bool { return m.Place.Guild != place.Guild }), err
	})
	for _, rec := range running {
		if err == nil {
			err = h.Unreachable(ctx, rec.ID, notify)
			n++
		}
	}
	return n, err
}

// pause has the clock of a running match stand still if a person is to move.
func (h *Host) pause(tx storage.Tx, v *View) error {
	if _, computer := v.ComputerToMove(); computer || v.Match.Seat() == engine.Nobody || !v.Record.PausedAt.IsZero() {
		return nil
	}
	v.Record.PausedAt = v.ReadAt
	if mustNotify(v) || v.timeUp(v.Match) {
		v.Record.PausedAt = v.Since()
	}
	if err := tx.SetPauses(v.Record.ID, v.Record.PausedAt, v.Record.Pauses); err != nil {
		return err
	}
	v.Record.CheckAt = v.checkAt()
	return tx.SetCheckAt(v.Record.ID, v.Record.CheckAt)
}

// resume has the clock of a match go on, if it was paused.
func (h *Host) resume(tx storage.Tx, v *View) error {
	if v.Record.PausedAt.IsZero() {
		return nil
	}
	if err := h.endPause(tx, v); err != nil {
		return err
	}
	v.Record.CheckAt = v.checkAt()
	return tx.SetCheckAt(v.Record.ID, v.Record.CheckAt)
}

// endPause ends the pause of a match.
func (h *Host) endPause(tx storage.Tx, v *View) error {
	if now := h.Now(); v.Record.PausedAt.Before(now) {
		v.Record.Pauses = append(slices.Clip(v.Record.Pauses), storage.Outage{From: v.Record.PausedAt, To: now})
	}
	v.Record.PausedAt = time.Time{}
	v.setSpans(v.outages, v.vacations)
	return tx.SetPauses(v.Record.ID, v.Record.PausedAt, v.Record.Pauses)
}

// TimeUp reports whether the player to move had run out of time when the view was made.
func (v *View) TimeUp() bool { return v.timeUp(v.Match) }
