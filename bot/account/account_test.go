package account_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine"
	"castellan/storage"
)

func TestSide(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	inList := func(*host.View) *host.View {
		all, err := w.Host.Running(t.Context(), hosttest.Anna.ID, "")
		hosttest.Must(t, err)
		return all[0]
	}
	whole := func(v *host.View) *host.View { return w.Match(v.Record.ID) }
	started := w.Start("trails")
	hosttest.Must(t, w.Account.SetPreferences(t.Context(), storage.Preferences{Person: hosttest.Ben.ID, OwnSide: true}))
	for name, read := range map[string]func(*host.View) *host.View{"from a list": inList, "whole": whole} {
		for person, want := range map[string]engine.Seat{hosttest.Anna.ID: engine.Nobody, hosttest.Ben.ID: 2, hosttest.Chloe.ID: engine.Nobody} {
			p, err := w.Account.PreferencesIn(t.Context(), read(started), person)
			if got := account.Side(started, p); got != want || err != nil {
				t.Errorf("%s, %s: %d, %v, want %d", name, person, got, err, want)
			}
		}
	}
}

// A daily message that its person has ended meanwhile is not set again.
func TestUpdateDaily(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	hosttest.Must(t, w.Account.SetDaily(t.Context(), hosttest.Anna.ID, true))
	d, err := host.Read(t.Context(), w.Host, func(r storage.Reader) (storage.DailyMessage, error) { return r.DailyMessage(hosttest.Anna.ID) })
	hosttest.Must(t, err)
	hosttest.Must(t, w.Account.UpdateDaily(t.Context(), d, d.Next(d.DueAt, time.UTC)))
	if err := w.Account.UpdateDaily(t.Context(), d, d.Next(d.DueAt, time.UTC)); !errors.Is(err, host.ErrStale) {
		t.Errorf("updated twice: %v", err)
	}
	hosttest.Must(t, w.Account.SetDaily(t.Context(), hosttest.Anna.ID, false))
	if err := w.Account.UpdateDaily(t.Context(), d.Next(d.DueAt, time.UTC), d); !errors.Is(err, host.ErrStale) {
		t.Errorf("updated after its end: %v", err)
	}
	if at, err := w.Account.NextDaily(t.Context(), hosttest.Anna.ID); !at.IsZero() || err != nil {
		t.Errorf("wanted at %s, %v", at, err)
	}
}

// Changes fail once the host is closed, whether the store is busy or idle.
func TestClose(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	held, release, released := make(chan struct{}), make(chan struct{}), make(chan error)
	hold := sync.OnceFunc(func() { close(held) })
	go func() {
		released <- w.Store.Update(context.Background(), func(storage.Tx) error {
			hold()
			<-release
			return nil
		})
	}()
	<-held
	w.Host.Close()
	changes := map[string]func(*account.Service) error{
		"preferences": func(s *account.Service) error {
			return s.SetPreferences(t.Context(), storage.Preferences{Person: "1"})
		},
		"daily message": func(s *account.Service) error { return s.SetDaily(t.Context(), "1", true) },
		"its record": func(s *account.Service) error {
			return s.UpdateDaily(t.Context(), storage.DailyMessage{}, storage.DailyMessage{})
		},
	}
	refused := func(when string) {
		t.Helper()
		for name, change := range changes {
			if err := change(w.Account); !errors.Is(err, host.ErrStopping) {
				t.Errorf("%s, %s: %v", name, when, err)
			}
		}
	}
	refused("busy")
	close(release)
	hosttest.Must(t, <-released)
	for range 20 {
		refused("idle")
	}
}

// A person has a number of days in a year. The times of vacations are added up, and full
// days count.
func TestVacationDays(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	ctx, id := t.Context(), hosttest.Anna.ID
	left := func(want int, away bool) {
		t.Helper()
		if v, err := w.Account.Vacation(ctx, id); err != nil || v.Left != want || v.Until.IsZero() == away {
			t.Errorf("%+v, %v; want %d days left, on vacation: %t", v, err, want, away)
		}
	}
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, account.ErrNoVacation) {
			t.Errorf("error %v", err)
		}
	}
	left(account.VacationDays, false)
	refused(w.Account.EndVacation(ctx, id))
	refused(w.Account.StartVacation(ctx, id, account.VacationDays+1))
	refused(w.Account.StartVacation(ctx, id, 0))
	hosttest.Must(t, w.Account.StartVacation(ctx, id, 5))
	left(account.VacationDays-5, true)
	refused(w.Account.StartVacation(ctx, id, 1))
	w.Advance(25 * time.Hour)
	hosttest.Must(t, w.Account.EndVacation(ctx, id))
	left(account.VacationDays-1, false)
	hosttest.Must(t, w.Account.StartVacation(ctx, id, 1))
	w.Advance(time.Minute) // costs nothing
	hosttest.Must(t, w.Account.EndVacation(ctx, id))
	left(account.VacationDays-1, false)
	hosttest.Must(t, w.Account.StartVacation(ctx, id, account.VacationDays-1))
	w.Advance(account.VacationDays * 24 * time.Hour)
	left(0, false)
	refused(w.Account.StartVacation(ctx, id, 1))
	w.Advance(365 * 24 * time.Hour)
	left(account.VacationDays, false)
}
