package publish

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host/hosttest"
	"castellan/storage"
)

const (
	openDirect = "POST /users/@me/channels"
	writeThere = "POST /channels/9001/messages" // the API gives every record this ID
	day        = 24 * time.Hour
)

// newDailyKit is a kit in which it is Anna's turn and she has asked for a daily
// message.
func newDailyKit(t *testing.T) *kit {
	k := newKit(t, kitOptions{})
	k.Start("trails")
	hosttest.Must(t, k.Account.SetDaily(t.Context(), hosttest.Anna.ID, true))
	for k.reconciled() != "" { // the challenge and the board
	}
	return k
}

// nonceOf returns the nonce of the last message that was sent.
func nonceOf(t *testing.T, all []discordtest.Request) string {
	t.Helper()
	var body struct{ Nonce string }
	hosttest.Must(t, json.Unmarshal([]byte(all[len(all)-1].Body), &body))
	return body.Nonce
}

func TestDailyMessage(t *testing.T) {
	k := newDailyKit(t)
	k.Advance(day)
	k.isHere(hosttest.Anna)
	k.Reconcile(t.Context())
	all := k.Take()
	if got := discordtest.Summary(all); got != openDirect+", "+writeThere {
		t.Fatal(got)
	}
	if text := all[1].Text(); !strings.Contains(text, "Matches that wait for you") || !strings.Contains(text, "**Your turn** · match 1") || !strings.Contains(text, "/preferences") {
		t.Error(text)
	}
	first := nonceOf(t, all)
	k.Publisher = New(k.config) // after a restart
	for range 3 {
		k.Advance(time.Hour)
		if got := k.reconciled(); got != "" {
			t.Fatalf("sent again: %s", got)
		}
	}
	k.Advance(50 * time.Hour) // while the bot did not run, two were due
	k.Reconcile(t.Context())
	if all = k.Take(); discordtest.Summary(all) != openDirect+", "+writeThere || nonceOf(t, all) == first {
		t.Errorf("on a later day: %s", discordtest.Summary(all))
	}
	k.Advance(19 * time.Hour) // at the same time of day
	if got := k.reconciled(); !strings.HasSuffix(got, writeThere) {
		t.Errorf("on the next day: %s", got)
	}
	v, err := k.Host.Match(t.Context(), 1)
	hosttest.Must(t, err)
	k.Act(v, "right") // now it is Ben's turn
	for k.reconciled() != "" {
	}
	k.Advance(day)
	k.isHere(hosttest.Ben)
	if got := k.reconciled(); got != "" {
		t.Errorf("sent although nothing waits: %s", got)
	}
	hosttest.Must(t, k.Account.SetDaily(t.Context(), hosttest.Ben.ID, true))
	hosttest.Must(t, k.Account.SetDaily(t.Context(), hosttest.Ben.ID, false))
	k.Advance(day)
	if got := k.reconciled(); got != "" {
		t.Errorf("sent to somebody who does not want it: %s", got)
	}
}

// A daily message that is due in a person's quiet hours is sent when they end.
func TestDailyMessageInQuietHours(t *testing.T) {
	k := newDailyKit(t)
	due := k.Now().Add(day)
	quiet := storage.Preferences{Person: hosttest.Anna.ID, QuietFrom: (due.Hour() + 23) % 24, QuietTo: (due.Hour() + 3) % 24}
	hosttest.Must(t, k.Account.SetPreferences(t.Context(), quiet))
	end := quiet.QuietUntil(due)
	k.Advance(day)
	k.isHere(hosttest.Anna)
	for k.Now().Before(end) {
		if got := k.reconciled(); got != "" {
			t.Fatalf("sent at %s: %s", k.Now(), got)
		}
		k.Advance(10 * time.Minute)
	}
	if got := k.reconciled(); got != openDirect+", "+writeThere {
		t.Errorf("after the quiet hours: %q", got)
	}
	if got := k.reconciled(); got != "" {
		t.Errorf("sent again: %s", got)
	}
}

// People who cannot be messaged get no more daily messages after two days, and
// the log names them once.
func TestDailyMessageUnreachable(t *testing.T) {
	k := newDailyKit(t)
	k.Advance(day)
	k.log.Take()
	sent := 0
	for range 100 {
		k.Plan(discordtest.OK, discordtest.Refusal(403, discord.CodeNoMutualGuild))
		if k.reconciled() != "" {
			sent++
		}
		k.Advance(time.Hour)
	}
	if sent != maxUnreachable {
		t.Errorf("%d attempts, want %d", sent, maxUnreachable)
	}
	if at, err := k.Account.NextDaily(t.Context(), hosttest.Anna.ID); !at.IsZero() || err != nil {
		t.Errorf("still wanted at %s, %v", at, err)
	}
	if log := k.log.Take(); strings.Count(log, "WARN") != 1 || !strings.Contains(log, "takes no direct messages") && !strings.Contains(log, "take no direct messages") {
		t.Errorf("log %s", log)
	}
}

// A clock that was ahead does not silence the messages.
func TestDailyMessageAfterClockWentBack(t *testing.T) {
	k := newDailyKit(t)
	k.Advance(5 * day)
	if got := k.reconciled(); !strings.HasSuffix(got, writeThere) {
		t.Fatal(got)
	}
	k.Advance(-5 * day)
	if got := k.reconciled(); got != "" {
		t.Errorf("sent again: %s", got)
	}
	k.Advance(day)
	if got := k.reconciled(); !strings.HasSuffix(got, writeThere) {
		t.Errorf("a day later: %q", got)
	}
}
