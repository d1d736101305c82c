package e2e_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/storage"
)

// shortOptions are options of a short match.
var shortOptions = map[string][]sandbox.CommandOption{
	"stone-towers": {sandbox.Opt("width", 5), sandbox.Opt("height", 4), sandbox.Opt("turns", 6)},
	"towers":       nil,
	"rings":        {sandbox.Opt("side", 3)},
	"trails":       {sandbox.Opt("size", 7)},
}

// startQuick starts a match of a game between Anna and Ben, and returns its
// number.
func (w *world) startQuick(game string) storage.MatchID {
	w.t.Helper()
	before := len(w.running())
	options := append([]sandbox.CommandOption{sandbox.Opt("opponent", w.benID)}, shortOptions[game]...)
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(game, options...)))
	all := w.ben.Messages(w.channel)
	for i := len(all) - 1; i >= 0; i-- {
		for label, id := range buttons(all[i]) {
			if label == "Accept" || label == "Join" {
				w.answered(w.ben.Click(w.channel, all[i].ID, id))
				now := w.running()
				if len(now) != before+1 {
					w.t.Fatalf("%d matches of %s have started", len(now)-before, game)
				}
				return now[0].Record.ID
			}
		}
	}
	w.t.Fatalf("no challenge to %s\n%s", game, w.transcript(w.ben))
	return 0
}

// running returns Anna's matches, the newest first.
func (w *world) running() []*host.View {
	w.t.Helper()
	all, err := w.host.Running(w.t.(*testing.T).Context(), w.annaID, w.channel)
	must(w.t, err)
	newest := all[:0:0]
	for _, v := range all {
		at := len(newest)
		for at > 0 && newest[at-1].Record.ID < v.Record.ID {
			at--
		}
		newest = append(newest[:at], append([]*host.View{v}, newest[at:]...)...)
	}
	return newest
}

// player returns the player to move.
func (w *world) player(match storage.MatchID) *sandbox.Person {
	w.t.Helper()
	p, ok := w.view(match).ToMove()
	if !ok {
		w.t.Fatalf("match %d is over", match)
	}
	return w.chat.As(p.ID)
}

// chooseTurn returns a turn of a seeded player, without an end that is played
// automatically.
func chooseTurn(r *rand.Rand, p engine.Position) []engine.Action {
	var turn []engine.Action
	turns := p.Turns()
	for {
		if f, ok := engine.Formality(p); ok && len(turn) > 0 && f.String() == engine.End {
			return turn
		}
		legal := p.Legal()
		a := legal[r.IntN(len(legal))]
		if a.String() == engine.Pass && len(legal) > 1 || a.String() == engine.End && len(turn) == 0 && len(legal) > 1 {
			continue // avoid passing, so that the match progresses
		}
		turn = append(turn, a)
		p, _ = p.Apply(a)
		if p.Turns() != turns || len(p.Legal()) == 0 {
			return turn
		}
	}
}

func writeTurn(turn []engine.Action) string {
	var tokens []string
	for _, a := range turn {
		tokens = append(tokens, a.String())
	}
	return strings.Join(tokens, " ")
}

// TestPanelAndCommandAgree plays the same turns by /move and by panel in every
// game: the logs are the same.
func TestPanelAndCommandAgree(t *testing.T) {
	for _, g := range allGames() {
		if g.game.Direct() != nil {
			continue // its buttons are on the board
		}
		t.Run(g.game.Key(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first := w.startQuick(g.game.Key())
			second := w.startQuick(g.game.Key())
			// Seats are drawn by lot, so the player to move plays.
			r := rand.New(rand.NewPCG(7, 7))
			for range 10 {
				if _, over := w.view(first).Match.Over(); over {
					break
				}
				turn := chooseTurn(r, w.view(first).Match.Position())
				p := w.player(first)
				panel := w.openPanel(p, first)
				for _, a := range turn {
					panel = w.pickAction(p, first, panel, a)
				}
				w.answered(w.player(second).Command(w.channel, "move", sandbox.Opt("turn", writeTurn(turn)), sandbox.Opt("match", int(second))))
				if a, b := w.record(first), w.record(second); a != b {
					t.Fatalf("the logs differ:\n%s\n\n%s\n%s", a, b, text(w.private(w.player(second))))
				}
			}
			if len(w.view(first).Match.Turns()) < 10 {
				t.Errorf("only %d turns were played", len(w.view(first).Match.Turns()))
			}
		})
	}
}

// TestRestartInEveryGame restarts the bot with a board pending, in every game.
func TestRestartInEveryGame(t *testing.T) {
	for _, g := range allGames() {
		t.Run(g.game.Key(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			match := w.startQuick(g.game.Key())
			r := rand.New(rand.NewPCG(3, 3))
			move := func() *sandbox.Person {
				turn := writeTurn(chooseTurn(r, w.view(match).Match.Position()))
				p := w.player(match)
				w.answered(p.Command(w.channel, "move", sandbox.Opt("turn", turn)))
				return p
			}
			for range 4 {
				move()
			}
			seq := w.view(match).Match.Seq()
			before := map[string]int{}
			for _, p := range []*sandbox.Person{w.anna, w.ben, w.chloe} {
				before[p.ID()] = p.Mentions(w.channel)
			}
			w.chat.FailNext("POST", postRoute, 500, 0, internal)
			move()
			waiting := w.player(match)
			w.stopBot()
			w.advanceClock(host.Backoff(0))
			w.startBot()
			w.wait("the board", func() bool {
				return waiting.Mentions(w.channel) == before[waiting.ID()]+1 && len(w.boards(w.anna)) == 1
			})
			if now := w.view(match).Match.Seq(); now <= seq {
				t.Errorf("%d entries, before the last turn there were %d", now, seq)
			}
			for range 3 {
				move()
			}
			w.boardOf(match)
		})
	}
}

// towersMatch is a short match of Towers with a raise, an import, a take-out, a
// capture by the master and the capture of a master, a turn a line, without
// ends that are played automatically.
var towersMatch = []string{
	"b2-c2",
	"d5-c5",
	"c1-d1",
	"b4-b3 e5-e4",
	"b1-c1 d2-d1",
	"+1 c5/d5",
	"d1-d4",
	"d5-d4",
}

// byPanel plays a written turn choice by choice.
func (w *world) byPanel(p *sandbox.Person, match storage.MatchID, turn string) {
	w.t.Helper()
	panel := w.openPanel(p, match)
	for _, token := range strings.Fields(turn) {
		a, err := w.view(match).Match.Position().Parse(token)
		must(w.t, err)
		panel = w.pickAction(p, match, panel, a)
	}
}

func TestTowersPanelAndCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers")
	w.startWith("towers")
	people := []*sandbox.Person{w.anna, w.ben}
	for i, turn := range towersMatch {
		p := people[i%2]
		before := people[(i+1)%2].Mentions(w.channel)
		w.byPanel(p, 1, turn)
		w.answered(p.Command(w.channel, "move", sandbox.Opt("turn", turn), sandbox.Opt("match", 2)))
		if got := people[(i+1)%2].Mentions(w.channel) - before; got != 2 {
			t.Fatalf("turn %d of two matches: %d notifications of the next player", i+1, got)
		}
	}
	if a, b := w.record(1), w.record(2); a != b {
		t.Errorf("the logs differ:\n%s\n\n%s", a, b)
	}
	for match := storage.MatchID(1); match <= 2; match++ {
		if out, over := w.view(match).Match.Over(); !over || len(out.Result.Winners) != 1 || out.Result.Winners[0] != 2 {
			t.Errorf("match %d: %+v", match, out)
		}
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers")
	w.move(w.anna, "b2-c2")
	w.move(w.ben, "d5-c5") // from now on, Ben has two points in a turn
	w.move(w.anna, "c1-d1")
	board := w.boardOf(1)
	panel := w.openPanel(w.ben, 1)
	a, err := w.view(1).Match.Position().Parse("b4-b3")
	must(t, err)
	panel = w.pickAction(w.ben, 1, panel, a)
	wantText(t, panel, "Played so far: **b4\\-b3**")
	if now := w.boardOf(1); now.ID != board.ID {
		t.Error("an open turn has changed the public board")
	}
	// If the panel is lost, Your turn opens it again at the same state, also after
	// a restart.
	w.restart()
	panel = w.openPanel(w.ben, 1)
	wantText(t, panel, "Played so far: **b4\\-b3**")
	w.answered(w.ben.Click(w.channel, panel.ID, w.press(panel, "Undo")))
	if m := w.view(1).Match; len(m.Open().Actions) != 0 {
		t.Errorf("after Undo: %v", m.Open())
	}
	// A panel that is out of date says so and is brought up to date. One from
	// before a restart is not replaced.
	w.restart()
	w.move(w.ben, "e5-e4")
	again := w.message(w.ben, panel.ID)
	custom, value := nextChoice(again, "b4~b3~")
	if value == "" {
		w.answered(w.ben.Click(w.channel, panel.ID, custom))
	} else {
		w.answered(w.ben.Select(w.channel, panel.ID, custom, value))
	}
	wantText(t, w.message(w.ben, panel.ID), "This panel was out of date", "e5\\-e4")
	w.answered(w.ben.Command(w.channel, "undo"))
	w.answered(w.ben.Command(w.channel, "undo"))
	w.wantPrivate(w.ben, "not begun this turn")
	// A turn that is wrong in the middle is refused whole.
	w.move(w.ben, "b4-b3 e5-e1")
	if got := text(w.private(w.ben)); !strings.Contains(got, "e5") || len(w.view(1).Match.Open().Actions) != 0 {
		t.Errorf("wrong in the middle: %s", got)
	}
	w.answered(w.ben.Command(w.channel, "end")) // a pass
	if got := w.view(1).Match.Seat(); got != 1 {
		t.Errorf("after /end seat %d is to act", got)
	}
	// For other people the button shows the board larger, and whose turn it is.
	m := w.boardOf(1)
	w.answered(w.chloe.Click(w.channel, m.ID, w.press(m, "Move")))
	if got := text(w.private(w.chloe)); !strings.Contains(got, "to move") || len(buttons(w.private(w.chloe))) != 0 {
		t.Errorf("what Chloé sees: %s", got)
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers")
	set := func(row, button string) {
		t.Helper()
		w.answered(w.anna.Command(w.channel, "preferences"))
		m := w.private(w.anna)
		w.answered(w.anna.Click(w.channel, m.ID, "preferences/"+row+"/"+button))
	}
	// A player who ends their turns themselves can still take the last action back.
	set("ends", "on")
	w.move(w.anna, "b2-c2")
	if m := w.view(1).Match; m.Seat() != 1 || !m.CanUndo(1) {
		t.Fatalf("the turn has ended by itself: seat %d", m.Seat())
	}
	panel := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, panel.ID, w.press(panel, "End turn")))
	if m := w.view(1).Match; m.Seat() != 2 {
		t.Errorf("after End turn seat %d is to act", m.Seat())
	}
	// Ben sees the board from his side, but only in private.
	usual, _ := w.seen(w.openPanel(w.ben, 1))
	w.answered(w.ben.Command(w.channel, "preferences"))
	w.answered(w.ben.Click(w.channel, w.private(w.ben).ID, "preferences/side/on"))
	panel = w.openPanel(w.ben, 1)
	if own, _ := w.seen(panel); own == usual || !strings.Contains(boardName(panel), "-side2") {
		t.Errorf("Ben's side is not shown: %s", boardName(panel))
	}
	if public, _ := w.seen(w.boardOf(1)); public != usual {
		t.Error("the public board is not the usual one")
	}
	// A player who confirms every turn sees it first.
	set("ends", "off")
	set("confirms", "on")
	w.challenge()
	board := w.boardOf(2)
	w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "Right")))
	if m := w.view(2).Match; m.Seq() != 0 {
		t.Fatal("the turn has counted before it was confirmed")
	}
	ask := w.private(w.anna)
	wantText(t, ask, "Do you want to play **right**")
	w.answered(w.anna.Click(w.channel, ask.ID, w.press(ask, "Play it")))
	if m := w.view(2).Match; m.Seat() != 2 {
		t.Error("the confirmed turn does not count")
	}
	// A person who wants a daily message gets one, with links, if it is their turn.
	w.moveIn(2, "left")
	set("daily", "on")
	w.pass(24 * time.Hour)
	direct, err := w.anna.DirectMessages()
	must(t, err)
	w.wait("the daily message", func() bool { return len(w.anna.Messages(direct)) == 1 })
	wantText(t, w.last(w.anna, direct), "Matches that wait for you", "**Your turn** · match 2 · Trails and Towers with ", "· [Board](")
}

// TestDraftIsPrivate checks that only the player to move sees an open turn.
func TestDraftIsPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers")
	w.move(w.anna, "b2-c2")
	w.move(w.ben, "d5-c5")
	w.move(w.anna, "c1-d1")
	w.move(w.ben, "b4-b3") // one point is left
	board := w.boardOf(1)
	for _, look := range []func(){
		func() { w.answered(w.anna.Command(w.channel, "board", sandbox.Opt("text", true))) },
		func() { w.answered(w.anna.Command(w.channel, "board", sandbox.Opt("zoom", 1))) },
		func() { w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "Move"))) },
	} {
		look()
		seen := text(w.private(w.anna))
		each(w.private(w.anna), func(c sandbox.Component) {
			for _, item := range c.Items {
				seen += *item.Description
			}
		})
		if !strings.Contains(seen, "2 of 2") {
			t.Errorf("Anna sees Ben's draft: %s", seen)
		}
	}
	w.answered(w.anna.Command(w.channel, "board"))
	wantText(t, w.boardOf(1), "2 of 2")
	w.answered(w.ben.Command(w.channel, "board", sandbox.Opt("text", true)))
	w.wantPrivate(w.ben, "1 of 2")
}
