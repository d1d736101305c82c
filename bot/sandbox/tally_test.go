package sandbox_test

import (
	"castellan/bot/sandbox"
	"net/http"
	"slices"
	"testing"
	"time"
)

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
