package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/engine"
	"castellan/storage"
)

func (w *world) boardOf(match storage.MatchID) api.Message {
	w.t.Helper()
	var found []api.Message
	for _, m := range w.boards(w.anna) {
		if strings.HasSuffix(strings.TrimSpace(bottest.Text(m)), fmt.Sprintf("match %d", match)) {
			found = append(found, m)
		}
	}
	if len(found) != 1 {
		w.t.Fatalf("%d boards of match %d\n%s", len(found), match, w.transcript(w.anna))
	}
	return found[0]
}

// message returns a message as a person sees it now.
func (w *world) message(p *sandbox.Person, id string) api.Message {
	w.t.Helper()
	for _, m := range p.Messages(w.channel) {
		if m.ID == id {
			return m
		}
	}
	w.t.Fatalf("message %s is gone", id)
	return api.Message{}
}

func (w *world) view(match storage.MatchID) *host.View {
	w.t.Helper()
	v, err := w.host.Match(context.Background(), match)
	must(w.t, err)
	return v
}

// startWith starts a match between Anna and Ben in which Anna moves first.
func (w *world) startWith(game string, options ...sandbox.CommandOption) {
	w.t.Helper()
	w.accept(w.offerOf(game, append(options, sandbox.Opt("first", "me"))...))
}

// accept has Ben accept a challenge.
func (w *world) accept(offer api.Message) {
	w.t.Helper()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "challenge.accept")))
}

// resigns has a person use /resign and press a button of the question.
func (w *world) resigns(p *sandbox.Person, button string) {
	w.t.Helper()
	w.answered(p.Command(w.channel, "resign"))
	ask := w.private(p)
	w.answered(p.Click(w.channel, ask.ID, w.press(ask, button)))
}

// awaitState waits until an interaction is in a state.
func (w *world) awaitState(id string, state string) {
	w.t.Helper()
	w.wait("an interaction that is "+state, func() bool { i, _ := w.chat.Interaction(id); return i.State == state })
}

// openPanel presses Your turn and returns the panel.
func (w *world) openPanel(p *sandbox.Person, match storage.MatchID) api.Message {
	w.t.Helper()
	m := w.boardOf(match)
	w.answered(p.Click(w.channel, m.ID, w.press(m, "board.yours")))
	return w.private(p)
}

// choose presses a button of a message or, if there is a value, picks that in a menu.
func (w *world) choose(p *sandbox.Person, message, custom, value string) {
	w.t.Helper()
	if value == "" {
		w.answered(p.Click(w.channel, message, custom))
	} else {
		w.answered(p.Select(w.channel, message, custom, value))
	}
}

// pickAction picks the steps of an action in a panel until it is played, and
// returns the panel.
func (w *world) pickAction(p *sandbox.Person, match storage.MatchID, panel api.Message, a engine.Action) api.Message {
	w.t.Helper()
	target := bottest.Target(a)
	seq := w.view(match).Match.Seq()
	for range 10 {
		custom, value, _ := bottest.NextChoice(panel, target)
		if custom == "" {
			w.t.Fatalf("the panel offers no way to %s:\n%s\n%+v", a, bottest.Text(panel), buttons(panel))
		}
		w.choose(p, panel.ID, custom, value)
		panel = w.message(p, panel.ID)
		if w.view(match).Match.Seq() > seq {
			return panel
		}
	}
	w.t.Fatalf("%s is not played after ten choices", a)
	return panel
}

// record returns the log of a match without times and interactions.
func (w *world) record(match storage.MatchID) string {
	w.t.Helper()
	var lines []string
	for _, t := range w.view(match).Match.Turns() {
		lines = append(lines, fmt.Sprintf("%d. %d %s", t.Number, t.Seat, t))
	}
	return strings.Join(lines, "\n")
}

// wantText fails unless a message contains all texts, which can be keys.
func wantText(t testing.TB, m api.Message, want ...string) {
	t.Helper()
	for _, s := range want {
		if got := bottest.Text(m); !strings.Contains(got, fragment(s)) {
			t.Errorf("%q is not in the message: %s", s, got)
		}
	}
}

// wantPrivate fails unless the newest private message of a person contains all
// texts.
func (w *world) wantPrivate(p *sandbox.Person, want ...string) {
	w.t.Helper()
	wantText(w.t, w.private(p), want...)
}

// wantMentions fails unless a person has before+n notifications in the channel.
func (w *world) wantMentions(p *sandbox.Person, before, n int) {
	w.t.Helper()
	if got := p.Mentions(w.channel) - before; got != n {
		w.t.Errorf("%s was notified %d times, not %d", p.ID(), got, n)
	}
}

// A person has one private message about a match: a second panel replaces the
// first, and receipts do not pile up.
func TestOnePrivateMessageAboutAMatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("stone-towers")
	one := func(what string) {
		t.Helper()
		<-w.bot.Interactions.Idle()
		n := 0
		for _, m := range w.anna.Messages(w.channel) {
			if m.Flags&api.FlagEphemeral != 0 && strings.Contains(bottest.Text(m), what) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d private messages with %q\n%s", n, what, w.transcript(w.anna))
		}
	}
	first := w.openPanel(w.anna, 1)
	panel := w.openPanel(w.anna, 1)
	if one("Your turn"); panel.ID == first.ID {
		t.Error("the second panel is not a new message")
	}
	w.answered(w.anna.Command(w.channel, "help")) // another subject
	for _, line := range []string{"d4 d8", "d5 e8"} {
		turns := strings.Fields(line)
		w.move(w.anna, turns[0])
		one("You played")
		w.move(w.ben, turns[1])
	}
	one("It’s your turn here")
}

// Parts of a large board are enlarged by buttons, in the panel and for those who
// watch; a small board is shown whole.
func TestZoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("stone-towers")
	w.answered(w.anna.Command(w.channel, "board", sandbox.Opt("zoom", 5)))
	if w.wantPrivate(w.anna, "you see it whole"); strings.Contains(fmt.Sprint(buttons(w.private(w.anna))), "/zoom/") {
		t.Error("a small board can be enlarged")
	}
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("rings", sandbox.Opt("opponent", w.benID), sandbox.Opt("players", 2), sandbox.Opt("side", 6))))
	w.accept(w.newest(w.ben, "challenge.decline"))
	mover, board := w.chat.As(w.view(2).Person(1).ID), w.boardOf(2)
	panel := w.openPanel(mover, 2)
	for _, c := range []struct{ button, picture, offers string }{
		{"Enlarge", "-zoom5.png", "Move"}, {"↖", "-zoom1.png", "Move"}, {"Whole board", "-0.png", "Move"}, {"Move", "-0.png", "Enlarge"},
	} {
		w.answered(mover.Click(w.channel, panel.ID, w.press(panel, c.button)))
		if panel = w.message(mover, panel.ID); !strings.HasSuffix(boardName(panel), c.picture) || buttons(panel)[c.offers] == "" {
			t.Errorf("%s: %s, %v", c.button, boardName(panel), buttons(panel))
		}
	}
	wantText(t, panel, "Choose a column")
	w.answered(w.chloe.Click(w.channel, board.ID, w.press(board, "board.yours")))
	look := w.private(w.chloe)
	w.answered(w.chloe.Click(w.channel, look.ID, w.press(look, "↘")))
	if look = w.message(w.chloe, look.ID); !strings.HasSuffix(boardName(look), "-zoom4.png") || buttons(look)["Move"] != "" {
		t.Errorf("Chloé sees %s, %v", boardName(look), buttons(look))
	}
}
