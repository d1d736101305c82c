package bot

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine/trails"
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

func open(t *testing.T, url string) (*postgres.Store, *hosttest.World) {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, postgres.Connections(2))
	hosttest.Must(t, err)
	t.Cleanup(func() { hosttest.Must(t, s.Close()) })
	return s, hosttest.New(t, hosttest.Options{Wrap: func(storage.Store) storage.Store { return s }})
}

// What a process has in memory follows what another process changes.
func TestSignals(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), pgtest.Migrated(t)
	other, a := open(t, url)
	store, w := open(t, url)
	b, err := New(Config{
		Token: "a.b.c", Host: w.Host, Games: w.Games, Renderer: hosttest.Renderer{}, Catalogue: w.Texts, Logger: slog.New(slog.DiscardHandler), Peers: store,
	})
	hosttest.Must(t, err)
	heard := make(chan storage.Signal, 100)
	go store.Listen(ctx, func(s storage.Signal) { b.hear(s); heard <- s })
	await := func(k storage.SignalKind) {
		for s := range heard {
			if s.Kind == k {
				return
			}
		}
	}
	await(storage.SignalsLost)
	if !b.Publisher.Woken() {
		t.Error("nothing looks for posts that were due meanwhile")
	}

	const guild = "1"
	anna, accounts := hosttest.Anna.ID, b.listeners[0].(*account.Service)
	check := func(step, theme, public, locale string) {
		t.Helper()
		own, err := accounts.Preferences(ctx, anna)
		settings, err2 := accounts.Settings(ctx, guild)
		if err != nil || err2 != nil || own.Theme != theme || settings.Theme != public {
			t.Errorf("%s: %q and %q, %v, %v, want %q and %q", step, own.Theme, settings.Theme, err, err2, theme, public)
		}
		if got := b.locales.Printer(ctx, "", anna).Language(); got != locale {
			t.Errorf("%s: the person reads %s, want %s", step, got, locale)
		}
	}
	check("nothing is chosen", "", "", "en")
	hosttest.Must(t, a.Account.ChangePreferences(ctx, anna, func(p *storage.Preferences) { p.Theme = "dark" }))
	await(storage.PreferencesChanged)
	check("a person chose", "dark", "", "en")
	_, err = a.Account.ChangeSettings(ctx, guild, func(s *storage.GuildSettings) { s.Theme = "light" })
	hosttest.Must(t, err)
	await(storage.SettingsChanged)
	check("a guild chose", "dark", "light", "en")
	inA := account.NewLocales(a.Host, a.Account, a.Texts)
	inA.Observe(anna, "de")
	hosttest.Must(t, inA.Persist(ctx, anna))
	await(storage.LocaleChanged)
	check("the client's language is known", "dark", "light", "de")
	hosttest.Must(t, a.Account.Forget(ctx, a.Actor(hosttest.Anna)))
	await(storage.PersonForgotten)
	check("the person is forgotten", "", "light", "en")

	// A post that has failed is tried again, wherever the bot hears that it can be.
	b.client.SetPermissions(hosttest.Here.Guild, hosttest.Here.Channel, 0)
	v := a.Start(trails.Game{}.Key())
	_, err = a.Host.BoardFailed(ctx, storage.DeliveryLease{}, v.Board, host.Failure{Blocked: true})
	hosttest.Must(t, err)
	if b.client.CheckPost(hosttest.Here.Channel) == nil {
		t.Error("a post that cannot succeed is tried")
	}
	waiting, err := a.Host.RetryPlace(ctx, hosttest.Here)
	if err != nil || !waiting {
		t.Errorf("nothing waits for the place: %v", err)
	}
	await(storage.PostsDue)
	if b.client.CheckPost(hosttest.Here.Channel) != nil {
		t.Error("the post is still held back")
	}

	other.Notify(storage.Signal{Kind: storage.ChannelRefused, ID: fmt.Sprint("77 ", discord.CodeMissingAccess), N: discord.PermissionViewChannel})
	await(storage.ChannelRefused)
	if err := b.client.CheckPost("77"); !discord.HasCode(err, discord.CodeMissingAccess) {
		t.Errorf("a post to a channel that has refused another process: %v", err)
	}
	other.Notify(storage.Signal{Kind: storage.RequestsPaused, N: b.config.Host.Now().Add(time.Hour).UnixMilli()})
	await(storage.RequestsPaused)
	soon, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if _, err := b.client.GetChannel(soon, "5"); !discord.RateLimited(err) {
		t.Errorf("a request while Discord wants none: %v", err)
	}
}
