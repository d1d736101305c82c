package handlers_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/bottest"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/imaging"
	"castellan/storage"
)

func watched(t *testing.T) (*bottest.Rig, *[]imaging.Scene) {
	var scenes []imaging.Scene
	return bottest.New(t, bottest.Options{Renderer: hosttest.Renderer{OnBoard: func(s imaging.Scene) error {
		scenes = append(scenes, s)
		return nil
	}}}), &scenes
}

// Every way to an earlier turn draws the position after it, privately, with the
// turn marked and without the actions of a turn that is still open.
func TestLookBack(t *testing.T) {
	r, scenes := watched(t)
	v := posted(r, "trails")
	hashes := []uint64{v.Match.Position().Hash()}
	for _, turn := range []string{"right", "left", "right", "left"} {
		v = r.Act(v, turn)
		hashes = append(hashes, v.Match.Position().Hash())
	}
	click := func(id string) func() []discordtest.Request {
		return func() []discordtest.Request { return r.Serve(r.Click(anna, "9001", id)) }
	}
	board := func(options ...string) func() []discordtest.Request {
		return func() []discordtest.Request { return r.Serve(r.Command(chloe, "board", options...)) }
	}
	over := r.Resign(v, 1)
	r.Take()
	for _, c := range []struct {
		name     string
		do       func() []discordtest.Request
		callback string
		turn     int
		says     string
		ids      string
	}{
		{"the button of the final board", click("match/1/5/look/open/3"), "callback 4", 3, "After turn 3 of 4", "first/0 back/2 next/4 last/4"},
		{"back", click("match/1/5/look/back/2"), "callback 7", 2, "\n◆ Ben: **left**", "first/0 back/1 next/3 last/4"},
		{"the start", click("match/1/5/look/first/0"), "callback 7", 0, "After turn 0 of 4", "first/0 back/-1 next/1 last/4"},
		{"the end", click("match/1/5/look/last/4"), "callback 7", 4, "● Anna resigned", "first/0 back/3 next/5 last/4"},
		{"a turn taken back since", click("match/1/3/look/next/9"), "callback 7", 4, "After turn 4 of 4", "first/0 back/3 next/5 last/4"},
		{"somebody else's command", board("match", "1", "turn", "1"), "callback 4", 1, "\n● Anna: **right** · reaches b11", "first/0 back/0 next/2 last/4"},
	} {
		*scenes = nil
		got := c.do()
		if discordtest.Summary(got) != c.callback || !strings.Contains(got[0].Text(), c.says) {
			t.Errorf("%s: %v: %s", c.name, got, got[0].Text())
		}
		if c.callback == "callback 4" && !got[0].Private() {
			t.Errorf("%s: everybody sees it", c.name)
		}
		if len(*scenes) != 1 || (*scenes)[0].Position.Hash() != hashes[c.turn] || (*scenes)[0].Turn.Number != c.turn || (*scenes)[0].Legal ||
			((*scenes)[0].Outcome != nil) != (c.turn == 4) {
			t.Errorf("%s: draws %+v", c.name, *scenes)
		}
		if ids := strings.ReplaceAll(strings.Join(got[0].CustomIDs(), " "), "match/1/5/look/", ""); ids != c.ids {
			t.Errorf("%s: buttons %s", c.name, ids)
		}
	}
	for options, want := range map[string]string{"turn 5": "from 0, the start, to 4", "turn -1": "from 0, the start, to 4", "turn 0 text true": "```"} {
		if got := board(append([]string{"match", "1"}, strings.Fields(options)...)...)(); discordtest.Summary(got) != "callback 4" || !got[0].Private() || !strings.Contains(got[0].Text(), want) {
			t.Errorf("%s: %v: %s", options, got, got[0].Text())
		}
	}
	if after := r.Match(over.Record.ID); after.Match.Seq() != over.Match.Seq() || len(after.Boards) != len(over.Boards) {
		t.Error("looking back has changed the match")
	}
}

// The panel leads to what has happened since the person's last turn, and shows
// nobody the actions of an open turn.
func TestWhatHappened(t *testing.T) {
	r, scenes := watched(t)
	v := r.Act(r.Start("sample"), "a1", "end", "b1", "end")
	since := func(v *host.View) string {
		p, _ := v.ToMove()
		for _, id := range r.ServeLast(r.Click(p, "9001", "match/1/0/turn")).CustomIDs() {
			if strings.Contains(id, "/look/") {
				return id
			}
		}
		return ""
	}
	if got := since(v); got != "match/1/4/look/open/2" {
		t.Errorf("the panel leads to %q", got)
	}
	public := v.Match.Position().Hash()
	v = r.Act(v, "a1")
	if got := since(v); got != "" {
		t.Errorf("in an open turn the panel leads to %q", got)
	}
	*scenes = nil
	for _, p := range v.Record.Seats {
		r.Serve(r.Click(p, "9001", "match/1/4/look/open/2"))
	}
	if len(*scenes) != 2 || (*scenes)[0].Position.Hash() != public || (*scenes)[1].Position.Hash() != public {
		t.Errorf("draws %+v", *scenes)
	}
	if first := r.Start("sample"); since(first) != "" {
		t.Error("something has happened before the first turn")
	}
}

// The button of a final board shows the replay to one person, who can post it;
// the command posts it, silently, once for each interaction. Where the bot cannot
// post, the person gets it.
func TestReplay(t *testing.T) {
	r, scenes := watched(t)
	v := posted(r, "trails")
	if got := r.Serve(r.Command(anna, "replay")); discordtest.Summary(got) != "callback 4" || !strings.Contains(got[0].Text(), "Nothing has been played") {
		t.Errorf("before the first turn: %v: %s", got, got[0].Text())
	}
	v = r.Resign(r.Act(v, "right", "left", "right"), 1)
	r.Take()
	command := r.Command(chloe, "replay", "match", "1")
	for _, c := range []struct {
		name  string
		do    *discordgo.Interaction
		plan  []discordtest.Answer
		sends string
		says  string
	}{
		{"the button", r.Click(chloe, "9001", "match/1/4/replay"), nil, "callback 4", "resigned"},
		{"its button", r.Click(chloe, "9001", "match/1/4/replay/post"), []discordtest.Answer{discordtest.Created("9100")}, postHere + ", callback 7", "/channels/1/2/9100"},
		{"the command", command, []discordtest.Answer{discordtest.Created("9101")}, postHere + ", callback 4", "/channels/1/2/9101"},
		{"the same again", command, []discordtest.Answer{discordtest.Created("9101"), discordtest.AlreadyAcknowledged}, postHere + ", callback 4", "/channels/1/2/9101"},
		{"no permission", r.Command(chloe, "replay", "match", "1"), []discordtest.Answer{discordtest.MissingPermissions}, postHere + ", callback 4", "resigned"},
	} {
		*scenes = nil
		r.Plan(c.plan...)
		r.Advance(time.Minute)
		got := r.Serve(c.do)
		last := got[len(got)-1]
		if discordtest.Summary(got) != c.sends || !strings.Contains(last.Text(), c.says) || !strings.HasPrefix(c.sends, postHere) && last.Files != 1 {
			t.Errorf("%s: %v: %s", c.name, got, last.Body)
		}
		if post := got[0]; len(got) > 1 && (post.Files != 1 || !strings.Contains(post.Body, `"nonce":"r`+c.do.ID+`"`) || !strings.Contains(post.Body, `"parse":[]}`) || post.CustomIDs() != nil) {
			t.Errorf("%s posts %s", c.name, post.Body)
		}
		if n := len(*scenes); n != 4 || (*scenes)[3].Position.Hash() != v.Match.Position().Hash() || (*scenes)[1].Turn.Number != 1 {
			t.Errorf("%s: draws %d scenes", c.name, n)
		}
	}
	// Another replay has to wait.
	if got := r.Serve(r.Command(ben, "replay", "match", "1")); discordtest.Summary(got) != "callback 4" || !strings.Contains(got[0].Text(), fragment(r, "error.flood.channel")) {
		t.Errorf("a second replay at once: %v: %s", got, got[0].Text())
	}
}

// In a channel where the guild starts no matches, a replay is private. Its text hides
// the result.
func TestReplayFollowsTheChannels(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	must(t, r.Store.Update(t.Context(), func(tx storage.Tx) error {
		return tx.SetGuildSettings(storage.GuildSettings{Guild: discordtest.Guild, Channels: []string{elsewhere}})
	}))
	r.Resign(r.Act(posted(r, "trails"), "right", "left"), 1)
	r.Take()
	r.Plan(discordtest.Answer{Status: 200, Body: `[{"id":"` + elsewhere + `","type":0}]`})
	got := r.Serve(r.Command(anna, "replay", "match", "1"))
	last := got[len(got)-1]
	before, result, hidden := strings.Cut(last.Text(), "||")
	if slices.ContainsFunc(got, func(s discordtest.Request) bool { return s.String() == postHere }) || last.Files != 1 || !last.Private() {
		t.Errorf("where no matches are started: %v", got)
	}
	if !hidden || strings.Contains(before, "resigned") || !strings.Contains(result, "resigned") || !strings.HasSuffix(result, "||") {
		t.Errorf("the text is %s", last.Text())
	}
}

// fragment returns the beginning of a text, up to its first argument.
func fragment(r *bottest.Rig, key string) string {
	s, _, _ := strings.Cut(r.Say.T(key, "Ago", "…"), "…")
	return s
}
