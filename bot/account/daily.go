package account

import (
	"context"
	"errors"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// NextDaily returns when the next daily message of a person is due, or the zero time if
// they get none.
func (s *Service) NextDaily(ctx context.Context, person string) (time.Time, error) {
	return read(ctx, s.host, func(r storage.PeopleReader) (time.Time, error) {
		d, err := r.DailyMessage(person)
		if errors.Is(err, storage.ErrNotFound) {
			return time.Time{}, nil
		}
		return d.DueAt, err
	})
}

// SetDaily starts or ends the daily message of a person. The first one is due a
// day later, so that all come at the time of day at which the person chose it.
func (s *Service) SetDaily(ctx context.Context, person string, on bool) error {
	return write(ctx, s.host, func(tx storage.PeopleStore) error {
		_, err := tx.DailyMessage(person)
		switch none := errors.Is(err, storage.ErrNotFound); {
		case err != nil && !none:
			return err
		case on == !none:
			return nil
		case !on:
			return tx.SetDailyMessage(storage.DailyMessage{Person: person})
		}
		p, err := tx.Preferences(person)
		if err != nil {
			return err
		}
		return tx.SetDailyMessage(storage.DailyMessage{Person: person}.Next(s.host.Now(), p.Location()))
	})
}

// UpdateDaily replaces the record of a daily message. It fails with host.ErrStale if
// the record is no longer before: its person has ended it, or it has been sent.
func (s *Service) UpdateDaily(ctx context.Context, before, after storage.DailyMessage) error {
	return write(ctx, s.host, func(tx storage.PeopleStore) error {
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
