package e2e_test

import (
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox"
)

// A bot that is back in a server, here because it was started anew, posts at
// once what waited there, however long it was to wait.
func TestAServerThatIsThereAgainGetsWhatWaited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.ben.Mentions(w.channel)
	w.chat.FailNext("POST", posting, 403, 50001, "Missing Access")
	w.move(w.anna, "right")
	for tries := range 8 {
		w.chat.FailNext("POST", posting, 403, 50001, "Missing Access")
		w.pass(host.Failure{Blocked: true}.Backoff(tries))
		w.pass(0) // the look before has ended
	}
	w.pass(time.Second) // it waits for more than 20 minutes
	if got := w.ben.Mentions(w.channel) - before; got != 0 {
		t.Fatalf("Ben was notified %d times", got)
	}
	w.stopBot()
	w.startBot()
	w.wait("the board", func() bool { return w.ben.Mentions(w.channel)-before == 1 && len(w.boards(w.anna)) == 1 })
	w.click(w.ben, "Left")
}

// Somebody who uses the bot in a channel has what waits there posted.
func TestAChannelThatIsUsedAgainGetsWhatWaited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.ben.Mentions(w.channel)
	for range 2 {
		w.chat.FailNext("POST", posting, 403, 50013, "Missing Permissions")
	}
	w.move(w.anna, "right")
	w.pass(host.Backoff(0))
	w.pass(0) // the look before has ended
	w.answered(w.chloe.Command(w.channel, "preferences"))
	w.wait("the board", func() bool { return w.ben.Mentions(w.channel)-before == 1 && len(w.boards(w.anna)) == 1 })
}

// A match whose channel is gone goes on in another, and its players learn of
// it there.
func TestAMatchGoesOnInAnotherChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	hall := sandbox.DefaultWorld().Channels[1].ID
	w.chat.FailNext("POST", posting, 404, 10003, "Unknown Channel")
	w.move(w.anna, "right")
	if got := text(w.private(w.anna)); !strings.Contains(got, "The channel is gone") || !strings.Contains(got, "`/board` with the option `match`") {
		t.Errorf("Anna is told: %s", got)
	}
	w.chat.FailNext("GET", "/channels/{channel_id}", 404, 10003, "Unknown Channel")
	w.answered(w.anna.Command(hall, "board", sandbox.Opt("match", 1)))
	if got := w.ben.Mentions(hall); got != 1 {
		t.Errorf("Ben was notified %d times", got)
	}
	w.channel = hall
	w.click(w.ben, "Left")
	w.move(w.anna, "right")
	if got := text(w.board()); !strings.Contains(got, "Ben> to move") && !strings.Contains(got, w.benID) {
		t.Errorf("the board: %s", got)
	}
}
