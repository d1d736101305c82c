package message

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/towers"
	"castellan/storage"
)

// Boards notify the next player. Those before the first turn of a match for
// three or more show the order of play, and the first one keeps it.
func TestOrderOfPlay(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.StartSeveral(4)
	var people []string
	for i, p := range v.Record.Seats {
		people = append(people, v.Game.Colours(4)[i].Mark()+"\u00a0"+discord.MentionUser(p.ID))
	}
	if got := notifiedUsers(v, v.Match); !slices.Equal(got, []string{v.Person(1).ID}) {
		t.Errorf("notified: %v", got)
	}
	order := strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace("The match begins. Order of play: " + strings.Join(people, ", "))
	if got := boardJSON(w, v, true); !strings.Contains(got, order) {
		t.Errorf("%s", got)
	}
	late := w.Act(v, "a1 end")
	if got := notifiedUsers(late, late.Match); !slices.Equal(got, []string{v.Person(2).ID}) {
		t.Errorf("notified then: %v", got)
	}
	if got := Collapsed(w.Say, late, 0).Components[0].(discord.TextDisplay).Content; !strings.HasPrefix(got, "-# The match begins. Order of play: "+strings.Join(people, ", ")+"\n-# 1. ") {
		t.Errorf("%q", got)
	}
	w.Posted(late, "555")
	next := w.Act(late, "a1 end")
	if got := notifiedUsers(next, next.Match); !slices.Equal(got, []string{next.Person(3).ID}) || strings.Contains(boardJSON(w, next, true), "begins") {
		t.Errorf("the next: %v", got)
	}
	if two := w.Start("sample"); len(notifiedUsers(two, two.Match)) != 1 {
		t.Error("in a match for two both are notified")
	}
}

func TestStatusAfterRetirement(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.StartSeveral(4)
	name := func(seat engine.Seat) string { return v.Person(seat).Name }
	id := func(seat engine.Seat) string { return v.Person(seat).ID }
	status := func(v *host.View, want string) {
		t.Helper()
		if got := strings.ReplaceAll(Status(w.Say, v, v.Match), "\u00a0", " "); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	v = w.Resign(v, 3)
	status(v, "● <@"+id(1)+"> to move · <t:1777636800:R>\n-# ▲ "+name(3)+" left the match · ")
	v = w.Act(v, "a1 end")
	v = w.Resign(v, 2) // in their own turn
	status(v, "■ <@"+id(4)+"> to move · <t:1777636800:R>\n-# 1. ● "+name(1)+": **a1** · ◆ "+name(2)+" left the match · ▲ "+name(3)+" left the match · ")
	v = w.Act(v, "a1 end")
	v = w.Resign(v, 4)
	// At the end everybody is named with their place.
	status(v, fmt.Sprintf("■ <@%s> resigned: ● **<@%s>** wins.\nPlaces: 1 ● <@%s> · 2 ■ <@%s> · 3 ◆ <@%s> · 4 ▲ <@%s>\nRatings: ● <@%s> 1500? → ",
		id(4), id(1), id(1), id(4), id(2), id(3), id(1)))
	if got := notifiedUsers(v, v.Match); len(got) != 3 || slices.Contains(got, id(4)) {
		t.Errorf("notified: %v", got)
	}
	// The lines that replace the boards.
	then, err := v.Match.At(0)
	if err != nil {
		t.Fatal(err)
	}
	for seq, want := range map[int]string{
		0: strings.ReplaceAll("-# "+orderOfPlay(w.Say, w.Match(v.Record.ID), then), "\n", "\n-# ") + "▲ " + name(3) + " left the match",
		1: "-# 1. ● " + name(1) + ": **a1** · takes 1 counter · match 1",
		3: "-# ◆ " + name(2) + " left the match",
		4: "-# 2. ■ " + name(4) + ": **a1** · takes 1 counter · match 1",
		6: fmt.Sprintf("-# ■ <@%s> resigned: ● **<@%s>** wins.", id(4), id(1)),
	} {
		if got := Collapsed(w.Say, v, seq).Components[0].(discord.TextDisplay).Content; got != want {
			t.Errorf("after entry %d: %q, want %q", seq, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	three, two := w.StartSeveral(3), w.Start("sample")
	p := func(seat engine.Seat) string { return three.Person(seat).ID }
	for _, c := range []struct {
		view  *host.View
		ranks []int
		want  string
	}{
		{three, []int{2, 1, 2}, "\nPlaces: 1 ◆ <@" + p(2) + "> · 2 ● <@" + p(1) + "> · 2 ▲ <@" + p(3) + ">"},
		{three, []int{1, 1, 1}, "\nPlaces: 1 ● <@" + p(1) + "> · 1 ◆ <@" + p(2) + "> · 1 ▲ <@" + p(3) + ">"},
		{three, nil, ""},
		{two, []int{1, 2}, ""},
	} {
		if got := strings.ReplaceAll(placesLine(w.Say, c.view, match.Outcome{Result: engine.Result{Ranks: c.ranks}}), "\u00a0", " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.ranks, got, c.want)
		}
	}
}

// A rating that changed while the clock was behind is still drawn.
func TestRatingPlotNeverGoesBack(t *testing.T) {
	at := func(hour int) storage.RatingChange {
		return storage.RatingChange{
			At:    time.Date(2026, 5, 1, hour, 0, 0, 0, time.UTC),
			After: storage.Estimate{Mean: float64(1500 + hour), Deviation: float64(100 + hour)},
		}
	}
	got := ""
	for _, point := range ratingPlot([]storage.RatingChange{at(5), at(12), at(9), at(11), at(13)}).Points {
		got += fmt.Sprintf("%d:%.0f,%t ", point.At.Hour(), point.Mean, point.Provisional)
	}
	if want := "5:1505,false 12:1512,true 12:1509,false 12:1511,true 13:1513,true "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The end of a rated match against a computer says on which list the person's
// rating changed; the computer's is fixed.
func TestRatingAgainstComputer(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := *w.Resign(w.Act(w.Start("trails"), "right", "left"), 1)
	v.Record.Seats = []storage.Person{v.Person(1), host.ComputerPlayer("skilled", "Computer (Skilled)")}
	v.RatingChanges = slices.Clone(v.RatingChanges)
	for i := range v.RatingChanges {
		v.RatingChanges[i].List = storage.ComputerList
	}
	const want = "\nRatings against the computer (separate from those between people): ●\u00a0<@11> 1500? → 1338?\n-# ? provisional: too few recent matches"
	if got := ratingChanges(w.Say, &v); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A player who has nothing left to play has not chosen to pass, and the line of a
// pass does not explain what passing is.
func TestPassedTurns(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	p := w.Start("sample").Match.Position()
	turn := func() match.Turn {
		pass, err := p.Parse(engine.Pass)
		hosttest.Must(t, err)
		return match.Turn{Number: 1, Seat: 1, Before: p, Actions: []engine.Action{pass}}
	}
	if got := turnText(w.Say, turn()); got != "passed" {
		t.Errorf("%q", got)
	}
	for p.Legal()[0].String() != engine.Pass {
		a := p.Legal()[0]
		if end, err := p.Parse(engine.End); err == nil && slices.Contains(p.Legal(), end) {
			a = end
		}
		var err error
		p, err = p.Apply(a)
		hosttest.Must(t, err)
	}
	if got := turnText(w.Say, turn()); got != "had nothing to play" {
		t.Errorf("%q", got)
	}
	o := towers.Game{}.Options().Defaults()
	before, err := towers.Game{}.New(o, 2)
	hosttest.Must(t, err)
	end, err := before.Parse(engine.End)
	hosttest.Must(t, err)
	if got := turnNews(w.Say, match.Turn{Number: 1, Seat: 1, Before: before, Actions: []engine.Action{end}}); got != "" {
		t.Errorf("a pass in the log: %q", got)
	}
	if got := strings.Join(optionTexts(w.Say, towers.Game{}, o), ", "); got != "size 5" {
		t.Errorf("the options of a challenge without extra rules: %q", got)
	}
}

// The end of a match says when it counted less.
func TestRepeatedMatch(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	for _, c := range []struct {
		weights []float64
		want    string
	}{
		{nil, ""},
		{[]float64{1, 1}, ""},
		{[]float64{0.5, 0.5}, "\n-# counts 1/2: number 4 of the rated matches between these two within seven days"},
		{[]float64{1.0 / 16, 1.0 / 16}, "\n-# counts 1/16: number 7 of the rated matches between these two within seven days"},
		{[]float64{1, 1, 1}, ""},
		{[]float64{1, 0.75, 0.75}, "\n-# counts less: some of these players have had more than 3 rated matches with each other within seven days"},
	} {
		var changes []storage.RatingChange
		for _, weight := range c.weights {
			changes = append(changes, storage.RatingChange{Weight: weight})
		}
		if got := repeated(w.Say, changes); got != c.want {
			t.Errorf("%v: %q, want %q", c.weights, got, c.want)
		}
	}
}
