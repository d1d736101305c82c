package e2e_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"castellan/bot/host"
	"castellan/bot/internal/oracle"
	"castellan/bot/sandbox"
)

// TestOpenAPI makes the bot send every kind of request. As in the other tests, all
// bodies and responses are checked against the facts of Discord's API.
func TestOpenAPI(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	o := oracle.New()
	w := newWorld(t)
	w.mu.Lock()
	w.oracle = o
	w.mu.Unlock()
	w.stopBot()
	w.overwriteCommands("[]")
	w.startBot() // registers the commands once more, for this oracle to see

	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	offer := w.offer()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Decline")))
	offer = w.offer()
	w.answered(w.anna.Click(w.channel, offer.ID, w.press(offer, "Cancel")))
	w.challenge()
	_, err := w.anna.Autocomplete(ctx, w.channel, "move", sandbox.Focused("turn", ""))
	must(t, err)
	_, err = w.anna.Autocomplete(ctx, w.channel, "resign", sandbox.Focused("match", ""))
	must(t, err)
	w.click(w.anna, "Right") // callback 7 and a post with a picture
	w.move(w.ben, "left")    // callback 4 and an edit without
	w.move(w.anna, "nowhere")
	w.answered(w.chloe.Command(w.channel, "board"))
	w.answered(w.anna.Command(w.channel, "board", sandbox.Opt("text", true)))

	w.answered(w.chloe.Command(w.channel, "rules")) // callbacks 4 and 7 with a picture
	page := w.private(w.chloe)
	w.answered(w.chloe.Click(w.channel, page.ID, w.press(page, "Next")))

	open := w.gate("POST", postRoute)
	id := w.begin(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
	w.deferReply() // callback 5, then an edit of the original
	w.awaitState(id, sandbox.StateDeferred)
	open()
	w.awaitState(id, sandbox.StateAnswered)

	open = w.gate("POST", postRoute)
	m := w.board()
	w.chat.FailNext("POST", postRoute, 500, 0, internal)
	id = w.begin(w.ben.Click(w.channel, m.ID, w.press(m, "Up")))
	w.deferReply() // callback 6, then a private follow-up, because the post fails
	w.wait("the acknowledgement", func() bool { return len(w.callbacks(id)) == 1 })
	open()
	w.wait("the follow-up", func() bool { return text(w.private(w.ben)) != "" })

	w.resigns(w.anna, "Resign")
	// Every game is played once by its panel; then boards and rules are read.
	r := rand.New(rand.NewPCG(1, 1))
	for _, g := range allGames() {
		match := w.startQuick(g.game.Key())
		if g.game.Direct() == nil {
			p := w.player(match)
			panel := w.openPanel(p, match)
			for _, a := range chooseTurn(r, w.view(match).Match.Position()) {
				panel = w.pickAction(p, match, panel, a)
			}
		}
		w.answered(w.player(match).Command(w.channel, "move", sandbox.Opt("match", int(match)),
			sandbox.Opt("turn", writeTurn(chooseTurn(r, w.view(match).Match.Position())))))
	}
	w.answered(w.anna.Command(w.channel, "preferences"))

	// Ratings, lists, help, a rematch and a claim.
	for _, command := range []string{"leaderboard", "profile", "games", "help", "rematch"} {
		w.answered(w.anna.Command(w.channel, command))
	}
	w.answered(w.ben.Command(w.channel, "claim"))

	// A match in a thread, which is archived before the next post.
	offer = w.offerThread()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	back := w.inThread(offer.ID)
	w.asBot("PATCH", "/channels/"+offer.ID, `{"archived":true}`)
	w.move(w.anna, "right")
	w.asBot("PATCH", "/channels/"+offer.ID, `{"archived":true}`)
	w.move(w.ben, "left")
	back()

	// If the answers to the post of a board are lost, the bot searches the channel.
	match := w.startQuick("trails")
	w.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultCut, Method: "POST", Route: postRoute, After: true, Count: 3})
	w.answered(w.player(match).Command(w.channel, "move", sandbox.Opt("match", int(match)),
		sandbox.Opt("turn", writeTurn(chooseTurn(r, w.view(match).Match.Position())))))
	for tries := range 4 {
		w.pass(host.Backoff(tries))
	}
	w.stopBot()

	callback := "POST /interactions/{interaction_id}/{interaction_token}/callback type "
	o.Require(t,
		"GET /applications/{application_id}/commands",
		"PUT /applications/{application_id}/commands",
		"GET /gateway/bot",
		callback+"4", callback+"5", callback+"6", callback+"7", callback+"8",
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original",
		"POST /webhooks/{webhook_id}/{webhook_token}",
		"POST /channels/{channel_id}/messages",
		"PATCH /channels/{channel_id}/messages/{message_id}",
		"POST /channels/{channel_id}/messages/{message_id}/threads",
		"PATCH /channels/{channel_id}",
		"GET /channels/{channel_id}/messages",
		"GET /users/@me",
	)
}
