package engine_test

import (
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
)

func TestPageShow(t *testing.T) {
	for _, c := range []struct {
		name  string
		game  engine.Game
		page  engine.Page
		turn  int
		seat  engine.Seat
		mark  string // the actions of the marked turn
		open  bool
		seats int
		next  engine.Seat
	}{
		{"the start", trails.Game{}, engine.Page{}, 0, engine.Nobody, "", false, 2, 1},
		{"after a turn", trails.Game{}, engine.Page{Options: "size=5", Turns: "r"}, 1, 1, "right", false, 2, 2},
		{"after two", trails.Game{}, engine.Page{Turns: " right\nleft "}, 2, 2, "left", false, 2, 1},
		{"in an open turn", sample.Game{}, engine.Page{Seats: 3, Turns: "a2 end b1 a"}, 2, 2, "b1 a1", true, 3, 2},
		{"after a turn of several actions", sample.Game{}, engine.Page{Turns: "a2 b1 end"}, 1, 1, "a2 b1 end", false, 2, 2},
		{"the end", sample.Game{}, engine.Page{Options: "piles=1 counters=1 most=1", Turns: "a end pass pass"}, 3, 1, "pass", false, 2, engine.Nobody},
		{"with a pile picked", sample.Game{}, engine.Page{Picked: "b"}, 0, engine.Nobody, "", false, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := c.page.Illustrate(c.game)
			if err != nil {
				t.Fatal(err)
			}
			var mark []string
			for _, a := range s.Actions {
				mark = append(mark, a.String())
			}
			if s.Turn != c.turn || s.Seat != c.seat || strings.Join(mark, " ") != c.mark || s.Open != c.open || s.Seats != c.seats {
				t.Errorf("turn %d of seat %d, %q, open %t, %d seats", s.Turn, s.Seat, mark, s.Open, s.Seats)
			}
			if s.Position.Seat() != c.next || strings.Join(s.Picked, " ") != c.page.Picked {
				t.Errorf("seat %d is to act, picked is %q", s.Position.Seat(), s.Picked)
			}
			if (s.Before == nil) != (c.turn == 0) || s.Before != nil && (s.Before.Seat() != c.seat || s.Before.Turns() != c.turn-1) {
				t.Errorf("before it was %v", s.Before)
			}
		})
	}
}

func TestPageCannotBeShown(t *testing.T) {
	for _, c := range []struct {
		page engine.Page
		says string
	}{
		{engine.Page{Options: "piles=9"}, "options"},
		{engine.Page{Options: "counters=1 most=2"}, "the start"},
		{engine.Page{Seats: 7}, "played by 2 to 6"},
		{engine.Page{Turns: "a2 what"}, "action 2, what"},
		{engine.Page{Turns: "a2 end pass"}, "action 3, pass: You can pass only"},
		{engine.Page{Options: "piles=1 counters=1 most=1", Turns: "a end pass pass a"}, "action 5, a: the game is over"},
		{engine.Page{Turns: strings.Repeat("a ", 3000)}, "too many"},
		{engine.Page{Picked: "c"}, "begin no legal action"},
		{engine.Page{Picked: "a 1"}, "begin no legal action"}, // nothing is left to pick
	} {
		if _, err := c.page.Illustrate(sample.Game{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.page, err, c.says)
		}
	}
}

func TestTextsPage(t *testing.T) {
	p := engine.Texts{"g.rules.idea": {Other: "Idea"}, "g.rules.idea.text": {Other: "Words."}}.Page("g.rules.idea")
	if p.Title.String() != "Idea" || p.Text.String() != "Words." {
		t.Errorf("%+v", p)
	}
}
