package host

import (
	"context"
	"errors"
	"fmt"

	"castellan/engine"
	"castellan/storage"
)

// Rematch asks those with whom a person has played a match for another one,
// with the seats of two exchanged; of more they are drawn by lot anew. Only
// those who played can take part. Where one of them has asked already, it
// accepts: the view is then the match, as soon as everybody has. Computers
// accept at once. It is refused with ErrNoMatch, ErrNotSeated, ErrNotOver,
// ErrAsked, ErrRematched or a *LimitError.
func (h *Host) Rematch(ctx context.Context, c Cause, id storage.MatchID, place storage.Place, thread bool) (ch storage.Challenge, v *View, err error) {
	err = h.once(ctx, c, func(tx storage.Tx, done *storage.ProcessedInteraction) error {
		if done != nil {
			if ch, v, err = h.afterAnswer(tx, done.Challenge); v != nil {
				v.Repeated = true
			}
			return err
		}
		last, err := h.view(tx, id)
		if err != nil {
			return err
		}
		_, over := last.Match.Over()
		switch {
		case last.SeatOf(c.Person.ID) == engine.Nobody:
			return &Refusal{Err: ErrNotSeated, View: last}
		case !over:
			return &Refusal{Err: ErrNotOver, View: last}
		}
		asked, found, err := h.askedFor(tx, id)
		switch {
		case err != nil:
			return err
		case found && asked.Match != 0:
			next, err := h.view(tx, asked.Match)
			if err != nil {
				return err
			}
			return &Refusal{Err: ErrRematched, View: next}
		case found && seated(asked.Joined, c.Person):
			return &Refusal{Err: ErrAsked, Challenge: &asked}
		case found:
			after := asked
			sit(&after, c.Person)
			if err := h.put(tx, c, asked, after); err != nil {
				return err
			}
			ch, v, err = h.afterAnswer(tx, asked.ID)
			return err
		}
		if ch, err = h.insertRematch(tx, c, last, place, thread); err != nil {
			return err
		}
		ch, v, err = h.afterAnswer(tx, ch.ID)
		return err
	})
	return ch, v, err
}

// askedFor is the rematch of a match that has been asked for and can be
// accepted, or has been.
func (h *Host) askedFor(r storage.Reader, id storage.MatchID) (ch storage.Challenge, found bool, err error) {
	newest, err := r.RematchFor(id)
	if errors.Is(err, storage.ErrNotFound) {
		return ch, false, nil
	}
	if err != nil {
		return ch, false, err
	}
	ch, err = r.Challenge(newest)
	open := ch.State == storage.ChallengeOpen && !expired(ch, h.now())
	return ch, err == nil && (open || ch.State == storage.ChallengeAccepted), err
}

func (h *Host) insertRematch(tx storage.Tx, c Cause, last *View, place storage.Place, thread bool) (storage.Challenge, error) {
	options, err := last.Game.Options().Parse(last.Record.Options)
	if err != nil {
		return storage.Challenge{}, fmt.Errorf("the options of match %d: %w", last.Record.ID, err)
	}
	o := Offer{
		Place: place, Game: last.Record.Game, Seats: len(last.Record.Seats), Unrated: last.Record.Unrated, Thread: thread,
		Opponents: without(last.Record.Seats, c.Person), First: FirstRandom,
	}
	switch {
	case o.Seats > 2:
	case last.SeatOf(c.Person.ID) == 1:
		o.First = FirstThem
	default:
		o.First = FirstMe
	}
	ch, err := h.insertChallenge(tx, c, o, options)
	if err != nil {
		return ch, err
	}
	return ch, tx.RecordRematch(ch.ID, last.Record.ID)
}

// afterAnswer is a challenge as it stands and its match, nil while there is
// none.
func (h *Host) afterAnswer(r storage.Reader, id storage.ChallengeID) (ch storage.Challenge, v *View, err error) {
	if ch, err = challenge(r, id); err == nil && ch.Match != 0 {
		v, err = h.view(r, ch.Match)
	}
	return ch, v, err
}

// maySit says why a person cannot take a seat of a challenge that is kept for
// nobody: of a rematch it is for those who played.
func (h *Host) maySit(r storage.Reader, ch storage.Challenge, p storage.Person) error {
	if seated(ch.Invited, p) {
		return nil
	}
	last, err := r.RematchOf(ch.ID)
	if err != nil || last == 0 {
		return err
	}
	rec, err := r.Match(last)
	if err == nil && !seated(rec.Seats, p) {
		err = &Refusal{Err: ErrNotAmong, Challenge: &ch}
	}
	return err
}

// IsRematch reports whether a challenge asks for another match of the same
// people.
func (h *Host) IsRematch(ctx context.Context, id storage.ChallengeID) (is bool, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		last, err := r.RematchOf(id)
		is = last != 0
		return err
	})
	return is, err
}

// LastEnded is the match of a person in a channel that ended last, or anywhere
// where the channel is empty. It is refused with ErrNoneEnded.
func (h *Host) LastEnded(ctx context.Context, person, channel string) (v *View, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		rec, err := r.LastEnded(person, channel)
		if errors.Is(err, storage.ErrNotFound) {
			return &Refusal{Err: ErrNoneEnded}
		}
		if err != nil {
			return err
		}
		v, err = h.rebuild(r, rec)
		return err
	})
	return v, err
}
