package handlers_test

import (
	"context"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/bottest"
	"castellan/bot/discord"
	"castellan/bot/handlers"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/storage"
)

// A person in another guild forges every command and every component that names a
// match or a challenge. Each is answered as if the number did not exist, and
// changes nothing.
func TestNumbersOfAnotherGuild(t *testing.T) {
	const missing = 999
	type forgery struct {
		name  string
		value string // {match} or {challenge}
		make  func(*bottest.Rig, int) *discordgo.Interaction
	}
	var forged []forgery
	component := func(pattern string) {
		path := strings.NewReplacer("{salt}", "x", "{path...}", "b~1~", "{token...}", "right", "{line...}", "right", "{revision}", "0", "{button}", "open", "{turn}", "0").Replace(pattern)
		name := regexp.MustCompile(`\{(match|challenge)\}`).FindString(path)
		for _, seq := range []string{"0", "1"} {
			forged = append(forged, forgery{path + " seq " + seq, name, func(r *bottest.Rig, n int) *discordgo.Interaction {
				id := strings.NewReplacer(name, strconv.Itoa(n), "{seq}", seq).Replace(path)
				return r.Pick(dora, "777", id, "casual")
			}})
		}
	}
	routes, commands := handlers.RoutesAndCommands(t)
	for _, route := range routes {
		if strings.Contains(route.Pattern, "{match}") || strings.Contains(route.Pattern, "{challenge}") {
			if route.Kind != interaction.Component {
				t.Errorf("%s: a kind that this test does not know", route.Pattern)
			}
			component(route.Pattern)
		}
	}
	for _, c := range commands {
		others := []string{}
		match := false
		for _, o := range c.Options {
			switch {
			case o.Name == "match":
				match = true
			case o.Type == discord.OptionString:
				others = append(others, o.Name, "right")
			}
		}
		if !match {
			continue
		}
		with := func(n int, more ...string) []string {
			return append(append([]string{"match", strconv.Itoa(n)}, others...), more...)
		}
		forged = append(forged,
			forgery{"/" + c.Name, "{match}", func(r *bottest.Rig, n int) *discordgo.Interaction { return r.Command(dora, c.Name, with(n)...) }},
			forgery{"/" + c.Name + " typed", "{match}", func(r *bottest.Rig, n int) *discordgo.Interaction { return r.Suggest(dora, c.Name, with(n)...) }})
		if c.Name == "board" {
			for _, o := range [][]string{{"text", "true"}, {"zoom", "1"}, {"turn", "0"}} {
				forged = append(forged, forgery{"/board " + o[0], "{match}", func(r *bottest.Rig, n int) *discordgo.Interaction {
					return r.Command(dora, c.Name, with(n, o...)...)
				}})
			}
		}
	}
	if len(forged) < 40 {
		t.Fatalf("only %d forgeries", len(forged))
	}
	for _, f := range forged {
		t.Run(f.name, func(t *testing.T) {
			r := bottest.New(t, bottest.Options{})
			running, over := posted(r, "trails"), posted(r, "trails")
			running = r.Act(running, "right")
			over = r.Posted(r.Resign(over, 1), "9101")
			table := r.Table(4)
			forge := func(n int) (body string) {
				i := f.make(r, n)
				i.GuildID, i.ChannelID = "7", "70"
				for _, sent := range r.Serve(i) {
					body += sent.String() + " " + sent.Body + "\n"
				}
				return body
			}
			numbers := []int{int(running.Record.ID), int(over.Record.ID)}
			if f.value == "{challenge}" {
				numbers = []int{int(table.ID)}
			}
			want := forge(missing)
			before := state(r, table.ID, running, over)
			for _, n := range numbers {
				if got := forge(n); got != want {
					t.Errorf("number %d:\n%s\nno such number:\n%s", n, got, want)
				}
			}
			if after := state(r, table.ID, running, over); !reflect.DeepEqual(after, before) {
				t.Errorf("something has changed:\n%+v\n%+v", before, after)
			}
		})
	}
}

// state returns what a forged interaction could change.
func state(r *bottest.Rig, table storage.ChallengeID, views ...*host.View) []any {
	ch, err := r.Host.FindChallenge(context.Background(), table)
	must(r.T, err)
	all := []any{ch}
	for _, v := range views {
		now := r.Match(v.Record.ID)
		all = append(all, now.Record, now.Match.Log(), now.Boards)
	}
	return all
}
