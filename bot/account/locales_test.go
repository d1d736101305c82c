package account_test

import (
	"context"
	"errors"
	"testing"

	"castellan/bot/account"
	"castellan/bot/host/hosttest"
	"castellan/storage"
)

const guild = "1"

var errDisk = errors.New("the disk is full")

func TestLocales(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	ctx := context.Background()
	choose := func(person, public string) {
		hosttest.Must(t, w.Account.SetPreferences(ctx, storage.Preferences{Person: hosttest.Anna.ID, Locale: person}))
		_, err := w.Account.ChangeSettings(ctx, guild, func(s *storage.GuildSettings) { s.Locale = public })
		hosttest.Must(t, err)
	}
	b := account.NewLocales(w.Host, w.Account, w.Texts)
	check := func(step, person, public string) {
		t.Helper()
		if got := b.Printer(ctx, "", hosttest.Anna.ID).Language(); got != person {
			t.Errorf("%s: a person reads %s, want %s", step, got, person)
		}
		if got := b.Printer(ctx, guild, hosttest.Anna.ID).Language(); got != public {
			t.Errorf("%s: a guild reads %s, want %s", step, got, public)
		}
	}
	keep := func() {
		hosttest.Must(t, b.Persist(ctx, hosttest.Anna.ID))
		hosttest.Must(t, b.Persist(ctx, guild))
	}
	check("nothing is known", "en", "en")
	b.Observe(hosttest.Anna.ID, "de")
	check("a person was seen", "de", "en")
	b.Observe(guild, "de")
	check("a guild was seen", "de", "de")
	keep()
	b = account.NewLocales(w.Host, w.Account, w.Texts)
	check("after a restart", "de", "de")
	choose("en", "")
	check("the person chose", "en", "de")
	choose("", "en")
	check("the guild chose", "de", "en")
	choose("", "")
	b.Observe(hosttest.Anna.ID, "en-GB")
	check("the client has another language", "en", "de")
	keep()
	check("that is kept, too", "en", "de")
	b = account.NewLocales(w.Host, w.Account, w.Texts)
	check("after another restart", "en", "de")
}

// TestPersistLocale: nothing is written for people whose client is in English, and one
// record for others, which a store that cannot write only delays.
func TestPersistLocale(t *testing.T) {
	var disk hosttest.Disk
	w := hosttest.New(t, hosttest.Options{Wrap: disk.Wrap})
	b, ctx := account.NewLocales(w.Host, w.Account, w.Texts), context.Background()
	disk.Fail(errDisk)
	b.Observe(hosttest.Anna.ID, "en-US")
	if err := errors.Join(b.Persist(ctx, hosttest.Anna.ID), b.Persist(ctx, "unseen"), b.Persist(ctx, "")); err != nil {
		t.Errorf("there was nothing to write: %v", err)
	}
	b.Observe(hosttest.Anna.ID, "de")
	if err := b.Persist(ctx, hosttest.Anna.ID); !errors.Is(err, errDisk) {
		t.Errorf("on a full disk: %v", err)
	}
	if got := b.Printer(ctx, "", hosttest.Anna.ID).Language(); got != "de" {
		t.Errorf("what cannot be written is forgotten: %s", got)
	}
	disk.Fail(nil)
	hosttest.Must(t, b.Persist(ctx, hosttest.Anna.ID))
	if got := account.NewLocales(w.Host, w.Account, w.Texts).Printer(ctx, "", hosttest.Anna.ID).Language(); got != "de" {
		t.Errorf("on record: %s", got)
	}
	disk.Fail(errDisk)
	hosttest.Must(t, b.Persist(ctx, hosttest.Anna.ID)) // it is on record
	b.Observe(hosttest.Ben.ID, "de")
	b.Forget(hosttest.Ben.ID)
	hosttest.Must(t, b.Persist(ctx, hosttest.Ben.ID)) // there is nothing to write
}
