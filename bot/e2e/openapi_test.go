package e2e_test

import (
	"strings"
	"testing"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/faults"
)

// TestOpenAPI makes the bot send every kind of request. All bodies and responses are
// checked against Discord's description, as in every other test.
func TestOpenAPI(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.suggestTurn("")
	w.click(w.anna, "trails.step.right") // callback 7 and a post with a picture
	w.move(w.ben, "left")                // callback 4 and an edit without

	open := w.gate("POST", postRoute)
	id := w.begin(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
	w.deferReply() // callback 5, then an edit of the original
	w.awaitState(id, sandbox.StateDeferred)
	open()
	w.awaitState(id, sandbox.StateAnswered)

	open = w.gate("POST", postRoute)
	m := w.board()
	w.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "POST", Route: postRoute, Status: 500, Message: internal})
	id = w.begin(w.ben.Click(w.channel, m.ID, w.press(m, "trails.step.up")))
	w.deferReply() // callback 6, then a private follow-up, because the post fails
	w.wait("the acknowledgement", func() bool { return len(w.callbacks(id)) == 1 })
	open()
	w.wait("the follow-up", func() bool { return strings.Contains(bottest.Text(w.private(w.ben)), fragment("move.kept")) })

	// A match in a thread, which is archived before the next post.
	offer := w.offerThread()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "challenge.accept")))
	back := w.inThread(offer.ID)
	w.asBot("PATCH", "/channels/"+offer.ID, `{"archived":true}`)
	w.move(w.anna, "right")
	w.asBot("PATCH", "/channels/"+offer.ID, `{"archived":true}`)
	w.move(w.ben, "left")
	back()

	// If the answers to the post of a board are lost, the bot searches the channel.
	w.chat.MustPlan(faults.Fault{Kind: faults.Cut, Method: "POST", Route: postRoute, After: true, Count: 3})
	w.moveIn(1, anyTurn(w.view(1)))
	for tries := range 4 {
		w.pass(host.Backoff(tries))
	}
	w.stopBot()

	callback := "POST /interactions/{interaction_id}/{interaction_token}/callback type "
	for _, key := range []string{
		"GET /applications/{application_id}/commands",
		"PUT /applications/{application_id}/commands",
		"GET /gateway/bot",
		callback + "4", callback + "5", callback + "6", callback + "7", callback + "8",
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original",
		"POST /webhooks/{webhook_id}/{webhook_token}",
		"POST /channels/{channel_id}/messages",
		"PATCH /channels/{channel_id}/messages/{message_id}",
		"POST /channels/{channel_id}/messages/{message_id}/threads",
		"PATCH /channels/{channel_id}",
		"GET /channels/{channel_id}/messages",
		"GET /users/@me",
	} {
		if w.checker.Count(key) == 0 {
			t.Errorf("no request of this kind was made: %s", key)
		}
	}
}
