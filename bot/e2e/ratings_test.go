package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/storage"
)

// beat has one person win against another in another channel, without Discord.
func (w *world) beat(winner, loser storage.Person) {
	w.t.Helper()
	ctx := w.t.(*testing.T).Context()
	by := func(p storage.Person) host.Actor {
		return host.Actor{Person: p, Interaction: fmt.Sprint("past-", w.seed())}
	}
	all := sandbox.DefaultWorld()
	elsewhere := storage.Place{Guild: all.Guild.ID, Channel: all.Channels[2].ID}
	ch, err := w.host.CreateChallenge(ctx, by(winner), host.Proposal{Place: elsewhere, Opponents: []storage.Person{loser}, Game: "trails"})
	must(w.t, err)
	_, v, err := w.host.Accept(ctx, by(loser), ch.ID)
	must(w.t, err)
	for range max(2, host.LeastTurns(v.Match)) {
		p, _ := v.ToMove()
		v, err = w.host.Act(ctx, by(p), v.Record.ID, host.AnySeq, v.Match.Position().Legal()[0].String())
		must(w.t, err)
	}
	_, err = w.host.Resign(ctx, by(loser), v.Record.ID, host.AnySeq)
	must(w.t, err)
	w.advanceClock(30 * time.Hour)
}

// turnTo presses a button of a private message and returns the message
// afterwards.
func (w *world) turnTo(p *sandbox.Person, label string) api.Message {
	w.t.Helper()
	m := w.private(p)
	w.answered(p.Click(w.channel, m.ID, w.press(m, label)))
	return w.message(p, m.ID)
}

// TestLeaderboard reads both pages of a leaderboard, each with the reader's own row,
// and profiles with a plot.
func TestLeaderboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var people []storage.Person
	for i := range 11 {
		people = append(people, storage.Person{ID: fmt.Sprint(2000 + i), Name: fmt.Sprintf("Player_%02d", i)})
	}
	ben := storage.Person{ID: w.benID, Name: "Ben"}
	people = append(people, ben)
	for i := 1; i < len(people); i++ {
		w.beat(people[i-1], people[i])
	}
	check := func(m api.Message, rows int, want ...string) {
		t.Helper()
		if wantText(t, m, want...); strings.Count(bottest.Text(m), "Player\\_") != rows {
			t.Errorf("want %d rows:\n%s", rows, bottest.Text(m))
		}
	}
	before := len(w.anna.Messages(w.channel))
	first := w.command(w.ben, "leaderboard", sandbox.Opt("game", "trails"))
	check(first, 10, "leaders.scope.server", "page 1 of 2", "leaders.below", "**– Ben** (you)")
	check(w.turnTo(w.ben, "rules.next"), 1, "page 2 of 2", "**– Ben** (you)")
	check(w.turnTo(w.ben, "leaders.see.everywhere"), 10, "leaders.scope.everywhere", "page 1 of 2")
	check(w.turnTo(w.ben, "rings.name"), 0, "leaders.empty", "leaders.none")
	check(w.command(w.ben, "leaderboard"), 10, "leaders.scope.server") // of the game that he has played last
	if after := len(w.anna.Messages(w.channel)); after != before {
		t.Errorf("others see %d messages more", after-before)
	}

	anna := storage.Person{ID: w.annaID, Name: "Anna"}
	w.beat(ben, anna)
	w.beat(ben, anna)
	m := w.command(w.anna, "profile", sandbox.Opt("user", w.benID))
	wantText(t, m, "profile.plot", "profile.best", "profile.against", "profile.recent", "2 won, 0 drawn, 1 lost")
	if name := boardName(m); !strings.HasPrefix(name, "rating-trails-") {
		t.Errorf("the picture is %s", name)
	}
	wantText(t, w.command(w.chloe, "profile"), "profile.empty")
}
