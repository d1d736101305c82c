package account

import (
	"context"
	"errors"

	"castellan/bot/host"
	"castellan/storage"
)

// WantsDaily reports whether a person gets a daily message.
func (s *Service) WantsDaily(ctx context.Context, person string) (bool, error) {
	return host.Read(ctx, s.host, func(r storage.Reader) (bool, error) {
		_, err := r.DailyMessage(person)
		if errors.Is(err, storage.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	})
}

// SetDaily starts or ends the daily message of a person. The first one is due a
// day later, so that all come at the time of day at which the person chose it.
func (s *Service) SetDaily(ctx context.Context, person string, on bool) error {
	return s.host.Write(ctx, func(tx storage.Tx) error {
		_, err := tx.DailyMessage(person)
		switch none := errors.Is(err, storage.ErrNotFound); {
		case err != nil && !none:
			return err
		case on == !none:
			return nil
		case !on:
			return tx.SetDailyMessage(storage.DailyMessage{Person: person})
		}
		return tx.SetDailyMessage(storage.DailyMessage{Person: person}.Next(s.host.Now()))
	})
}

// UpdateDaily replaces the record of a daily message. It fails with host.ErrStale if
// the record is no longer before: its person has ended it, or it has been sent.
func (s *Service) UpdateDaily(ctx context.Context, before, after storage.DailyMessage) error {
	return s.host.Write(ctx, func(tx storage.Tx) error {
		now, err := tx.DailyMessage(before.Person)
		if errors.Is(err, storage.ErrNotFound) || err == nil && now != before {
			return host.ErrStale
		}
		if err != nil {
			return err
		}
		return tx.SetDailyMessage(after)
	})
}
