package handlers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/message"
	"castellan/engine/enginetest/sample"
	"castellan/engine/record"
	"castellan/engine/trails"
	"castellan/storage"

	"github.com/bwmarrin/discordgo"
)

// Buttons of private messages that lead beyond the last page show the nearest page.
// Buttons for games or lists that do not exist are refused.
func TestListAndRulesButtons(t *testing.T) {
	const unknownButton, unknownGame = "This button no longer works", "There’s no such game"
	r := bottest.New(t, bottest.Options{})
	last := len(trails.Game{}.Rulebook())
	for _, c := range []struct {
		id, says string
		files    int
	}{
		{"leaders/page/sample/people/nowhere/1", unknownButton, 0},
		{"leaders/page/sample/others/server/1", unknownButton, 0},
		{"leaders/page/chess/people/server/1", unknownGame, 0},
		{"leaders/page/sample/people/server/0", "Nobody has a rating", 0},
		{"games/page/others/1", unknownButton, 0},
		{"games/page/finished/99", "You have no finished matches", 0},
		{"profile/77/sample/people", "No finished matches", 0},
		{"preferences/ends/maybe", unknownButton, 0},
		{"preferences/x/on", unknownButton, 0},
		{"rules/trails/1", "page 1 of", 1},
		{"rules/trails/0", "page 1 of", 1},
		{"rules/trails/99", fmt.Sprintf("page %d of", last), 1},
		{"rules/chess/1", unknownGame, 0},
		{"rules/trails", unknownButton, 0},
		{"poll:yes", unknownButton, 0},
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
	for _, c := range []struct{ game, says string }{{"trails", "page 1 of"}, {"chess", "There’s no such game"}} {
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
	r.Bot.Publisher.Reconcile(t.Context())
	collect(r.Take())
	for _, command := range [][]string{
		{"preferences"}, {"help"}, {"rules"}, {"games"}, {"leaderboard", "game", "sample"}, {"resign", "match", fmt.Sprint(v.Record.ID)},
		{"move", "match", fmt.Sprint(w.Record.ID), "turn", "a1"}, {"hint", "match", fmt.Sprint(w.Record.ID)},
	} {
		collect(r.Serve(r.Command(anna, command[0], command[1:]...)))
	}
	collect(r.Serve(onUser(r, anna, ben, false)))
	r.Resign(r.Act(v, "right", "left"), 1)
	r.Bot.Publisher.Reconcile(t.Context())
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

// The option match suggests matches that have ended, the newest first, to the
// commands that look back, and only running ones to those that play.
func TestMatchSuggestions(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	for range 14 { // of 20, the first 14 end
		r.Advance(time.Hour)
		r.Resign(r.Act(r.Start("trails"), "right", "left"), 1)
	}
	r.Advance(time.Hour)
	for range 6 {
		r.Start("trails")
	}
	suggested := func(p storage.Person, command, typed string) (names []string, values string) {
		var body struct {
			Data struct {
				Choices []struct {
					Name  string
					Value json.Number
				}
			}
		}
		must(t, json.Unmarshal([]byte(r.ServeLast(r.Suggest(p, command, "match", typed)).Body), &body))
		for _, c := range body.Data.Choices {
			names, values = append(names, c.Name), values+" "+c.Value.String()
		}
		return names, strings.TrimSpace(values)
	}
	for _, c := range []struct{ command, typed, want string }{
		{"board", "", "20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1"},
		{"replay", "", "14 13 12 11 10 9 8 7 6 5 4 3 20 19 18 17 16 15 2 1"},
		{"record", "finished: won", "14 13 12 11 10 9 8 7 6 5 4 3 2 1"},
		{"record", "match 2", "20 2"},
		{"rematch", "", "14 13 12 11 10 9 8 7 6 5 4 3 2 1"},
		{"resign", "", "20 19 18 17 16 15"},
		{"move", "14", "20 19 18 17 16 15"},
	} {
		if _, got := suggested(ben, c.command, c.typed); got != c.want {
			t.Errorf("/%s match:%s suggests %s, want %s", c.command, c.typed, got, c.want)
		}
	}
	if names, _ := suggested(ben, "replay", "1"); names[0] != "Match 14 · Trails and Towers with Anna · finished: won" {
		t.Errorf("the newest is %q", names[0])
	}
	for command, want := range map[string]string{"replay": "You haven’t played a match yet", "rematch": "You have no finished matches yet.", "end": "You have no running match"} {
		names, value := suggested(chloe, command, "")
		if len(names) != 1 || names[0] != want {
			t.Errorf("/%s suggests %q to somebody without matches", command, names)
		}
		if got := r.ServeLast(r.Command(chloe, command, "match", value)).Text(); got != r.Say.T("error.match") {
			t.Errorf("/%s with the match of that line: %s", command, got)
		}
	}
}

// What a person names and the bot does not take is refused.
func TestRefusedArguments(t *testing.T) {
	for _, c := range []struct {
		command, option, value string
		resolved               discordgo.ApplicationCommandInteractionDataResolved
		want                   string
	}{
		{"block", "user", anna.ID, discordgo.ApplicationCommandInteractionDataResolved{Users: map[string]*discordgo.User{anna.ID: bottest.User(anna)}}, "error.block.oneself"},
		{"record", "file", "5", discordgo.ApplicationCommandInteractionDataResolved{Attachments: map[string]*discordgo.MessageAttachment{"5": {ID: "5", Size: record.MaxBytes + 1}}}, "error.record.large"},
	} {
		r := bottest.New(t, bottest.Options{})
		i := r.Command(anna, c.command, c.option, c.value)
		data := i.ApplicationCommandData()
		data.Resolved = &c.resolved
		i.Data = data
		if got, want := r.ServeLast(i).Text(), r.Say.T(c.want, "Most", record.MaxBytes>>10); got != want {
			t.Errorf("/%s: %q, want %q", c.command, got, want)
		}
	}
}
