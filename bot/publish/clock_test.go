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

// A reminder and a daily message are sent at most once, whatever Discord answers. A
// person who cannot be reached directly is reminded by a board.
func TestDirectMessageIsSentOnce(t *testing.T) {
	const sent = openDirect + ", " + writeThere
	refused := func(status, code int) []discordtest.Answer {
		return []discordtest.Answer{discordtest.OK, discordtest.Refusal(status, code)}
	}
	for name, c := range map[string]struct {
		answers []discordtest.Answer // to opening the channel and to posting
		first   string               // what is sent
		next    time.Duration
		second  string
	}{
		"reminder, sent":                      {nil, sent, time.Second, ""},
		"reminder, no answer":                 {[]discordtest.Answer{discordtest.OK, discordtest.Disconnect}, sent, 10 * time.Second, sent},
		"reminder, no answer, later":          {[]discordtest.Answer{discordtest.OK, discordtest.BadGateway}, sent, 2 * time.Minute, ""},
		"reminder, deleted":                   {refused(404, discord.CodeUnknownMessage), sent, time.Second, ""},
		"reminder, the channel does not open": {[]discordtest.Answer{discordtest.BadGateway}, openDirect + ", " + postHere + ", " + editHere, time.Second, ""},
		"reminder, takes no messages":         {refused(403, discord.CodeCannotMessageUser), sent + ", " + postHere + ", " + editHere, time.Second, ""},
		"daily, no answer":                    {[]discordtest.Answer{discordtest.OK, discordtest.Disconnect}, sent, 10 * time.Second, sent},
		"daily, no answer, later":             {[]discordtest.Answer{discordtest.OK, discordtest.BadGateway}, sent, 2 * time.Minute, ""},
		"daily, the channel does not open":    {[]discordtest.Answer{discordtest.BadGateway}, openDirect, 2 * time.Minute, sent},
		"daily, refused":                      {refused(400, 50035), sent, 2 * time.Minute, sent},
		"daily, takes no messages, for now":   {refused(403, discord.CodeCannotMessageUser), sent, 2 * time.Hour, sent},
	} {
		t.Run(name, func(t *testing.T) {
			kit, due := newClockKit, 18*time.Hour
			if strings.HasPrefix(name, "daily") {
				kit, due = newDailyKit, day
			}
			k := kit(t)
			k.connected(due - time.Second)
			if got := k.reconciled(); got != "" {
				t.Fatalf("too early: %s", got)
			}
			k.connected(time.Second)
			k.isHere(hosttest.Anna)
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
			if c.first == sent && c.second == sent && nonceOf(t, before) != nonceOf(t, after) {
				t.Error("another nonce: Discord would post a second message")
			}
			k.connected(time.Hour)
			if got := k.reconciled(); got != "" {
				t.Errorf("sent again: %s", got)
			}
		})
	}
}

// A reminder that no attempt has been made to send yet is sent, however late.
func TestLateDirectReminder(t *testing.T) {
	k := newClockKit(t)
	k.connected(18*time.Hour + 5*time.Minute) // other work of the run took so long
	if got := k.reconciled(); got != openDirect+", "+writeThere {
		t.Errorf("sent %q", got)
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
	k.isHere(hosttest.Anna)
	if got := k.reconciled(); got != "" {
		t.Fatalf("sent %s", got)
	}
	k.connected(day - time.Second)
	if v := k.Match(1); v.Match.Seat() != 1 {
		t.Fatal("Anna has lost")
	}
	k.reconciled()
	k.connected(time.Second)
	if got := k.reconciled(); !strings.HasPrefix(got, "GET /channels/2, "+postHere) { // it looks for the channel first
		t.Errorf("at the end: %s", got)
	}
	if out, _ := k.Match(1).Match.Over(); out.Ending != match.ByTimeout {
		t.Errorf("the outcome is %+v", out)
	}
}
