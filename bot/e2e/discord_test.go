package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
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

// TestDeletedMessageWithNonce loses the answer to a post whose message is then
// deleted. Discord knows the nonce and no longer the message, so the board is
// posted under another nonce, once.
func TestDeletedMessageWithNonce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(10008)
	w.challenge()
	before := w.board().ID
	w.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultCut, After: true, Method: "POST", Route: postRoute})
	w.move(w.anna, "right")
	var lost string
	for _, m := range w.boards(w.anna) {
		if m.ID != before {
			lost = m.ID
		}
	}
	must(t, w.chat.Remove(w.channel, lost))
	heard := w.ben.Mentions(w.channel)
	w.pass(host.Backoff(0))
	w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 && w.board().ID != before })
	w.wantMentions(w.ben, 0, heard+1)
	w.click(w.ben, "Left")
}

// TestGuildWithoutBotUser uses the bot where only its commands were added: its
// owner is the server, but the bot is not a member and cannot post.
func TestGuildWithoutBotUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(all *sandbox.World) { all.Guilds[0].CommandsOnly = true })
	camp := sandbox.DefaultWorld().Channels[3].ID
	w.answered(w.anna.Command(camp, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID))))
	if got := text(w.last(w.anna, camp)); !strings.Contains(got, "I am no member of this server") || !strings.Contains(got, "[Invite me](") {
		t.Errorf("it says %q", got)
	}
	must(t, w.chat.AddBotTo(sandbox.DefaultWorld().Guilds[0].ID))
	w.wait("the bot to know", func() bool {
		w.answered(w.anna.Command(camp, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID))))
		return strings.Contains(text(w.last(w.anna, camp)), "Ben has been asked")
	})
}

// TestPersonWhoTakesNoMessages plays in direct messages with a person who then
// takes no messages any more. They are told why; the bot gives up after some
// days, and posts the board when they ask for it again.
func TestPersonWhoTakesNoMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(50007)
	direct, err := w.anna.DirectMessages()
	must(t, err)
	w.answered(w.anna.Command(direct, "challenge", sandbox.Sub("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"))))
	v := w.awaitPerson(1)
	must(t, w.anna.CloseMessages(true))
	w.answered(w.anna.Command(direct, "move", sandbox.Opt("turn", anyTurn(v))))
	if got := text(w.last(w.anna, direct)); !strings.Contains(got, "Your move counts") || !strings.Contains(got, "Discord does not let me write to you") {
		t.Errorf("it says %q", got)
	}
	w.wait("the computer's turn to end", func() bool {
		_, thinks := w.view(1).ComputerToMove()
		return !thinks
	})
	for range 30 {
		w.pass(6 * time.Hour)
		w.pass(0)
	}
	n := w.invalid()
	if n > 30 {
		t.Errorf("%d invalid requests in a week", n)
	}
	for range 20 {
		w.pass(6 * time.Hour)
		w.pass(0)
	}
	if after := w.invalid(); after != n {
		t.Errorf("%d more invalid requests, for ever", after-n)
	}
	must(t, w.anna.CloseMessages(false))
	w.advanceClock(time.Hour)
	before := len(w.anna.Messages(direct))
	w.answered(w.anna.Command(direct, "board"))
	w.wait("the board", func() bool {
		all := w.anna.Messages(direct)
		return len(all) >= before+2 && (isBoard(all[len(all)-1]) || isBoard(all[len(all)-2]))
	})
}
