package publish

import (
	"context"
	"strings"
	"testing"
	"time"

	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine/match"
	"castellan/storage"
)

// newClockKit is a kit in which Anna has a day for her turn, after everybody has
// moved, and wants to be reminded directly.
func newClockKit(t *testing.T) *kit {
	k := newKit(t, kitOptions{})
	hosttest.Must(t, k.Account.SetPreferences(t.Context(), storage.Preferences{Person: hosttest.Anna.ID, Reminders: storage.RemindDirectly}))
	k.Act(k.StartFrom(k.Challenge(host.Proposal{Opponents: []storage.Person{hosttest.Ben}, Game: "trails", First: host.FirstMe, Clock: "1d"})), "right", "left")
	for k.reconciled() != "" {
	}
	return k
}

// connected lets time pass in which the bot was in contact with Discord.
func (k *kit) connected(d time.Duration) {
	k.T.Helper()
	k.Advance(d)
	hosttest.Must(k.T, k.Store.Update(k.T.Context(), func(tx storage.Tx) error { return tx.RecordContact(k.Now()) }))
}

// A person is reminded at most once, whatever Discord answers, and by a board if
// they cannot be reached directly.
func TestDirectReminder(t *testing.T) {
	sent := openDirect + ", " + writeThere
	for name, c := range map[string]struct {
		answers []discordtest.Answer // to opening the channel and to posting
		first   string               // what is sent
		next    time.Duration
		second  string
	}{
		"sent":                      {nil, sent, time.Second, ""},
		"no answer":                 {[]discordtest.Answer{discordtest.OK, discordtest.Disconnect}, sent, 10 * time.Second, sent},
		"no answer, later":          {[]discordtest.Answer{discordtest.OK, discordtest.BadGateway}, sent, 2 * time.Minute, ""},
		"deleted":                   {[]discordtest.Answer{discordtest.OK, discordtest.Refusal(404, discord.CodeUnknownMessage)}, sent, time.Second, ""},
		"the channel does not open": {[]discordtest.Answer{discordtest.BadGateway}, openDirect + ", " + postHere + ", " + editHere, time.Second, ""},
		"takes no messages": {
			[]discordtest.Answer{discordtest.OK, discordtest.Refusal(403, discord.CodeCannotMessageUser)},
			sent + ", " + postHere + ", " + editHere, time.Second, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newClockKit(t)
			k.connected(18*time.Hour - time.Second)
			if got := k.reconciled(); got != "" {
				t.Fatalf("too early: %s", got)
			}
			k.connected(time.Second)
			k.Plan(c.answers...)
			k.Reconcile(t.Context())
			before := k.Take()
			if got := discordtest.Summary(before); got != c.first {
				t.Fatalf("sent %s, want %s", got, c.first)
			}
			k.Publisher = New(k.config)
			k.connected(c.next)
			k.Reconcile(t.Context())
			after := k.Take()
			if got := discordtest.Summary(after); got != c.second {
				t.Fatalf("then sent %s, want %s", got, c.second)
			}
			if c.second == sent && nonceOf(t, before) != nonceOf(t, after) {
				t.Error("another nonce: Discord would post a second message")
			}
			k.connected(time.Hour)
			if got := k.reconciled(); got != "" {
				t.Errorf("reminded again: %s", got)
			}
		})
	}
}

// While Discord sends no events, nobody loses on time, and nobody has used it.
func TestClockWithoutConnection(t *testing.T) {
	k := newClockKit(t)
	connected := false
	k.config.Connected = func(context.Context) bool { return connected }
	k.Publisher = New(k.config)
	for range 3 {
		k.Advance(10 * time.Hour)
		if got := k.reconciled(); got != "" {
			t.Fatalf("sent %s", got)
		}
	}
	connected = true
	if got := k.reconciled(); got != "" {
		t.Fatalf("sent %s", got)
	}
	k.connected(day - time.Second)
	if v := k.Match(1); v.Match.Seat() != 1 {
		t.Fatal("Anna has lost")
	}
	k.reconciled()
	k.connected(time.Second)
	if got := k.reconciled(); !strings.HasPrefix(got, postHere) {
		t.Errorf("at the end: %s", got)
	}
	if out, _ := k.Match(1).Match.Over(); out.Ending != match.ByTimeout {
		t.Errorf("the outcome is %+v", out)
	}
}
