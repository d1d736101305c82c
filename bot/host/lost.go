package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"castellan/storage"
)

// A database can lose commits: a standby takes over that had not received all, or
// somebody restores a backup. Processes that have seen the commits find out by the
// digest of the log, forget what they know, and correct the channel.

// lostTurns is what a process remembers of turns that the database has lost.
type lostTurns struct {
	correction storage.BoardID // known before
	boards     []storage.Board // that were in the channel
}

// diverged forgets a match that has another history in the database. It is not one that
// was lost if the settings differ: a person was deleted, or the number was given again.
func (h *Host) diverged(rec storage.Match, known remembered) {
	boards := h.cache.forget(rec.ID)
	if known.Root != rec.Root {
		return
	}
	h.log.Error("the database has lost turns of a match that this process has seen; it goes on as the database has it",
		"match", rec.ID, "entries", known.Match.Seq(), "stored", rec.Seq)
	h.lost.Store(rec.ID, &lostTurns{known.Correction, boards})
}

// Invalidate notes that the connection to the database was lost: another server, which
// lacks commits, may have taken its place.
func (h *Host) Invalidate(s storage.Signal) {
	if s.Kind == storage.SignalsLost {
		h.compare.Store(true)
	}
}

// CorrectLost has the channels of matches corrected of which the database has lost
// turns. A new board says so, once whatever the number of processes, and mentions the
// player to move. The boards of the lost turns are collapsed.
func (h *Host) CorrectLost(ctx context.Context) error {
	var errs []error
	if h.compare.Swap(false) {
		if err := h.compareAll(ctx); err != nil {
			h.compare.Store(true)
			errs = append(errs, err)
		}
	}
	h.lost.Range(func(id, l any) bool {
		err := h.correctLost(ctx, id.(storage.MatchID), l.(*lostTurns))
		if err == nil || isBroken(err) || errors.Is(err, ErrNoMatch) {
			h.lost.CompareAndDelete(id, l)
		} else {
			errs = append(errs, fmt.Errorf("match %d: %w", id, err))
		}
		return true
	})
	return errors.Join(errs...)
}

// compareAll compares all matches that this process remembers with the database.
func (h *Host) compareAll(ctx context.Context) error {
	before := h.cache.all()
	if len(before) == 0 {
		return nil
	}
	_, err := Report(ctx, h, func(r storage.Reader) (struct{}, error) {
		records, err := r.AllRunning()
		for _, rec := range records {
			known, remembered := before[rec.ID]
			if !remembered {
				continue
			}
			if rec.Seq < known.Match.Seq() { // which was committed before this transaction began
				h.diverged(rec, known)
			}
			if _, err := h.match(r, rec); err != nil && !isBroken(err) {
				return struct{}{}, err
			}
		}
		return struct{}{}, err
	})
	return err
}

func (h *Host) correctLost(ctx context.Context, id storage.MatchID, l *lostTurns) error {
	return h.Write(ctx, func(tx storage.Tx) error {
		v, err := h.view(tx, id)
		if err != nil {
			return err
		}
		stored, err := tx.Boards(id)
		if err != nil {
			return err
		}
		for _, b := range l.boards {
			if b.Message == "" || slices.ContainsFunc(stored, func(s storage.Board) bool { return s.Message == b.Message }) {
				continue
			}
			b.Seq, b.NextAttempt = min(b.Seq, v.Match.PublicSeq()), h.Now()
			if err := tx.MarkForEdit(b); err != nil {
				return err
			}
		}
		if v.Record.Correction > l.correction { // another process has corrected it
			return nil
		}
		if err := h.insertBoard(tx, v, storage.Board{Notify: shouldNotify(v.Record, v.Match)}); err != nil {
			return err
		}
		h.committed(v)
		return tx.SetCorrection(id, v.Board.ID)
	})
}
