package e2e_test

import (
	"strings"
	"testing"

	"castellan/bot/bottest"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/engine/four"
	fourpainter "castellan/imaging/four"
	"castellan/storage"
)

// TestFour plays the game of docs/build/adding-a-game.md: between two people to a win, and
// against the computer to the end.
func TestFour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stopBot()
	w.extraGames = []hostedGame{{four.Game{}, fourpainter.Painter()}}
	w.startBot()

	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("four", sandbox.Opt("opponent", w.benID))))
	offer := w.offerMessage()
	wantText(t, offer, "Four in a Row")
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "challenge.accept")))
	pictures := map[string]bool{}
	for _, square := range strings.Fields("b2 b3 c2 c3 d2 d3 e2") {
		picture, words := w.seen(w.board())
		if pictures[picture] || !strings.Contains(words, "free") {
			t.Errorf("before %s the picture is that of an earlier turn, or described as %q", square, words)
		}
		pictures[picture] = true
		w.moveIn(1, square)
	}
	if end := bottest.Text(w.board()); !strings.Contains(end, "wins against") || !strings.Contains(end, "Four stones are in a line.") {
		t.Errorf("the last board says %q", end)
	}
	w.answered(w.chloe.Command(w.channel, "rules", sandbox.Opt("game", "four")))
	w.wantPrivate(w.chloe, "Four in a line")

	w.challengeComputer("four", sandbox.Opt("first", "me"))
	const id = storage.MatchID(2)
	for v := w.awaitPerson(id); v.Match.Seat() != engine.Nobody; v = w.awaitPerson(id) {
		w.moveIn(id, v.Match.Position().Legal()[0].String())
	}
}
