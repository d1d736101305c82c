package publish

import (
	"strings"
	"testing"
	"time"

	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
)

// After a day without a turn the bot looks whether its player has left the guild, and
// tells the others, who can claim the match a day later. It says so no more when the
// player is back.
func TestDeparture(t *testing.T) {
	const look = "GET /guilds/1/members/11"
	k := newKit(t, kitOptions{})
	k.Act(k.Start("trails"), "right", "left")
	for k.reconciled() != "" {
	}
	k.Advance(host.LeaveGrace - time.Second)
	if got := k.reconciled(); got != "" {
		t.Fatalf("too early: %s", got)
	}
	k.Advance(time.Second)
	k.Plan(discordtest.Refusal(404, discord.CodeUnknownMember))
	k.Reconcile(t.Context())
	all := k.Take()
	if got := discordtest.Summary(all); !strings.HasPrefix(got, look+", "+postHere) {
		t.Fatal(got)
	}
	if text := all[1].Text(); !strings.Contains(text, "has left this server") || !strings.Contains(all[1].Body, `"users":["22"]`) {
		t.Errorf("%s: %s", text, all[1].Body)
	}
	if got := k.reconciled(); got != "" {
		t.Errorf("told again: %s", got)
	}
	k.Advance(host.LeaveGrace)
	k.Plan(discordtest.Refusal(404, discord.CodeUnknownMember))
	if got := k.reconciled(); !strings.HasPrefix(got, look+", "+postHere) || !k.Match(1).Claimable() {
		t.Errorf("a day later: %s", got)
	}
	k.isHere(hosttest.Anna)
	k.followEvents(t.Context())
	k.Reconcile(t.Context())
	all = k.Take()
	if len(all) == 0 || strings.Contains(all[0].Text(), "has left") || k.Match(1).Claimable() {
		t.Errorf("after the return: %s", discordtest.Summary(all))
	}
}

// People on a leaderboard who have left are noticed, computers and others are not asked
// for again within the hour.
func TestLookForMembers(t *testing.T) {
	k := newKit(t, kitOptions{})
	k.Plan(discordtest.Refusal(404, discord.CodeUnknownMember))
	k.LookForMembers("1", []string{"11", "22", "22"})
	k.followEvents(t.Context())
	if got := discordtest.Summary(k.Take()); got != "GET /guilds/1/members/11, GET /guilds/1/members/22" {
		t.Error(got)
	}
	for person, want := range map[string]bool{"11": true, "22": false} {
		if left, err := k.Host.HasLeft(t.Context(), "1", person); err != nil || left != want {
			t.Errorf("%s has left: %t (%v)", person, left, err)
		}
	}
}
