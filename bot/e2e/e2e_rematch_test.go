package e2e_test

import (
	"strings"
	"testing"

	"castellan/bot/sandbox"
)

// onlyRematch reports whether nothing but another match can be had of a board.
func onlyRematch(m sandbox.Message) bool {
	return len(buttons(m)) == 1 && buttons(m)["Rematch"] != ""
}

// finish has Ben give up the match of the challenge that Anna makes, who moves
// first.
func (w *world) finish() {
	w.t.Helper()
	w.challenge()
	w.move(w.anna, "right")
	w.answered(w.ben.Command(w.channel, "resign"))
	ask := w.private(w.ben)
	w.answered(w.ben.Click(w.channel, ask.ID, w.press(ask, "Call it off")))
}

func TestARematchByButtonExchangesTheSeats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.finish()
	final := w.board()
	button := w.press(final, "Rematch")
	w.answered(w.chloe.Click(w.channel, final.ID, button))
	w.wantPrivate(w.chloe, "You do not play in this match")

	before := w.ben.Mentions(w.channel)
	w.answered(w.anna.Click(w.channel, final.ID, button))
	w.wantPrivate(w.anna, "Ben has been asked")
	if got := w.ben.Mentions(w.channel) - before; got != 1 {
		t.Errorf("Ben was notified %d times of the offer", got)
	}
	w.answered(w.anna.Click(w.channel, final.ID, button))
	w.wantPrivate(w.anna, "You have asked for this rematch already")
	offer := w.offerMessage()
	if got := text(offer); !strings.Contains(got, "asks <@"+w.benID+"> for a rematch of **Trails and Towers**") || !strings.Contains(got, "Ben moves first") {
		t.Errorf("the offer: %s", got)
	}
	w.answered(w.chloe.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	w.wantPrivate(w.chloe, "This challenge is for Ben")

	// Who asks for the same accepts.
	w.answered(w.ben.Click(w.channel, final.ID, button))
	w.wantPrivate(w.ben, "The rematch begins")
	v := w.running()[0]
	if v.Record.Seats[0].ID != w.benID || v.Record.Seats[1].ID != w.annaID {
		t.Errorf("the seats: %v", v.Record.Seats)
	}
	if got := text(w.message(w.anna, offer.ID)); !strings.Contains(got, "Ben accepted Anna’s challenge") {
		t.Errorf("the challenge says %q", got)
	}
	w.answered(w.anna.Click(w.channel, final.ID, button))
	w.wantPrivate(w.anna, "The rematch has begun already")
	board := w.boardOf(v.Record.ID)
	w.answered(w.ben.Click(w.channel, board.ID, w.press(board, "Right")))
}

func TestARematchByCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answered(w.ben.Command(w.channel, "rematch"))
	w.wantPrivate(w.ben, "No match of yours has ended in this channel")
	w.finish()
	w.answered(w.ben.Command(w.channel, "rematch"))
	offer := w.newest(w.anna, "Accept")
	if got := text(offer); !strings.Contains(got, "**Ben** asks") {
		t.Errorf("the offer: %s", got)
	}
	w.answered(w.anna.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	v := w.running()[0]
	if v.Record.Seats[0].ID != w.benID {
		t.Errorf("the seats: %v", v.Record.Seats)
	}
	w.answered(w.anna.Command(w.channel, "rematch", sandbox.Opt("match", int(v.Record.ID))))
	w.wantPrivate(w.anna, "This match goes on")
}
