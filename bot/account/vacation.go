package account

import (
	"context"
	"errors"
	"time"

	"castellan/storage"
)

// VacationDays is the number of vacation days that everybody has in a calendar year
// (UTC).
// A vacation counts for the year in which it begins. The times of all are added up, and
// full days count: one that is ended at once costs nothing, and nobody gains a day.
const VacationDays = 20

// ErrNoVacation reports that a person does not have so many days of vacation left,
// or is on vacation already.
var ErrNoVacation = errors.New("there is no such vacation to take")

// Vacation says how a person stands with their vacations.
type Vacation struct {
	Until time.Time // when the present one ends; zero without one
	Left  int       // days that can still be taken this year
}

// Vacation returns how a person stands with their vacations.
func (s *Service) Vacation(ctx context.Context, person string) (Vacation, error) {
	return read(ctx, s.host, func(r storage.PeopleReader) (Vacation, error) {
		all, err := vacations(r, person, s.host.Now())
		return standing(all, s.host.Now()), err
	})
}

// vacations returns the vacations of a person that can count in the year of now.
func vacations(r storage.PeopleReader, person string, now time.Time) ([]storage.Vacation, error) {
	return r.Vacations(person, time.Date(now.UTC().Year(), 1, 1, 0, 0, 0, 0, time.UTC))
}

func standing(all []storage.Vacation, now time.Time) Vacation {
	var v Vacation
	var taken time.Duration
	for _, away := range all {
		if away.From.UTC().Year() == now.UTC().Year() {
			taken += away.To.Sub(away.From)
		}
		if away.Includes(now) {
			v.Until = away.To
		}
	}
	v.Left = max(VacationDays-int(taken/(24*time.Hour)), 0)
	return v
}

// StartVacation begins a vacation of some days now. It fails with ErrNoVacation.
func (s *Service) StartVacation(ctx context.Context, person string, days int) error {
	now := s.host.Now().Truncate(time.Second)
	return s.changeVacation(ctx, person, now, func(all []storage.Vacation) (storage.Vacation, error) {
		v := standing(all, now)
		if days < 1 || days > v.Left || !v.Until.IsZero() || len(all) > 0 && all[len(all)-1].To.After(now) {
			return storage.Vacation{}, ErrNoVacation
		}
		return storage.Vacation{Person: person, From: now, To: now.Add(time.Duration(days) * 24 * time.Hour)}, nil
	})
}

// EndVacation ends the vacation of a person now. It fails with ErrNoVacation if they
// are not on vacation.
func (s *Service) EndVacation(ctx context.Context, person string) error {
	now := s.host.Now()
	return s.changeVacation(ctx, person, now, func(all []storage.Vacation) (storage.Vacation, error) {
		for _, v := range all {
			if v.Includes(now) {
				v.To = now
				return v, nil
			}
		}
		return storage.Vacation{}, ErrNoVacation
	})
}

// changeVacation stores a vacation that change derives from the others, and has the
// person's matches show it.
func (s *Service) changeVacation(ctx context.Context, person string, now time.Time, change func([]storage.Vacation) (storage.Vacation, error)) error {
	return s.host.Write(ctx, func(tx storage.Tx) error {
		all, err := vacations(tx, person, now)
		if err != nil {
			return err
		}
		v, err := change(all)
		if err != nil {
			return err
		}
		if err := tx.SetVacation(v); err != nil {
			return err
		}
		return s.host.ShowVacation(tx, person)
	})
}

// QuietUntil returns when the vacation or the quiet hours of a person end, if now is
// in them, or the zero time.
func (s *Service) QuietUntil(ctx context.Context, person string, now time.Time) (time.Time, error) {
	return read(ctx, s.host, func(r storage.PeopleReader) (time.Time, error) {
		all, err := vacations(r, person, now)
		if v := standing(all, now); err != nil || !v.Until.IsZero() {
			return v.Until, err
		}
		p, err := r.Preferences(person)
		return p.QuietUntil(now), err
	})
}
