package e2e_test

import (
	"context"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/storage"
)

// advanceClock rests, and advances the clock without running the reconciler.
func (w *world) advanceClock(d time.Duration) {
	w.t.Helper()
	w.rest()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

// restart restarts the bot with the world's present configuration, and rests.
func (w *world) restart() {
	w.t.Helper()
	w.stopBot()
	w.startBot()
	w.rest()
}

func TestClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	wantText(t, w.command(w.ben, "claim"), "<t:1778241600:f>")
	wantText(t, w.command(w.anna, "claim"), "error.own")
	anna, ben := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel)
	w.pass(host.ClaimAfter)
	w.wait("a board with a way to claim", func() bool {
		all := w.boards(w.anna)
		return len(all) == 1 && buttons(all[0])[english("board.claim")] != ""
	})
	board := w.board()
	wantText(t, board, "board.silent")
	w.pass(host.ClaimAfter)
	w.restart()
	if w.board().ID != board.ID {
		t.Error("there is a second reminder")
	}
	w.wantMentions(w.anna, anna, 1)
	w.wantMentions(w.ben, ben, 0)
	w.click(w.ben, "board.claim")
	ask := w.private(w.ben)
	wantText(t, ask, "claim.ask")
	w.answered(w.ben.Click(w.channel, ask.ID, w.press(ask, "claim.yes")))
	if wantText(t, w.board(), "end.claim"); !onlyRematch(w.board()) {
		t.Errorf("the buttons at the end: %v", buttons(w.board()))
	}
	w.wantMentions(w.anna, anna, 2)
	w.wantMentions(w.ben, ben, 0)
}

// run lets time pass in which the bot is in contact with Discord.
func (w *world) run(d time.Duration) {
	w.t.Helper()
	w.advanceClock(d)
	must(w.t, w.store.Update(context.Background(), func(tx storage.Tx) error { return tx.RecordContact(w.now()) }))
	w.pass(0)
}

func TestClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerOf("trails", sandbox.Opt("first", "me"), sandbox.Opt("clock", "1d"))
	wantText(t, offer, "clock.turn")
	w.accept(offer)
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	wantText(t, w.board(), "clock.until", "<t:1777723200:R>")
	wantText(t, w.command(w.ben, "claim"), "error.timed")
	// One reminder at a quarter of the time, also after a restart.
	anna, ben, first := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel), w.board().ID
	w.run(18 * time.Hour)
	w.wait("a reminder", func() bool { return w.anna.Mentions(w.channel) == anna+1 && len(w.boards(w.anna)) == 1 })
	if w.board().ID == first {
		t.Error("there is no new board")
	}
	w.restart()
	w.run(6*time.Hour - time.Second)
	w.wantMentions(w.anna, anna, 1)
	// Whether or not the reconciler has come by, the time is up.
	w.advanceClock(time.Second)
	w.move(w.anna, "right")
	w.wantPrivate(w.anna, "error.late")
	w.pass(0)
	w.wait("the end", func() bool { return len(w.boards(w.chloe)) == 1 && onlyRematch(w.board()) })
	wantText(t, w.board(), "end.timeout")
	w.wantMentions(w.anna, anna, 2)
	w.wantMentions(w.ben, ben, 1)
	w.restart()
	w.click(w.ben, "rematch.button")
	wantText(t, w.offerMessage(), "clock.turn")
}

// TestLiveClock plays on a clock of minutes: the board says what is left to the second, with
// a timestamp that counts down by itself, reminds once, and says who has lost on time.
func TestLiveClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerOf("trails", sandbox.Opt("first", "me"), sandbox.Opt("clock", "2m"))
	wantText(t, offer, "2 minutes a turn", "<t:1777637700:R>") // for 15 minutes
	w.accept(offer)
	wantText(t, w.board(), "<t:1777637100:R>") // with the three minutes of a first turn
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	wantText(t, w.board(), "<t:1777636923:R>")
	w.run(20 * time.Second)
	w.command(w.ben, "time")
	menu := w.private(w.ben)
	wantText(t, menu, "2 minutes")
	anna := w.anna.Mentions(w.channel)
	w.run(73 * time.Second) // 30 seconds are left
	w.wait("a reminder", func() bool { return w.anna.Mentions(w.channel) == anna+1 })
	w.restart()
	w.run(30 * time.Second)
	w.wait("the end", func() bool { return len(w.boards(w.chloe)) == 1 && onlyRematch(w.board()) })
	wantText(t, w.board(), "end.timeout")
	w.wantMentions(w.anna, anna, 2)
}
