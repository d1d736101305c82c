package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// invalid returns how many requests Discord has answered with 401, 403 or 429 so
// far.
func (w *world) invalid() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.sent {
		if x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden || x.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

// TestStormInBlockedChannel has ten matches in a channel in which the bot may no
// longer send messages, while people use the bot there. Discord is asked at most
// once a minute. Once the permission is back, the boards are posted.
func TestStormInBlockedChannel(t *testing.T) {
	t.Parallel()
	const matches, minutes = 10, 5
	w := newWorld(t)
	w.mayRefuse(50013)
	for range matches {
		w.beginPair(w.anna, w.ben)
	}
	if n := w.invalid(); n != 0 {
		t.Fatalf("%d invalid requests before the permission is taken away", n)
	}
	app := w.chat.ApplicationID()
	must(t, w.chat.Deny(w.channel, app, sandbox.PermissionSendMessages))
	for _, board := range w.boards(w.anna) {
		w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "Right")))
	}
	for range minutes {
		for range 10 {
			w.answered(w.chloe.Command(w.channel, "help"))
			w.pass(6 * time.Second)
		}
		// Nothing of this is about sending messages, but the bot cannot know.
		must(t, w.chat.Deny(w.channel, app, sandbox.PermissionSendMessages|sandbox.PermissionReadHistory))
		must(t, w.chat.Deny(w.channel, app, sandbox.PermissionSendMessages))
	}
	w.pass(0)
	if n := w.invalid(); n > minutes+1 {
		t.Errorf("%d invalid requests in %d minutes", n, minutes)
	}
	if got := text(w.private(w.anna)); !strings.Contains(got, "Your move counts") || !strings.Contains(got, "Send Messages") {
		t.Errorf("the player is told: %s", got)
	}
	w.advanceClock(time.Minute)
	must(t, w.chat.Deny(w.channel, app, 0))
	w.wait("the boards", func() bool { return len(w.boards(w.anna)) == matches })
}
