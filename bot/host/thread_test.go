package host_test

import (
	"testing"

	"castellan/bot/host"
	"castellan/storage"
)

// housed is a match of Anna and Ben that is to live in a thread on the message
// "m" of its challenge.
func (w *world) housed() *host.View {
	w.t.Helper()
	ch, err := w.host.CreateChallenge(w.t.Context(), w.by(anna), host.Proposal{
		Place: here, Opponents: []storage.Person{ben}, Game: "trails", First: host.FirstMe, Thread: true,
	})
	must(w.t, err)
	must(w.t, w.host.ChallengeShown(w.t.Context(), ch.ID, "m", 0))
	_, v, err := w.host.Accept(w.t.Context(), w.by(ben), ch.ID)
	must(w.t, err)
	return v
}

// at fails unless a match and its board are in a channel, and its challenge's
// thread in a state.
func (w *world) at(v *host.View, channel string, want storage.ThreadState) {
	w.t.Helper()
	now, err := w.host.Match(w.t.Context(), v.Record.ID)
	must(w.t, err)
	_, state, err := w.host.ChallengeThread(w.t.Context(), v.Record.Challenge)
	must(w.t, err)
	if now.Record.Place.Channel != channel || now.Board.Place.Channel != channel || now.Record.Place.Guild != here.Guild || state != want {
		w.t.Errorf("at %v, its board at %v, the thread %q", now.Record.Place, now.Board.Place, state)
	}
}

func TestAMatchMovesIntoItsThreadOnce(t *testing.T) {
	w := newWorld(t)
	v := w.housed()
	w.at(v, here.Channel, storage.ThreadWanted)
	w.threadCreated(v)
	w.at(v, "m", storage.ThreadCreated)
	before := w.snapshot(v.Record.ID, v.Record.Challenge)
	if before.challenge.Revision == before.challenge.ShownRevision {
		t.Error("the challenge does not say where it is played")
	}
	w.unchanged(t, v.Record.ID, v.Record.Challenge, func() { w.threadCreated(v) })
}

func TestAMatchWithoutAThreadStays(t *testing.T) {
	for _, state := range []storage.ThreadState{storage.ThreadNone, storage.ThreadRefused} {
		w := newWorld(t)
		v := w.housed()
		w.threadFailed(v, state)
		w.at(v, here.Channel, state)
		w.unchanged(t, v.Record.ID, v.Record.Challenge, func() { w.threadCreated(v) })

		v = w.housed()
		w.threadCreated(v)
		w.threadFailed(v, state)
		w.at(v, here.Channel, state)
	}
	w := newWorld(t)
	v := w.start("trails", nil) // for which none is wanted
	w.unchanged(t, v.Record.ID, v.Record.Challenge, func() {
		w.threadCreated(v)
		w.threadFailed(v, storage.ThreadRefused)
	})
}

// The challenge shows the result of what was played in its thread.
func TestTheEndInAThreadRevisesTheChallenge(t *testing.T) {
	for _, made := range []bool{true, false} {
		w := newWorld(t)
		v := w.housed()
		if made {
			w.threadCreated(v)
		} else {
			w.threadFailed(v, storage.ThreadNone)
		}
		before := w.snapshot(0, v.Record.Challenge).challenge.Revision
		_, err := w.host.Resign(t.Context(), w.by(ben), v.Record.ID, host.AnySeq)
		must(t, err)
		if after := w.snapshot(0, v.Record.Challenge).challenge.Revision; (after > before) != made {
			t.Errorf("thread %v: revision %d, before %d", made, after, before)
		}
	}
}

func (w *world) threadCreated(v *host.View) {
	w.t.Helper()
	after, err := w.host.ThreadCreated(w.t.Context(), v)
	must(w.t, err)
	w.latest(after)
}

func (w *world) threadFailed(v *host.View, state storage.ThreadState) {
	w.t.Helper()
	after, err := w.host.ThreadFailed(w.t.Context(), v, state)
	must(w.t, err)
	w.latest(after)
}
