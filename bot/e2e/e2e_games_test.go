package e2e_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/storage"
)

// quick is options with which a game is short.
var quick = map[string][]sandbox.CommandOption{
	"stone-towers": {sandbox.Opt("width", 5), sandbox.Opt("height", 4), sandbox.Opt("turns", 6)},
	"towers":       nil,
	"rings":        {sandbox.Opt("side", 3)},
	"trails":       {sandbox.Opt("size", 7)},
}

// start starts a match of a game between Anna and Ben, and returns its number.
func (w *world) start(game string) storage.MatchID {
	w.t.Helper()
	before := len(w.running())
	options := append([]sandbox.CommandOption{sandbox.Opt("opponent", w.benID)}, quick[game]...)
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

// running is Anna's matches, the newest first.
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

// player is who is to act in a match.
func (w *world) player(match storage.MatchID) *sandbox.Person {
	w.t.Helper()
	p, ok := w.view(match).ToMove()
	if !ok {
		w.t.Fatalf("match %d is over", match)
	}
	return w.chat.As(p.ID)
}

// chooseTurn is a turn of a seeded player: tokens up to and without the end
// that follows by itself.
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
			continue // play goes on
		}
		turn = append(turn, a)
		p, _ = p.Apply(a)
		if p.Turns() != turns || len(p.Legal()) == 0 {
			return turn
		}
	}
}

func written(turn []engine.Action) string {
	var tokens []string
	for _, a := range turn {
		tokens = append(tokens, a.String())
	}
	return strings.Join(tokens, " ")
}

// The same turns by /move alone and by panels alone leave the same log, in
// every game.
func TestEveryGameByPanelAndByCommand(t *testing.T) {
	for _, g := range own() {
		if g.game.Direct() != nil {
			continue // its buttons are on the board
		}
		t.Run(g.game.Key(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first := w.start(g.game.Key())
			second := w.start(g.game.Key())
			// Who sits where is drawn by lot: each plays for whoever is to act.
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
				w.answered(w.player(second).Command(w.channel, "move", sandbox.Opt("turn", written(turn)), sandbox.Opt("match", int(second))))
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

// A restart in the middle of an open turn, with the board behind, in every
// game.
func TestARestartInTheMiddleOfEveryGame(t *testing.T) {
	for _, g := range own() {
		t.Run(g.game.Key(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			match := w.start(g.game.Key())
			r := rand.New(rand.NewPCG(3, 3))
			move := func() *sandbox.Person {
				turn := written(chooseTurn(r, w.view(match).Match.Position()))
				p := w.player(match)
				w.answered(p.Command(w.channel, "move", sandbox.Opt("turn", turn)))
				return p
			}
			for range 4 {
				move()
			}
			seq := w.view(match).Match.Seq()
			w.chat.FailNext("POST", posting, 500, 0, internal)
			move()
			waiting := w.player(match)
			before := waiting.Mentions(w.channel)
			w.stopBot()
			w.mu.Lock()
			w.clock = w.clock.Add(host.Backoff(0))
			w.mu.Unlock()
			w.startBot()
			w.wait("the board", func() bool { return waiting.Mentions(w.channel) == before+1 && len(w.boards(w.anna)) == 1 })
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
