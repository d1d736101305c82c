package host

import (
	"context"
	"errors"
	"fmt"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// Anywhere is the sequence number of a request that does not depend on how
// far the match had come when it was made, such as a typed command.
const Anywhere = -1

// Act plays an action or a whole turn for a person. seq is how far the match
// had come when they chose it, or Anywhere. It is refused with ErrNoMatch,
// ErrNotSeated, ErrStale, or an error of match.Act.
func (h *Host) Act(ctx context.Context, c Cause, id storage.MatchID, seq int, text string) (*View, error) {
	return h.change(ctx, c, id, seq, func(v *View, seat engine.Seat, mo match.Moment) ([]match.Entry, error) {
		return v.Match.Act(seat, text, mo)
	})
}

// Undo takes back the last action of a person's open turn. It is refused as
// Act is, and with an error of match.Undo.
func (h *Host) Undo(ctx context.Context, c Cause, id storage.MatchID, seq int) (*View, error) {
	return h.change(ctx, c, id, seq, func(v *View, seat engine.Seat, mo match.Moment) ([]match.Entry, error) {
		return v.Match.Undo(seat, mo)
	})
}

// Resign gives a match up, or calls it off without a result where View.CallsOff
// says so. Where three or more are playing the others play on. It is refused as
// Act is, and with an error of match.Resign.
func (h *Host) Resign(ctx context.Context, c Cause, id storage.MatchID, seq int) (*View, error) {
	return h.change(ctx, c, id, seq, (*View).leave)
}

// leave is the entries by which a seat gives up, or calls the match off where
// it can.
func (v *View) leave(seat engine.Seat, mo match.Moment) ([]match.Entry, error) {
	if v.CallsOff() {
		return v.Match.Abort(seat, mo)
	}
	return v.Match.Resign(seat, mo)
}

// Repost makes a new board due, without a mention, whatever stands in the
// channel. Anybody may ask for it.
func (h *Host) Repost(ctx context.Context, c Cause, id storage.MatchID) (v *View, err error) {
	err = h.once(ctx, c, func(tx storage.Tx, done *storage.ProcessedInteraction) error {
		if done != nil {
			v, err = h.view(tx, done.Match)
			return repeated(v, err)
		}
		if v, err = h.view(tx, id); err != nil {
			return err
		}
		board := storage.Board{Match: id, Seq: v.Match.PublicSeq(), Place: v.Record.Place, NextAttempt: h.now()}
		board.Notify = owesNotice(v)
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

// change is every use case that adds to a match's log.
func (h *Host) change(ctx context.Context, c Cause, id storage.MatchID, seq int,
	decide func(*View, engine.Seat, match.Moment) ([]match.Entry, error),
) (v *View, err error) {
	err = h.once(ctx, c, func(tx storage.Tx, done *storage.ProcessedInteraction) error {
		if done != nil {
			v, err = h.view(tx, done.Match)
			return repeated(v, err)
		}
		if v, err = h.view(tx, id); err != nil {
			return err
		}
		before := v
		refuse := func(err error) error { return &Refusal{Err: err, View: before} }
		seat := v.SeatOf(c.Person.ID)
		if seat == engine.Nobody {
			return refuse(ErrNotSeated)
		}
		if seq != Anywhere && seq != v.Match.Seq() {
			return refuse(ErrStale)
		}
		mo, err := h.moment(tx, c, v)
		if err != nil {
			return err
		}
		entries, err := decide(v, seat, mo)
		if err != nil {
			return refuse(err)
		}
		after, err := h.add(tx, v, entries, mo)
		if err != nil {
			return err
		}
		if err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: c.Interaction, At: mo.At, Match: id, Seq: after.Seq()}); err != nil {
			return err
		}
		v, err = h.view(tx, id)
		return err
	})
	return v, err
}

// add adds entries to a match's log with all that follows from them: the end
// and what it does to ratings, the times to look at it again, a board that is
// due. Where no person plays on, the computers give up as well.
func (h *Host) add(tx storage.Tx, v *View, entries []match.Entry, mo match.Moment) (*match.Match, error) {
	id := v.Record.ID
	after, err := v.Match.With(entries...)
	for err == nil && after.Seat() != engine.Nobody {
		now := &View{Record: v.Record, Match: after}
		if now.people() > 0 {
			break
		}
		var more []match.Entry
		if more, err = now.leave(now.weakest(), mo); err == nil {
			entries = append(entries, more...)
			after, err = after.With(more...)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("match %d: applying what was decided: %w", id, err)
	}
	if err := tx.Append(id, v.Match.Seq(), toStore(entries)); err != nil {
		return nil, err
	}
	turn := &View{Record: v.Record, Match: after}
	if out, over := after.Over(); over {
		if err := h.finish(tx, id, out); err != nil {
			return nil, err
		}
	} else if deadline := turn.deadline(); !deadline.Equal(v.deadline()) {
		// It stays where others have left, so that nobody is reminded twice.
		if err := tx.SetDeadline(id, deadline); err != nil {
			return nil, err
		}
	}
	if since := turn.thinking(); after.Seat() != engine.Nobody && !since.Equal(v.Record.ComputerTurnSince) {
		if err := tx.SetComputerTurn(id, since); err != nil {
			return nil, err
		}
	}
	if after.PublicSeq() > v.Match.PublicSeq() {
		notify := (newTurn(v.Match, after) || owesNotice(v)) && concerns(v.Record, after)
		board := storage.Board{Match: id, Seq: after.PublicSeq(), Place: v.Record.Place, Notify: notify, NextAttempt: mo.At}
		if _, err := tx.InsertBoard(board); err != nil {
			return nil, err
		}
	}
	return after, nil
}

// once runs a use case in a transaction, and tells it whether its interaction
// has been carried out before: done is then what was noted.
func (h *Host) once(ctx context.Context, c Cause, fn func(tx storage.Tx, done *storage.ProcessedInteraction) error) error {
	if c.Interaction == "" || c.Person.ID == "" {
		return errPersonIsNowhere
	}
	return h.store.Update(ctx, func(tx storage.Tx) error {
		done, err := tx.ProcessedInteraction(c.Interaction)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return fn(tx, nil)
		case err != nil:
			return err
		}
		return fn(tx, &done)
	})
}

func repeated(v *View, err error) error {
	if err == nil {
		v.Repeated = true
	}
	return err
}
