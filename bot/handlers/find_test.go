package handlers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/bottest"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/storage"
)

// in returns an interaction as if it came from another channel of the guild.
func in(channel string, i *discordgo.Interaction) *discordgo.Interaction {
	i.ChannelID = channel
	return i
}

const elsewhere = "3"

// logs returns the number of entries of matches.
func logs(r *bottest.Rig, views ...*host.View) string {
	var all []string
	for _, v := range views {
		all = append(all, fmt.Sprint(r.Match(v.Record.ID).Match.Seq()))
	}
	return strings.Join(all, " ")
}

// A command typed where the board of a match is means that match. Elsewhere it asks,
// even if the person plays only one match, and the answer to the button names it.
func TestCommandsElsewhereAsk(t *testing.T) {
	const named = "Match 1 · Trails and Towers with Ben"
	for _, c := range []struct {
		command, done string
		options       []string
	}{
		{"move", "entries 1", []string{"turn", "right"}},
		{"end", "entries 0", nil}, {"undo", "entries 0", nil}, {"draw", "entries 0", nil}, {"time", "entries 0", nil}, {"abort", "entries 0", nil},
		{"resign", "entries 0", nil}, {"claim", "entries 0", nil}, {"prepare", "entries 0", nil},
	} {
		r := bottest.New(t, bottest.Options{})
		v := posted(r, "trails")
		asked := r.ServeLast(in(elsewhere, r.Command(anna, c.command, c.options...)))
		ids := asked.CustomIDs()
		if len(ids) != 1 || !asked.Private() || !strings.Contains(asked.Body, named) || logs(r, v) != "0" {
			t.Errorf("/%s elsewhere: entries %s, buttons %v: %s", c.command, logs(r, v), ids, asked.Body)
			continue
		}
		r.Plan(discordtest.NoContent, discordtest.Created("9002"))
		click := in(elsewhere, r.Click(anna, "8000", ids[0]))
		click.Message.Flags = discordgo.MessageFlagsEphemeral
		texts := ""
		for _, s := range r.Serve(click) {
			texts += s.Text() + "\n"
		}
		if !strings.Contains(texts, named) || "entries "+logs(r, v) != c.done {
			t.Errorf("/%s after the button: entries %s: %s", c.command, logs(r, v), texts)
		}
	}
}

// A turn is played in a match whose board is in the channel, and in no other, although
// it is legal there and here it is not the person's turn.
func TestTypedTurnStaysInItsChannel(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	there := r.StartFrom(r.Challenge(host.Proposal{Place: storage.Place{Guild: discordtest.Guild, Channel: elsewhere}, Opponents: []storage.Person{ben}, Game: "trails"}))
	here := r.Act(posted(r, "trails"), "right") // Ben is to move
	r.Take()
	if got := r.ServeLast(r.Command(anna, "move", "turn", "right")).Text(); !strings.HasPrefix(got, "It is Ben’s turn.") || logs(r, here, there) != "1 0" {
		t.Errorf("entries %s: %s", logs(r, here, there), got)
	}
	// With several boards in the channel, the answer names the match.
	second := r.Start("trails")
	r.Plan(discordtest.NoContent, discordtest.Created("9002"))
	got := r.Serve(r.Command(anna, "move", "turn", "right"))
	if i := slices.IndexFunc(got, func(s discordtest.Request) bool { return strings.Contains(s.Text(), "You played **right**") }); i < 0 ||
		!strings.Contains(got[i].Text(), fmt.Sprintf("Match %d · Trails and Towers with Ben", second.Record.ID)) || logs(r, here, there, second) != "1 0 1" {
		t.Errorf("entries %s: %v", logs(r, here, there, second), got)
	}
}

// Where a match has ended, its record and its board are there for everybody who has no
// other match.
func TestWatcherFindsAnEndedMatch(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	r.Resign(r.Act(posted(r, "trails"), "right", "left"), 1)
	r.Take()
	for _, command := range []string{"record", "board"} {
		got := r.ServeLast(r.Command(chloe, command))
		if !got.Private() || got.Files != 1 || !strings.Contains(strings.ToLower(got.Text()), "match 1") {
			t.Errorf("/%s: %s", command, got.Text())
		}
		if got := r.ServeLast(in(elsewhere, r.Command(chloe, command))).Text(); !strings.Contains(got, r.Say.T("error.none")) {
			t.Errorf("/%s in another channel: %s", command, got)
		}
	}
}

// Among several matches, /move offers those in which the turn is legal. A button for a
// match in which it is not says why.
func TestMoveOffersLegalMatches(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	for _, game := range []string{"trails", "trails", "sample"} {
		r.Start(game)
	}
	ask := func(turn string) []string { return r.ServeLast(r.Command(anna, "move", "turn", turn)).CustomIDs() }
	if got := ask("right"); !slices.Equal(got, []string{"match/2/0/line/right", "match/1/0/line/right"}) {
		t.Errorf("right is offered in %v", got)
	}
	if got := r.ServeLast(r.Command(anna, "move", "turn", "a")).Text(); !strings.Contains(got, "Match 3") { // a first choice, only there
		t.Errorf("a opens %s", got)
	}
	got := ask("xyzzy")
	if len(got) != 3 || !strings.Contains(r.ServeLast(r.Click(anna, "8000", got[1])).Text(), "xyzzy") {
		t.Errorf("xyzzy is offered in %v", got)
	}
}
