package e2e_test

import (
	"strings"
	"testing"

	"castellan/bot/sandbox"
	"castellan/engine"
)

// cost counts the person's taps and keys in a turn, and the requests that they
// wait for. A menu takes two taps: one to open it and one to pick.
type cost struct{ taps, keys, trips int }

// turnByTaps plays a turn with the buttons of the board and of the panel, in as
// few taps as they allow.
func (w *world) turnByTaps(p *sandbox.Person, line string) (c cost) {
	w.t.Helper()
	board := w.boardOf(1)
	var panel sandbox.Message
	click := func(m sandbox.Message, id string) {
		w.t.Helper()
		w.answered(p.Click(w.channel, m.ID, id))
		c.taps, c.trips = c.taps+1, c.trips+1
	}
	for _, token := range strings.Fields(line) {
		a, err := w.view(1).Match.Position().Parse(token)
		must(w.t, err)
		target, seq := strings.Join(a.Steps(), "~")+"~", w.view(1).Match.Seq()
		for w.view(1).Match.Seq() == seq {
			if panel.ID == "" { // the first tap hits the public board
				id := ""
				for _, button := range buttons(board) {
					_, first, ok := strings.Cut(button, "/from/")
					_, act, whole := strings.Cut(button, "/act/")
					switch {
					case ok && strings.HasPrefix(target, first), whole && act == token:
						id = button
					case id == "" && strings.HasSuffix(button, "/turn"):
						id = button
					}
				}
				click(board, id)
				panel = w.private(p)
				continue
			}
			panel = w.message(p, panel.ID)
			id, value := nextChoice(panel, target)
			yes := buttons(panel)["Play it"] // a pass asks first
			switch {
			case yes != "":
				click(panel, yes)
			case id == "":
				w.t.Fatalf("the panel offers no way to %s: %v", a, buttons(panel))
			case value == "":
				click(panel, id)
			default:
				w.answered(p.Select(w.channel, panel.ID, id, value))
				c.taps, c.trips = c.taps+2, c.trips+1
			}
		}
	}
	return c
}

// turnByKeys plays a turn by typing /move. Requests for suggestions count too: one
// for the empty option and one at the end.
func (w *world) turnByKeys(p *sandbox.Person, line string) cost {
	w.t.Helper()
	_, err := p.Autocomplete(w.t.Context(), w.channel, "move", sandbox.Focused("turn", line))
	must(w.t, err)
	w.move(p, line)
	return cost{keys: len("/move ") + len([]rune(line)) + 1, trips: 3}
}

// TestCostOfTurns checks the cost of each kind of turn in all games.
func TestCostOfTurns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, game string
		options    []sandbox.CommandOption
		turn       string
		typed      bool
		most       cost
	}{
		{"Rings: place a stone", "rings", nil, "M11", false, cost{taps: 2, trips: 2}},
		{"Rings: place at the edge", "rings", nil, "A7", false, cost{taps: 2, trips: 2}},
		{"Rings: pass", "rings", nil, "pass", false, cost{taps: 3, trips: 3}},
		{"Towers 5×5: one move", "towers", nil, "b2-b3", false, cost{taps: 2, trips: 2}},
		{"Towers 8×8: one move, end", "towers", []sandbox.CommandOption{sandbox.Opt("size", 8)}, "b2-b3 end", false, cost{taps: 3, trips: 3}},
		{"Towers 8×8: one tower, four moves", "towers", []sandbox.CommandOption{sandbox.Opt("size", 8)}, "b2-b3 b3-b4 b4-b5 b5-b6", false, cost{taps: 5, trips: 5}},
		{"Towers 8×8: four towers", "towers", []sandbox.CommandOption{sandbox.Opt("size", 8)}, "a2-a3 b2-b3 c2-c3 d2-d3", false, cost{taps: 8, trips: 8}},
		{"Towers 5×5: pass", "towers", nil, "end", false, cost{taps: 3, trips: 3}},
		{"Stone Towers 8×8: build", "stone-towers", nil, "d4", false, cost{taps: 2, trips: 2}},
		{"Stone Towers 16×16: build", "stone-towers", []sandbox.CommandOption{sandbox.Opt("width", 16), sandbox.Opt("height", 16)}, "d12", false, cost{taps: 2, trips: 2}},
		{"Trails: a direction", "trails", nil, "right", false, cost{taps: 1, trips: 1}},
		{"Rings: typed without signs", "rings", nil, "l 15", true, cost{keys: 11, trips: 3}},
		{"Towers: typed without signs", "towers", nil, "b2b3", true, cost{keys: 11, trips: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if c.game == "rings" {
				w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("rings", sandbox.Opt("players", 2))))
				m := w.newest(w.ben, "Join")
				w.answered(w.ben.Click(w.channel, m.ID, w.press(m, "Join")))
			} else {
				w.startWith(c.game, c.options...)
			}
			p := w.player(1)
			play := w.turnByTaps
			if c.typed {
				play = w.turnByKeys
			}
			got := play(p, c.turn)
			done := len(w.view(1).Match.Turns()) == 1
			t.Logf("%s | %d | %d | %d | played %v", c.name, got.taps, got.keys, got.trips, done)
			if !done || got.taps > c.most.taps || got.keys > c.most.keys || got.trips > c.most.trips {
				t.Errorf("%+v, at most %+v; played %v; seat %v", got, c.most, done, w.view(1).Match.Seat() == engine.Nobody)
			}
		})
	}
}
