package bot

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
)

// show is the board message of a match as JSON, and its view.
func (r *rig) show(v *host.View, notify bool) string {
	r.t.Helper()
	m := boardMessage(r.bot.texts.Printer(), v, v.Match, discord.File{Name: "b.png", Description: "D"}, notify)
	text, err := json.Marshal(m.Components)
	must(r.t, err)
	users, err := json.Marshal(m.Mentions)
	must(r.t, err)
	return string(text) + string(users)
}

func (r *rig) resign(v *host.View, seat engine.Seat) *host.View {
	r.t.Helper()
	after, err := r.host.Resign(context.Background(), r.cause(v.Person(seat)), v.Record.ID, host.Anywhere)
	must(r.t, err)
	return after
}

// finished is a match that ended by its rules.
func (r *rig) finished() *host.View {
	v := r.start("trails", map[string]string{"size": "5", "towers": "1"})
	for n := 0; v.Match.Seat() != engine.Nobody; n++ {
		legal := v.Match.Position().Legal()
		v = r.act(v, legal[n%len(legal)].String())
	}
	return v
}

func TestStatus(t *testing.T) {
	r := newRig(t)
	say := r.bot.texts.Printer()
	begun := r.start("trails", nil)
	played := r.act(r.act(r.start("trails", nil), "right"), "left")
	aborted := r.resign(r.act(r.start("trails", nil), "right"), 2)
	resigned := r.resign(played, 1)
	won := r.finished()
	out, _ := won.Match.Over()
	winner := out.Result.Winners[0]
	const score = "Towers taken: Blue 0, Red 0; 2 win."
	for _, c := range []struct {
		name string
		view *host.View
		want string
	}{
		{"at the start", begun, "● <@11> to move · <t:1777636800:R>\n-# " + score + " · match 1"},
		{"after two turns", played, "● <@11> to move · <t:1777636800:R>\n-# 2. ◆ Ben: **left** · " + score + " · match 2"},
		{"called off", aborted, "◆ <@22> called the match with ● <@11> off before everybody had moved. It has no result.\n-# 1. ● Anna: **right** · " + score + " · match 3"},
		{"resigned", resigned, "● <@11> resigned: ◆ **<@22>** wins.\nRatings: ●\u00a0<@11> 1500? → 1338? · ◆\u00a0<@22> 1500? → 1662?\n-# 2. ◆ Ben: **left** · " + score + " · match 2"},
	} {
		if got := status(say, c.view, c.view.Match); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
	got := status(say, won, won.Match)
	if want := mark(won, winner) + " **" + mention(won.Person(winner).ID) + "** wins against "; !strings.HasPrefix(got, want) || strings.Contains(got, "⟨") {
		t.Errorf("won: %s, want %s…", got, want)
	}
	// As it stood earlier.
	then, err := resigned.Match.At(1)
	must(t, err)
	if got := status(say, resigned, then); !strings.HasPrefix(got, "◆ <@22> to move") {
		t.Errorf("earlier: %s", got)
	}
}

func TestOutcomes(t *testing.T) {
	r := newRig(t)
	say := r.bot.texts.Printer()
	v := r.start("trails", nil)
	for want, out := range map[string]match.Outcome{
		"**A draw** between ● <@11>, ◆ <@22>. The opponent has no move left.":                     {Ending: match.ByRules, Result: engine.Result{Reason: "opponent-stuck"}},
		"● **<@11>**, ◆ **<@22>** share the win. The opponent has no move left.":                  {Ending: match.ByRules, Result: engine.Result{Winners: []engine.Seat{1, 2}, Reason: "opponent-stuck"}},
		"◆ **<@22>** wins against ● <@11>. The winner has taken more than half of the towers.":    {Ending: match.ByRules, Result: engine.Result{Winners: []engine.Seat{2}, Reason: "towers"}},
		"◆ <@22> resigned: ● **<@11>** wins.":                                                     {Ending: match.ByResignation, By: 2, Result: engine.Result{Winners: []engine.Seat{1}}},
		"● <@11> called the match with ◆ <@22> off before everybody had moved. It has no result.": {Ending: match.ByAbort, By: 1},
	} {
		if got := outcome(say, v, out); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestWhoIsNotified(t *testing.T) {
	r := newRig(t)
	begun := r.start("trails", nil)
	one := r.act(r.start("trails", nil), "right")
	two := r.act(r.act(r.start("trails", nil), "right"), "left")
	won := r.finished()
	last, _ := won.Match.Last()
	loser := won.Person(3 - last.Seat).ID
	for _, c := range []struct {
		name string
		view *host.View
		want []string
	}{
		{"the first player", begun, []string{anna.ID}},
		{"the next player", one, []string{ben.ID}},
		{"the other of the one who resigned", r.resign(two, 2), []string{anna.ID}},
		{"the other of the one who called it off", r.resign(one, 1), []string{ben.ID}},
		{"the other of the one who ended it", won, []string{loser}},
	} {
		if got := concerned(c.view, c.view.Match); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := r.show(begun, false); !strings.HasSuffix(got, `{"parse":[]}`) {
		t.Errorf("a board that was asked for notifies: %s", got)
	}
	if got := r.show(begun, true); !strings.HasSuffix(got, `{"parse":[],"users":["11"]}`) {
		t.Errorf("a new board: %s", got)
	}
}

// Buttons keep their places, and carry the match and how far it had come.
func TestDirectButtons(t *testing.T) {
	r := newRig(t)
	say := r.bot.texts.Printer()
	v := r.act(r.act(r.start("trails", nil), "right"), "left")
	row := directButtons(say, v, v.Match)
	var ids []string
	for i, b := range row.Buttons {
		a := v.Game.Direct()[i]
		ids = append(ids, b.CustomID)
		if b.CustomID != actID(v.Record.ID, 2, a) || b.Disabled == slices.Contains(v.Match.Position().Legal(), a) || b.Label == "" {
			t.Errorf("%+v", b)
		}
	}
	if want := []string{"match/1/2/act/left", "match/1/2/act/up", "match/1/2/act/down", "match/1/2/act/right"}; !slices.Equal(ids, want) {
		t.Errorf("%v", ids)
	}
	over := r.resign(v, 1)
	if shown := r.show(over, true); len(directButtons(say, over, over.Match).Buttons) != 0 || strings.Count(shown, "custom_id") != 1 || !strings.Contains(shown, "/rematch") {
		t.Errorf("a match that is over has other buttons than Rematch: %s", shown)
	}
	if other := r.start("sample", nil); len(directButtons(say, other, other.Match).Buttons) != 0 {
		t.Error("a game whose turns are several actions has buttons")
	}
}

// A superseded board becomes the turn that was played on it.
func TestCollapsed(t *testing.T) {
	r := newRig(t)
	say := r.bot.texts.Printer()
	two := r.act(r.act(r.start("trails", nil), "right"), "left")
	over := r.resign(two, 1)
	for _, c := range []struct {
		name string
		view *host.View
		seq  int
		want string
	}{
		{"the first turn", two, 0, "-# 1. ● Anna: **right**"},
		{"the second turn", two, 1, "-# 2. ◆ Ben: **left**"},
		{"posted again", two, 2, "-# Match 1: the board is further down"},
		{"resigned", over, 2, "-# ● <@11> resigned: ◆ **<@22>** wins."},
		{"the end, posted again", over, 3, "-# Match 1: the board is further down"},
		{"a number that is not there", two, 99, "-# Match 1: the board is further down"},
	} {
		m := collapsed(say, c.view, c.seq)
		if got := m.Components[0].(discord.TextDisplay).Content; got != c.want || len(m.Files) != 0 || len(m.Mentions.Users) != 0 {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// A turn of several actions, whatever else the log holds.
	v := r.act(r.act(r.start("sample", nil), "a2"), "b1")
	if got := collapsed(say, v, 0).Components[0].(discord.TextDisplay).Content; got != "-# 1. ● Anna: **a2 b1**" {
		t.Errorf("%q", got)
	}
}

func TestScene(t *testing.T) {
	r := newRig(t)
	begun := r.start("sample", nil)
	open := r.act(begun, "a2")
	ended := r.act(open, "b1")
	for _, c := range []struct {
		name    string
		view    *host.View
		actions int
		open    bool
		legal   bool
	}{{"begun", begun, 0, false, true}, {"open", open, 1, true, true}, {"ended", ended, 3, false, true}} {
		s := sceneOf(c.view, c.view.Match)
		if len(s.Turn.Actions) != c.actions || s.Turn.Open != c.open || s.Legal != c.legal || s.Outcome != nil || !slices.Equal(s.Names, []string{"Anna", "Ben"}) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	two := r.act(r.act(r.start("trails", nil), "right"), "left")
	resigned := r.resign(two, 1)
	if s := sceneOf(resigned, resigned.Match); s.Legal || s.Outcome == nil || !slices.Equal(s.Outcome.Winners, []engine.Seat{2}) {
		t.Errorf("resigned, which the position does not say: %+v", s.Outcome)
	}
	aborted := r.resign(r.start("trails", nil), 1)
	if s := sceneOf(aborted, aborted.Match); s.Legal || s.Outcome == nil || !s.Outcome.Void {
		t.Errorf("called off, which is no draw: %+v", s.Outcome)
	}
	won := r.finished()
	out, _ := won.Match.Over()
	if s := sceneOf(won, won.Match); s.Legal || s.Outcome != nil && !slices.Equal(s.Outcome.Winners, out.Result.Winners) {
		t.Errorf("won: %+v", s.Outcome)
	}
}

func TestAltText(t *testing.T) {
	r := newRig(t)
	v := r.start("trails", nil)
	v.Record.Seats[1].Name = "B\n\n*n*"
	got := altText(r.bot.texts.Printer(), v, v.Match)
	if want := "Trails and Towers: Anna (Blue), B *n* (Red). "; !strings.HasPrefix(got, want) || len([]rune(got)) > 1024 {
		t.Errorf("%s", got)
	}
}

func TestAccentIsWhoseTurnItIs(t *testing.T) {
	r := newRig(t)
	v := r.start("trails", nil)
	blue, red := accentOf(engine.Blue), accentOf(engine.Red)
	two := r.act(r.act(v, "right"), "left")
	for name, c := range map[string]struct {
		view *host.View
		want int
	}{
		"first": {v, blue}, "resigned": {r.resign(two, 1), red}, "called off": {r.resign(r.start("trails", nil), 1), neutral()},
	} {
		if got := accent(c.view, c.view.Match); got != c.want {
			t.Errorf("%s: %06x, want %06x", name, got, c.want)
		}
	}
	if blue == red || blue == neutral() || blue <= 0 || blue > 0xffffff {
		t.Errorf("%06x %06x", blue, red)
	}
}

// Discord takes nonces of up to 25 characters. One names one post of one
// database.
func TestNonce(t *testing.T) {
	long := nonce("b", 1<<63-1, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	if len(long) > 25 {
		t.Errorf("%s has %d characters", long, len(long))
	}
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for _, n := range []string{nonce("b", 1, at), nonce("c", 1, at), nonce("b", 2, at), nonce("b", 1, at.Add(time.Second))} {
		if seen[n] {
			t.Errorf("%s twice", n)
		}
		seen[n] = true
	}
}
