package sandbox_test

import (
	"castellan/bot/sandbox"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"
)

func TestTally(t *testing.T) {
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
	check(t, r.box.Remove(yard, id))
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

func TestRemoveDeferral(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post(in.callback(), body{"type": 5}).ok(http.StatusNoContent)
	r.state(in, sandbox.StateDeferred)
	i, _ := r.box.Interaction(in.id)
	check(t, r.box.Remove(yard, i.MessageID))
	r.state(in, sandbox.StateAnswered)
}

func newRigKeeping(t *testing.T, n int) *rig {
	t.Helper()
	r := bareRig(t, sandbox.Options{Keep: n})
	r.gw = r.identify(1 << 0)
	return r
}

// TestKeepMessages: messages are bounded, and removed ones still count.
func TestKeepMessages(t *testing.T) {
	const keep = 20
	r := newRigKeeping(t, keep)
	first := r.say(body{"content": "first"})
	var last string
	for range 3 * keep {
		last = r.say(body{"content": "<@" + ben + ">"})
	}
	elsewhere := r.box.As(ben).Messages(hall)
	all := r.box.As(ben).Messages(yard)
	if len(all) > keep || len(all) < keep/2 || all[len(all)-1].ID != last || len(elsewhere) != 0 {
		t.Errorf("%d messages are kept, the last %s, want %s", len(all), all[len(all)-1].ID, last)
	}
	r.patch(r.channel()+"/"+first, body{"content": "x"}).fails(http.StatusNotFound, 10008)
	if got := r.box.Tally(); got.Messages[yard] != len(all) || got.Notifications[ben][yard] != 3*keep || r.box.As(ben).Mentions(yard) != 3*keep {
		t.Errorf("the tally: %+v", got)
	}
	if n := len(r.box.Notifications()); n > 2*keep*len(sandbox.DefaultWorld().Channels) {
		t.Errorf("%d notifications are kept", n)
	}
}

// TestKeepInteractions: answered and failed interactions are bounded, waiting
// ones are not, and all are counted.
func TestKeepInteractions(t *testing.T) {
	r := newRigKeeping(t, 20)
	const many = 4096
	for range many {
		r.play()
	}
	if n := len(r.box.Interactions()); n != many {
		t.Errorf("%d interactions of %d that wait", n, many)
	}
	r.clock.advance(3 * time.Second)
	waiting := r.play()
	if n := len(r.box.Interactions()); n > many {
		t.Errorf("%d interactions are kept", n)
	}
	if got := r.box.Tally().Interactions; got[sandbox.StateFailed] != many || got[sandbox.StateWaiting] != 1 {
		t.Errorf("the tally: %v", got)
	}
	if !slices.ContainsFunc(r.box.Interactions(), func(i sandbox.Interaction) bool { return i.ID == waiting.id }) {
		t.Error("one that waits is gone")
	}
}
