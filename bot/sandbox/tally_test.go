package sandbox_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

func TestTheTallyCountsWhatHappened(t *testing.T) {
	r := newRig(t)
	waiting, answered, thinking, done, failed := r.play(), r.play(), r.play(), r.play(), r.play()
	r.post(answered.callback(), content("x")).ok(http.StatusNoContent)
	r.post(thinking.callback(), body{"type": 5, "data": body{"flags": 64}}).ok(http.StatusNoContent)
	r.post(done.callback(), body{"type": 5}).ok(http.StatusNoContent)
	r.patch(r.webhook(done)+"/messages/@original", body{"content": "x"}).ok(http.StatusOK)
	r.clock.advance(2 * time.Second)
	last := r.play()
	r.clock.advance(time.Second)
	if want := map[string]int{sandbox.StateWaiting: 1, sandbox.StateAnswered: 2, sandbox.StateDeferred: 1, sandbox.StateFailed: 2}; !maps.Equal(r.box.Tally().Interactions, want) {
		t.Errorf("interactions %v, want %v", r.box.Tally().Interactions, want)
	}
	ids := func(list []sandbox.Interaction) (out []string) {
		for _, i := range list {
			out = append(out, i.ID)
		}
		return out
	}
	if got := ids(r.box.Interactions(sandbox.StateFailed)); !slices.Equal(got, []string{waiting.id, failed.id}) {
		t.Errorf("failed: %v", got)
	}
	if got := ids(r.box.Interactions(sandbox.StateWaiting, sandbox.StateDeferred)); !slices.Equal(got, []string{thinking.id, last.id}) {
		t.Errorf("unfinished: %v", got)
	}
	if n := len(r.box.Interactions()); n != 6 {
		t.Errorf("%d interactions", n)
	}

	mention := body{"content": "<@" + ben + ">, your turn"}
	id := r.say(mention)
	r.say(mention)
	r.post("/channels/"+hall+"/messages", mention).ok(http.StatusOK)
	r.patch(r.channel()+"/"+id, body{"content": "<@" + anna + ">"}).ok(http.StatusOK) // notifies nobody
	if err := r.box.Remove(yard, id); err != nil {
		t.Fatal(err)
	}
	r.post("/channels/"+hall+"/messages", body{}).fails(http.StatusBadRequest, 50006)
	r.get("/nowhere").fails(http.StatusNotFound, 0)
	got := r.box.Tally()
	if want := map[string]int{yard: 3, hall: 1}; !maps.Equal(got.Messages, want) { // two answers and a mention: the deferral is private
		t.Errorf("messages %v, want %v", got.Messages, want)
	}
	if len(got.Notifications) != 1 || !maps.Equal(got.Notifications[ben], map[string]int{yard: 2, hall: 1}) {
		t.Errorf("notifications %v", got.Notifications)
	}
	if all := r.box.Notifications(); len(all) != 3 || all[0] != (sandbox.Notification{UserID: ben, ChannelID: yard, MessageID: id}) {
		t.Errorf("notifications %v", all)
	}
	for want, n := range map[sandbox.Request]int{
		{Method: "POST", Route: posting, Status: 200}: 3, {Method: "POST", Route: posting, Status: 400}: 1,
		{Method: "PATCH", Route: posting + "/{message_id}", Status: 200}: 1, {Method: "GET", Route: "", Status: 404}: 1,
		{Method: "POST", Route: "/interactions/{interaction_id}/{interaction_token}/callback", Status: 204}: 3,
	} {
		if got.Requests[want] != n {
			t.Errorf("%v: %d, want %d", want, got.Requests[want], n)
		}
	}
	// A snapshot stays what it was.
	r.say(mention)
	if got.Messages[yard] != 3 || got.Notifications[ben][yard] != 2 {
		t.Error("the tally is not a snapshot")
	}
}

func TestAThinkingMessageThatIsDeletedThinksNoMore(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post(in.callback(), body{"type": 5}).ok(http.StatusNoContent)
	r.state(in, sandbox.StateDeferred)
	i, _ := r.box.Interaction(in.id)
	if err := r.box.Remove(yard, i.MessageID); err != nil {
		t.Fatal(err)
	}
	r.state(in, sandbox.StateAnswered)
}
