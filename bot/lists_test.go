package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"castellan/bot/bottest"
	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
	"castellan/storage"
)

// With the longest names and the fullest tables a message keeps to Discord's
// limits: https://docs.discord.com/developers/components/reference
func TestListLimits(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	place := storage.Place{Guild: "1150000000000000001", Channel: "1150000000000000101"}
	const messageID = "1150000000000000999"
	var people []storage.Person
	for i := range 6 {
		people = append(people, storage.Person{ID: fmt.Sprintf("115000000000000010%d", i), Name: strings.Repeat("*", 32)})
	}
	for n := range 18 {
		by := people[n%len(people)]
		ch, err := r.Host.CreateChallenge(context.Background(), r.Actor(by), host.Proposal{Place: place, Seats: len(people), Game: "sample"})
		must(t, err)
		var others []storage.Person
		for _, p := range people {
			if p != by {
				others = append(others, p)
			}
		}
		_, v := r.Join(ch, others...)
		v = r.Posted(v, messageID)
		if n >= 9 {
			continue
		}
		for v.Match.Seat() != engine.Nobody {
			v = r.Act(v, v.Match.Position().Legal()[0].String())
		}
		r.Posted(v, messageID)
	}
	r.Take()
	for _, c := range []struct {
		command []string
		says    string
	}{
		{[]string{"games"}, "page 1 of 2"},
		{[]string{"games", "list", "channel"}, "page 1 of 2"},
		{[]string{"games", "list", "finished"}, "page 1 of 2"},
		{[]string{"leaderboard", "game", "sample", "scope", "everywhere"}, "6 players"},
		{[]string{"profile"}, "Last matches"},
	} {
		i := r.Command(people[0], c.command[0], c.command[1:]...)
		i.GuildID, i.ChannelID = place.Guild, place.Channel
		got := r.Serve(i)
		if len(got) != 1 || !got[0].Private() || !strings.Contains(got[0].Text(), c.says) {
			t.Fatalf("%q: %v\n%s", c.command, got, got[0].Text())
		}
		if n := len(utf16.Encode([]rune(got[0].Text()))); n > discord.MaxTextDisplay {
			t.Errorf("%q: %d characters", c.command, n)
		}
		if n := got[0].Components(); n == 0 || n > discord.MaxComponents {
			t.Errorf("%q: %d components", c.command, n)
		}
		seen := map[string]bool{}
		for _, id := range got[0].CustomIDs() {
			if seen[id] || len(id) > discord.MaxCustomID {
				t.Errorf("%q: %s occurs twice, or is too long", c.command, id)
			}
			seen[id] = true
		}
	}
}

// Buttons of private messages that lead beyond the last page show the nearest page.
// Buttons for games or lists that do not exist are refused.
func TestListAndRulesButtons(t *testing.T) {
	const unknownButton, unknownGame = "This button no longer works", "There is no such game"
	r := bottest.New(t, bottest.Options{})
	last := len(trails.Game{}.Rulebook())
	for _, c := range []struct {
		id, says string
		files    int
	}{
		{"leaders/page/sample/people/nowhere/1", unknownButton, 0},
		{"leaders/page/sample/people/server/x", unknownButton, 0},
		{"leaders/page/sample/others/server/1", unknownButton, 0},
		{"leaders/page/chess/people/server/1", unknownGame, 0},
		{"leaders/page/sample/people/server/-7", "Nobody has a rating", 0},
		{"games/page/others/1", unknownButton, 0},
		{"games/page/mine/", unknownButton, 0},
		{"games/page/finished/99", "You have no finished matches", 0},
		{"profile/77/sample/people", "No finished matches", 0},
		{"preferences/ends/maybe", unknownButton, 0},
		{"preferences/x/on", unknownButton, 0},
		{"rules/trails/1", "page 1 of", 1},
		{"rules/trails/0", "page 1 of", 1},
		{"rules/trails/-7", "page 1 of", 1},
		{"rules/trails/99", fmt.Sprintf("page %d of", last), 1},
		{"rules/trails/x", unknownButton, 0},
		{"rules/trails/99999999999999999999", unknownButton, 0},
		{"rules/chess/1", unknownGame, 0},
		{"rules/trails", unknownButton, 0},
		{"rules/trails/1/2", unknownButton, 0},
		{"poll:yes", unknownButton, 0},
		{"challenge/x/accept", unknownButton, 0},
		{"match/1/x/act/up", unknownButton, 0},
		{"match/x/1/resign", unknownButton, 0},
		{"match/x/1/stay", unknownButton, 0},
		{"match/x/1/undo/s", unknownButton, 0},
		{strings.Repeat("x", 101), unknownButton, 0},
	} {
		got := r.Serve(r.Click(anna, "9001", c.id))
		refused := c.says == unknownButton || c.says == unknownGame
		want := map[bool]string{true: "callback 4", false: "callback 7"}[refused]
		if discordtest.Summary(got) != want || !strings.Contains(strings.ToLower(got[0].Text()), strings.ToLower(c.says)) || got[0].Private() != refused || got[0].Files != c.files {
			t.Errorf("%s: %v with %d pictures: %s", c.id, got, got[0].Files, got[0].Text())
		}
		if log := r.Log.Take(); strings.Contains(log, "WARN refused") != (c.says == unknownButton) {
			t.Errorf("%s: log %s", c.id, log)
		}
	}
	for _, c := range []struct{ game, says string }{{"trails", "page 1 of"}, {"chess", "There is no such game"}} {
		got := r.Serve(r.Command(anna, "rules", "game", c.game))
		if len(got) != 1 || got[0].Type != 4 || !got[0].Private() || !strings.Contains(got[0].Text(), c.says) {
			t.Errorf("/rules %s: %v", c.game, got)
		}
	}
}

// Every button and menu that the bot shows has a route.
func TestButtonsHaveRoutes(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	ids := map[string]bool{}
	collect := func(all []discordtest.Request) {
		for _, s := range all {
			for _, id := range s.CustomIDs() {
				ids[id] = true
			}
		}
	}
	r.Table(4)
	v, w := r.Start("trails"), r.Start(sample.Key)
	r.Bot.Publisher().Reconcile(t.Context())
	collect(r.Take())
	for _, command := range [][]string{
		{"preferences"}, {"help"}, {"rules"}, {"games"}, {"leaderboard", "game", "sample"}, {"resign", "match", fmt.Sprint(v.Record.ID)},
		{"move", "match", fmt.Sprint(w.Record.ID), "turn", "a1"}, {"hint", "match", fmt.Sprint(w.Record.ID)},
	} {
		collect(r.Serve(r.Command(anna, command[0], command[1:]...)))
	}
	collect(r.Serve(onUser(r, anna, ben, false)))
	r.Resign(r.Act(v, "right", "left"), 1)
	r.Bot.Publisher().Reconcile(t.Context())
	collect(r.Take())
	if len(ids) < 30 {
		t.Errorf("only %d buttons were shown: %v", len(ids), ids)
	}
	for id := range ids {
		got := r.ServeLast(r.Pick(chloe, "8000", id, "none"))
		if len(id) > discord.MaxCustomID || !strings.HasSuffix(id, message.MenuPath) && !strings.HasSuffix(id, "/menu") && strings.Contains(got.Text(), "This button no longer works") {
			t.Errorf("%s: %s", id, got.Text())
		}
	}
}
