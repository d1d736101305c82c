package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
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

// line returns turns that follow each other in a match, without ending it.
func (w *world) line(m *match.Match, turns int) (line []string) {
	w.t.Helper()
	for n := range turns {
		for i := range m.Position().Legal() {
			legal := m.Position().Legal()
			after, tokens, err := m.Try(m.Seat(), legal[(i+7*n)%len(legal)].String(), match.Moment{})
			if _, over := after.Over(); err == nil && !over && len(after.Turns()) == len(m.Turns())+1 {
				m, line = after, append(line, strings.Join(tokens, " "))
				break
			}
		}
	}
	if len(line) != turns {
		w.t.Fatalf("there are only %d turns", len(line))
	}
	return line
}

// Two people prepare twenty turns against each other. All are played with the first
// turn: with one new board, one notification, and a line for each turn.
func TestPreparedTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers")
	line := w.line(w.view(1).Match, 41)
	prepare := func(p *sandbox.Person, from, most int) { // five turns at a time
		t.Helper()
		for n := from; n <= most; n += 10 {
			w.answered(p.Command(w.channel, "prepare", sandbox.Opt("if", strings.Join(line[:n], " > ")), sandbox.Opt("then", line[n])))
		}
	}
	prepare(w.anna, 10, 40)
	prepare(w.ben, 9, 39)
	if got := text(w.private(w.ben)); !strings.Contains(got, "Prepared.") || !strings.Contains(got, "Then, if") {
		t.Errorf("Ben reads %q", got)
	}
	first := w.board()
	began := time.Now()
	w.move(w.anna, line[0])
	t.Logf("played after %s", time.Since(began))
	v := w.view(1)
	turns := v.Match.Turns()
	if len(turns) != 41 || !turns[40].EndedAt.Equal(turns[0].EndedAt) {
		t.Fatalf("%d turns were played", len(turns))
	}
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text(w.message(w.anna, first.ID)), `\-`, "-")), "\n")
	if len(lines) != len(turns) {
		t.Fatalf("the lines are %q", lines)
	}
	for n, turn := range turns {
		played := strings.TrimSuffix(line[n], " end")
		if played == "end" {
			played = "passed"
		}
		if got := lines[n]; !strings.HasPrefix(got, fmt.Sprintf("-# %d. ", n+1)) || !strings.Contains(got, played) || turn.Prepared != (n > 0) || turn.Prepared != strings.Contains(got, "(prepared)") {
			t.Errorf("turn %d is %q", n+1, got)
		}
	}
	posts, pings := 0, 0
	for _, x := range w.sent {
		if x.Method == http.MethodPost && strings.HasSuffix(x.Route, "/messages") && strings.Contains(string(x.RequestJSON), "board-1-") {
			posts++
			if m := new(sandbox.Message); json.Unmarshal(x.ResponseBody, m) == nil && len(m.Mentions) > 0 {
				pings++
			}
		}
	}
	if posts != 2 || pings != 2 { // the first board, and the one after all turns
		t.Errorf("%d boards were posted, %d with a notification", posts, pings)
	}
}

// Turns are prepared by taps, continued, confirmed and dropped.
func TestPrepareByTaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers")
	tap := func(label string) sandbox.Message {
		t.Helper()
		m := w.private(w.ben)
		w.answered(w.ben.Click(w.channel, m.ID, w.press(m, label)))
		return w.private(w.ben)
	}
	reads := func(m sandbox.Message, all ...string) {
		t.Helper()
		plain := strings.NewReplacer("\u00a0", " ", `\-`, "-").Replace(text(m))
		for _, want := range all {
			if !strings.Contains(plain, want) {
				t.Errorf("%q is missing in %q", want, plain)
			}
		}
	}
	// The private look at the board has the button.
	board := w.board()
	w.answered(w.ben.Click(w.channel, board.ID, w.press(board, "Move")))
	reads(tap("Prepare"), "Choose a turn that may be played", "What may ● Anna play?")
	tap("b2")
	reads(tap("b3"), "If ● Anna plays **b2-b3**", "What do you play then?")
	tap("b4")
	reads(tap("b3"), "Prepared.", "If ● Anna plays **b2-b3**, you play **b4-b3**.", "What may ● Anna play?")
	reads(tap("All lines"), "- If ● Anna plays **b2-b3**, you play **b4-b3**.")
	tap("Add a turn")
	reads(tap("Any turn"), "Whatever ● Anna plays …", "The board shows the position before")
	tap("c4")
	reads(tap("c3"), "Prepared.", "Whatever ● Anna plays, you play **c4-c3**.")
	reads(tap("All lines"), "- If ● Anna plays **b2-b3**, you play **b4-b3**.", "- Whatever ● Anna plays, you play **c4-c3**.")
	// A line can be picked and dropped.
	menu := ""
	each(w.private(w.ben), func(c sandbox.Component) {
		if c.Type == sandbox.ComponentStringSelect {
			menu = c.CustomID
		}
	})
	w.answered(w.ben.Select(w.channel, w.private(w.ben).ID, menu, "0"))
	reads(tap("Drop this"), "Dropped.", "- Whatever ● Anna plays, you play **c4-c3**.")
	reads(tap("Drop all"), "Dropped.", "What may ● Anna play?")
	// Any turn is the first suggestion, and is never refused as a notation.
	for typed, want := range map[string]string{"": "any · Any turn", "AN": "any · Any turn", "any · Any turn": "any · Any turn", "any turn": "any · Any turn", "any > ": "any > a4-a3", "b2-b3 > b4-b3 > ": "b2-b3 > b4-b3 > any · Any turn"} {
		choices, err := w.ben.Autocomplete(t.Context(), w.channel, "prepare", sandbox.Focused("if", typed))
		must(t, err)
		if len(choices) == 0 || !strings.HasPrefix(choices[0].Name, want) || strings.Contains(fmt.Sprint(choices), "✗") {
			t.Errorf("for %q there are %v", typed, choices)
		}
	}
	// Those who confirm their turns are asked.
	must(t, w.store.Update(t.Context(), func(tx storage.Tx) error {
		return tx.SetPreferences(storage.Preferences{Person: w.benID, ConfirmTurn: true})
	}))
	w.answered(w.ben.Command(w.channel, "prepare", sandbox.Opt("if", "b2-b3"), sandbox.Opt("then", "b4b3")))
	reads(w.private(w.ben), "Do you want to prepare **b4-b3**?")
	tap("Back")
	tap("b4")
	tap("b3")
	reads(tap("Prepare it"), "Prepared.")
	w.move(w.anna, "b2-b3")
	// What was taken back is not played again, and its player is told so.
	w.answered(w.anna.Command(w.channel, "takeback"))
	board = w.board()
	w.answered(w.ben.Click(w.channel, board.ID, w.press(board, "Accept")))
	reads(w.private(w.ben), "You accepted.", "Your prepared turn was taken back too.")
	reads(w.board(), "Ben's prepared turns no longer apply")
	w.answered(w.ben.Command(w.channel, "prepare", sandbox.Opt("if", "any"), sandbox.Opt("then", "b4b3")))
	tap("Prepare it")
	w.move(w.anna, "b2-b3")
	if turns := w.view(1).Match.Turns(); len(turns) != 2 || !turns[1].Prepared {
		t.Errorf("%d turns were played", len(turns))
	}
	// What cannot be played is explained to its player.
	w.answered(w.ben.Command(w.channel, "prepare", sandbox.Opt("if", "any"), sandbox.Opt("then", "a1-a2")))
	reads(w.private(w.ben), "I could not check that this turn will be possible")
	tap("Prepare it")
	w.move(w.anna, "c2-c3")
	reads(w.board(), "the prepared turn of Ben could not be played")
	reads(w.openPanel(w.ben, 1), "Your prepared turn **a1-a2** could not be played.")
	if turns := w.view(1).Match.Turns(); len(turns) != 3 {
		t.Errorf("%d turns were played", len(turns))
	}
}
