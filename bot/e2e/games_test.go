package e2e_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
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
	w.accept(w.offerMessage())
	now := w.running()
	if len(now) != before+1 {
		w.t.Fatalf("%d matches of %s have started", len(now)-before, game)
	}
	return now[0].Record.ID
}

// running returns Anna's matches, the newest first.
func (w *world) running() []*host.View {
	w.t.Helper()
	all, err := w.host.Running(w.t.(*testing.T).Context(), w.annaID, w.channel)
	must(w.t, err)
	slices.SortFunc(all, func(a, b *host.View) int { return int(b.Record.ID - a.Record.ID) })
	return all
}

func (w *world) player(match storage.MatchID) *sandbox.Person {
	w.t.Helper()
	p, ok := w.view(match).ToMove()
	if !ok {
		w.t.Fatalf("match %d is over", match)
	}
	return w.chat.As(p.ID)
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
				turn := bottest.RandomTurn(r, w.view(first).Match.Position())
				p := w.player(first)
				panel := w.openPanel(p, first)
				for _, a := range turn {
					panel = w.pickAction(p, first, panel, a)
				}
				w.answered(w.player(second).Command(w.channel, "move", sandbox.Opt("turn", bottest.Written(turn)), sandbox.Opt("match", int(second))))
				if a, b := w.record(first), w.record(second); a != b {
					t.Fatalf("the logs differ:\n%s\n\n%s\n%s", a, b, bottest.Text(w.private(w.player(second))))
				}
			}
			if len(w.view(first).Match.Turns()) < 10 {
				t.Errorf("only %d turns were played", len(w.view(first).Match.Turns()))
			}
		})
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
	a, err := w.view(1).Match.Position().Parse("b4-b3")
	must(t, err)
	wantText(t, w.pickAction(w.ben, 1, w.openPanel(w.ben, 1), a), "panel.played")
	if now := w.boardOf(1); now.ID != board.ID {
		t.Error("an open turn has changed the public board")
	}
	// If the panel is lost, Your turn opens it again at the same state, also after
	// a restart.
	w.restart()
	panel := w.openPanel(w.ben, 1)
	wantText(t, panel, "panel.played")
	w.answered(w.ben.Click(w.channel, panel.ID, w.press(panel, "panel.undo")))
	if m := w.view(1).Match; len(m.Open().Actions) != 0 {
		t.Errorf("after Undo: %v", m.Open())
	}
	// A panel that is out of date says so and is brought up to date. One from
	// before a restart is not replaced.
	w.restart()
	w.move(w.ben, "e5-e4")
	custom, value, _ := bottest.NextChoice(w.message(w.ben, panel.ID), "b4~b3~")
	w.choose(w.ben, panel.ID, custom, value)
	wantText(t, w.message(w.ben, panel.ID), "panel.stale", "e5\\-e4")
	w.command(w.ben, "undo")
	w.press(w.command(w.ben, "undo"), "takeback.button") // of the turn before, if Anna agrees
	w.move(w.ben, "b4-b3 e5-e1")                         // wrong in the middle: refused whole
	if m := w.view(1).Match; len(m.Open().Actions) != 0 {
		t.Errorf("wrong in the middle: %v", m.Open())
	}
	w.command(w.ben, "end") // a pass
	if got := w.view(1).Match.Seat(); got != 1 {
		t.Errorf("after /end seat %d is to act", got)
	}
	// For other people the button shows the board larger.
	if m := w.openPanel(w.chloe, 1); len(buttons(m)) != 0 || boardName(m) == "" {
		t.Errorf("what Chloé sees: %s", bottest.Text(m))
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers")
	set := func(p *sandbox.Person, choice string) {
		t.Helper()
		w.answered(p.Click(w.channel, w.command(p, "preferences").ID, "preferences/"+choice))
	}
	// A player who ends their turns themselves can still take the last action back.
	set(w.anna, "ends/on")
	w.move(w.anna, "b2-c2")
	if m := w.view(1).Match; m.Seat() != 1 || !m.CanUndo(1) {
		t.Fatalf("the turn has ended by itself: seat %d", m.Seat())
	}
	panel := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, panel.ID, w.press(panel, "panel.end")))
	if m := w.view(1).Match; m.Seat() != 2 {
		t.Errorf("after End turn seat %d is to act", m.Seat())
	}
	// Ben sees the board from his side, but only in private.
	set(w.ben, "side/on")
	if own, public := w.openPanel(w.ben, 1), w.boardOf(1); !strings.Contains(boardName(own), "-side2") || strings.Contains(boardName(public), "-side2") {
		t.Errorf("Ben sees %s, and all see %s", boardName(own), boardName(public))
	}
	// A player who confirms every turn sees it first.
	set(w.anna, "ends/off")
	set(w.anna, "confirms/on")
	w.challenge()
	board := w.boardOf(2)
	w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "trails.step.right")))
	ask := w.private(w.anna)
	if wantText(t, ask, "confirm.ask"); w.view(2).Match.Seq() != 0 {
		t.Fatal("the turn has counted before it was confirmed")
	}
	w.answered(w.anna.Click(w.channel, ask.ID, w.press(ask, "confirm.yes")))
	if m := w.view(2).Match; m.Seat() != 2 {
		t.Error("the confirmed turn does not count")
	}
	// A person who wants a daily message gets one if it is their turn.
	w.moveIn(2, "left")
	set(w.anna, "daily/on")
	w.pass(24 * time.Hour)
	direct, err := w.anna.DirectMessages()
	must(t, err)
	w.wait("the daily message", func() bool { return len(w.anna.Messages(direct)) == 1 })
	wantText(t, w.last(w.anna, direct), "**Your turn** · match 2")
}
