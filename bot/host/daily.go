package host

import (
	"context"
	"errors"

	"castellan/storage"
)

// WantsDaily reports whether a person gets a daily message.
func (h *Host) WantsDaily(ctx context.Context, person string) (bool, error) {
	return read(ctx, h, func(r storage.Reader) (bool, error) {
		_, err := r.DailyMessage(person)
		if errors.Is(err, storage.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	})
}

// SetDaily starts or ends the daily message of a person. The first one is due a
// day later, so that all come at the time of day at which the person chose it.
func (h *Host) SetDaily(ctx context.Context, person string, on bool) error {
	return h.write(ctx, func(tx storage.Tx) error {
		_, err := tx.DailyMessage(person)
		switch none := errors.Is(err, storage.ErrNotFound); {
		case err != nil && !none:
			return err
		case on == !none:
			return nil
		case !on:
			return tx.SetDailyMessage(storage.DailyMessage{Person: person})
		}
		return tx.SetDailyMessage(storage.DailyMessage{Person: person}.Next(h.Now()))
	})
}

// UpdateDaily replaces the record of a daily message. It fails with ErrStale if
// the record is no longer before: its person has ended it, or it has been sent.
func (h *Host) UpdateDaily(ctx context.Context, before, after storage.DailyMessage) error {
	return h.write(ctx, func(tx storage.Tx) error {
		now, err := tx.DailyMessage(before.Person)
		if errors.Is(err, storage.ErrNotFound) || err == nil && now != before {
			return ErrStale
		}
		if err != nil {
			return err
		}
		return tx.SetDailyMessage(after)
	})
}

// ListWaiting returns up to limit matches in which it is a person's turn, the one
// that has waited longest first.
func (h *Host) ListWaiting(ctx context.Context, person string, limit int) (waiting []*View, err error) {
	p, err := h.ListOwn(ctx, person, 1, limit)
	for _, v := range p.Matches {
		if v.isToMove(person) {
			waiting = append(waiting, v)
		}
	}
	return waiting, err
}
