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

// The first board of a match for three or more keeps the order of play when it is
// replaced by a line, and the lines say who has left the match.
func TestLinesOfManyPlayers(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.StartSeveral(4)
	v = w.Resign(v, 3)
	v = w.Act(v, "a1 end")
	v = w.Resign(v, 2) // in their own turn
	v = w.Resign(w.Act(v, "a1 end"), 4)
	name := func(seat engine.Seat) string { return v.Person(seat).Name }
	then, err := v.Match.At(0)
	hosttest.Must(t, err)
	for seq, want := range map[int]string{
		0: strings.ReplaceAll("-# "+orderOfPlay(w.Say, w.Match(v.Record.ID), then), "\n", "\n-# ") + "▲ " + name(3) + " left the match",
		1: "-# 1. ● " + name(1) + ": **a1** · takes 1 counter · match 1",
		3: "-# ◆ " + name(2) + " left the match",
		4: "-# 2. ■ " + name(4) + ": **a1** · takes 1 counter · match 1",
		6: fmt.Sprintf("-# Match %d has ended", v.Record.ID),
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
	if got := turnText(w.Say, turn()); got != "couldn’t move" {
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
	for text, want := range map[string]string{
		"size=5":                               "5 × 5",
		"size=8 rules=tower-out+no-master-win": "8 × 8, a pawn can leave any of your towers, a master can’t take the other master",
	} {
		if o, err = (towers.Game{}).Options().Parse(text); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(optionTexts(w.Say, towers.Game{}, o), ", "); got != want {
			t.Errorf("the options %s of a challenge: %q", text, got)
		}
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
		{[]float64{0.5, 0.5}, "\n-# counts 1/2: rated match number 4 between these two within seven days"},
		{[]float64{1.0 / 16, 1.0 / 16}, "\n-# counts 1/16: rated match number 7 between these two within seven days"},
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

// A turn that loses is announced with the reason, which names the player.
func TestRiskNamesTheLoser(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	lost := finished(w)
	out, _ := lost.Match.Over()
	loser := lost.Person(3 - out.Result.Winners[0]).Name
	out.Result.Reason = "self-stuck"
	if got, want := reasonText(w.Say, lost, out, Name), loser+" has no move left."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := riskText(w.Say, lost, lost.Match, match.Loses); strings.Contains(got, "…") || !strings.Contains(got, w.Say.T("confirm.loses", "Reason", "")) {
		t.Errorf("%q", got)
	}
}

// A match in a thread of its own needs no number there, but in private messages, which
// can be elsewhere.
func TestNumberInOwnThread(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.Act(w.Start("trails"), "right")
	number := w.Say.T("board.match", "Match", int64(v.Record.ID))
	shows := func(text string) bool { return strings.Contains(text, number) }
	for _, own := range []bool{false, true} {
		v.OwnThread = own
		board, line := Board(w.Say, v, v.Match, discord.File{Name: "b.png"}, nil), Collapsed(w.Say, v, 0)
		if shows(fmt.Sprint(board)) == own || shows(fmt.Sprint(line)) == own || !shows(Status(w.Say, v, v.Match)) {
			t.Errorf("in a thread of its own %v: %v, %v", own, board, line)
		}
	}
}
