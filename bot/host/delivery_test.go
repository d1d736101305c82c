package host_test

import (
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

func TestFailureBackoff(t *testing.T) {
	blocked := host.Failure{Blocked: true}
	for _, c := range []struct {
		failure  host.Failure
		failures int
		want     time.Duration
	}{
		{host.Failure{}, 0, 5 * time.Second},
		{host.Failure{}, 7, 10 * time.Minute},
		{blocked, -1, 5 * time.Second},
		{blocked, 0, 5 * time.Second},
		{blocked, 7, 640 * time.Second},
		{blocked, 12, 20480 * time.Second},
		{blocked, 13, 6 * time.Hour},
		{blocked, 1 << 30, 6 * time.Hour},
		{host.Failure{RetryAfter: 3 * time.Second}, 0, 5 * time.Second},
		{host.Failure{RetryAfter: time.Hour}, 0, time.Hour},
		{host.Failure{RetryAfter: time.Hour}, 20, time.Hour},
		{host.Failure{RetryAfter: 48 * time.Hour}, 0, 6 * time.Hour},
	} {
		if got := c.failure.Backoff(c.failures); got != c.want {
			t.Errorf("%+v after %d: %v, want %v", c.failure, c.failures, got, c.want)
		}
	}
}

// The lag is that of the oldest post that is due.
func TestLag(t *testing.T) {
	w := newWorld(t)
	lag := func(want time.Duration) {
		t.Helper()
		got, err := w.Host.DeliveryLag(t.Context())
		if err != nil || got != want {
			t.Errorf("lag %v, %v, want %v", got, err, want)
		}
	}
	lag(0)
	ch := w.offer("trails", host.FirstMe, nil)
	lag(0)
	w.Advance(7 * time.Second)
	lag(7 * time.Second)
	must(t, w.Host.ChallengeShown(t.Context(), storage.DeliveryLease{}, ch.ID, "m", ch.Revision))
	lag(0)
	ch, v, err := w.Host.Accept(t.Context(), w.Actor(ben), ch.ID)
	must(t, err)
	w.Advance(3 * time.Second)
	lag(3 * time.Second)
	must(t, w.Host.ChallengeShown(t.Context(), storage.DeliveryLease{}, ch.ID, "", ch.Revision))
	lag(3 * time.Second)
	next, err := w.Host.BoardFailed(t.Context(), storage.DeliveryLease{}, v.Board, host.Failure{RetryAfter: time.Hour})
	must(t, err)
	lag(0) // its time has not come
	w.Advance(next.Sub(w.Now()) + 2*time.Second)
	lag(2 * time.Second)
	_, err = w.Host.BoardPosted(t.Context(), v, v.Board.ID, "m")
	must(t, err)
	lag(0)
}

func TestRetryPlace(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	reach := func(p storage.Place, want bool) {
		t.Helper()
		got, err := w.Host.RetryPlace(t.Context(), p)
		if err != nil || got != want {
			t.Errorf("%+v: %t, %v", p, got, err)
		}
	}
	reach(here, false) // it is due as it is
	_, err := w.Host.BoardFailed(t.Context(), storage.DeliveryLease{}, v.Board, host.Failure{Blocked: true})
	must(t, err)
	reach(there, false)
	reach(storage.Place{}, false)
	reach(here, true)
	reach(here, false)
	work := w.pending()
	if len(work.Boards) != 1 || work.Boards[0].Attempts != 1 {
		t.Errorf("%+v", work.Boards)
	}
}

// withThread returns a match of Anna and Ben that wants a thread on the message
// "m" of its challenge.
func (w *world) withThread() *host.View {
	w.t.Helper()
	ch, err := w.Host.CreateChallenge(w.t.Context(), w.Actor(anna), host.Proposal{
		Place: here, Opponents: []storage.Person{ben}, Game: "trails", First: host.FirstMe, Thread: true,
	})
	must(w.t, err)
	must(w.t, w.Host.ChallengeShown(w.t.Context(), storage.DeliveryLease{}, ch.ID, "m", 0))
	return w.accept(ben, ch)
}

// checkPlace fails unless a match and its board are in a channel, and the thread
// of its challenge has a state.
func (w *world) checkPlace(v *host.View, channel string, want storage.ThreadState) {
	w.t.Helper()
	now := w.Match(v.Record.ID)
	_, state, err := w.Host.ChallengeThread(w.t.Context(), v.Record.Challenge)
	must(w.t, err)
	if now.Record.Place.Channel != channel || now.Board.Place.Channel != channel || now.Record.Place.Guild != here.Guild || state != want {
		w.t.Errorf("at %v, its board at %v, the thread %q", now.Record.Place, now.Board.Place, state)
	}
}

func TestThreadCreated(t *testing.T) {
	w := newWorld(t)
	v := w.withThread()
	w.checkPlace(v, here.Channel, storage.ThreadWanted)
	w.threadCreated(v)
	w.checkPlace(v, "m", storage.ThreadCreated)
	before := w.snapshot(v.Record.ID, v.Record.Challenge)
	if before.challenge.Revision == before.challenge.ShownRevision {
		t.Error("the challenge does not say where it is played")
	}
	w.unchanged(t, v.Record.ID, v.Record.Challenge, func() { w.threadCreated(v) })
}

func TestThreadFailed(t *testing.T) {
	for _, state := range []storage.ThreadState{storage.ThreadNone, storage.ThreadRefused} {
		w := newWorld(t)
		v := w.withThread()
		w.threadFailed(v, state)
		w.checkPlace(v, here.Channel, state)
		w.unchanged(t, v.Record.ID, v.Record.Challenge, func() { w.threadCreated(v) })

		v = w.withThread()
		w.threadCreated(v)
		w.threadFailed(v, state)
		w.checkPlace(v, here.Channel, state)
	}
	w := newWorld(t)
	v := w.start("trails", nil) // for which none is wanted
	w.unchanged(t, v.Record.ID, v.Record.Challenge, func() {
		w.threadCreated(v)
		w.threadFailed(v, storage.ThreadRefused)
	})
}

// The message of the challenge shows the result of a match in a thread.
func TestEndInThreadRevisesChallenge(t *testing.T) {
	for _, made := range []bool{true, false} {
		w := newWorld(t)
		v := w.withThread()
		if made {
			w.threadCreated(v)
		} else {
			w.threadFailed(v, storage.ThreadNone)
		}
		before := w.snapshot(0, v.Record.Challenge).challenge.Revision
		w.resign(ben, v)
		if after := w.snapshot(0, v.Record.Challenge).challenge.Revision; (after > before) != made {
			t.Errorf("thread %v: revision %d, before %d", made, after, before)
		}
	}
}

func (w *world) threadCreated(v *host.View) {
	w.t.Helper()
	after, err := w.Host.ThreadCreated(w.t.Context(), v)
	must(w.t, err)
	w.latest(after)
}

func (w *world) threadFailed(v *host.View, state storage.ThreadState) {
	w.t.Helper()
	after, err := w.Host.ThreadFailed(w.t.Context(), v, state)
	must(w.t, err)
	w.latest(after)
}

func TestBackoff(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		-1: 5 * time.Second, 0: 5 * time.Second, 1: 10 * time.Second, 2: 20 * time.Second, 3: 40 * time.Second,
		4: 80 * time.Second, 5: 160 * time.Second, 6: 320 * time.Second, 7: 10 * time.Minute, 8: 10 * time.Minute,
		63: 10 * time.Minute, 1 << 30: 10 * time.Minute,
	} {
		if got := host.Backoff(failures); got != want {
			t.Errorf("after %d failures %v, want %v", failures, got, want)
		}
	}
}

// Pending posts wait longer after every failure, and are due again at once when
// something changes.
func TestPendingWorkBacksOff(t *testing.T) {
	w := newWorld(t)
	ch := w.offer("trails", host.FirstMe, nil)
	must(t, w.Host.ChallengeShown(t.Context(), storage.DeliveryLease{}, ch.ID, "m", ch.Revision))
	ch, v, err := w.Host.Accept(t.Context(), w.Actor(ben), ch.ID)
	must(t, err)
	work := func() (boards, challenges int) {
		t.Helper()
		all := w.pending()
		return len(all.Boards), len(all.Challenges)
	}
	for tries := range 10 {
		if b, c := work(); b != 1 || c != 1 {
			t.Fatalf("try %d: %d boards and %d challenges", tries, b, c)
		}
		all := w.pending()
		if all.Boards[0].Attempts != tries || all.Challenges[0].Attempts != tries {
			t.Fatalf("%+v after %d", all, tries)
		}
		next, err := w.Host.BoardFailed(t.Context(), storage.DeliveryLease{}, all.Boards[0], host.Failure{})
		must(t, err)
		nextChallenge, err := w.Host.ChallengeFailed(t.Context(), storage.DeliveryLease{}, all.Challenges[0], host.Failure{})
		must(t, err)
		if want := w.Now().Add(host.Backoff(tries)); next != want || nextChallenge != want {
			t.Fatalf("try %d: next %v and %v, want %v", tries, next, nextChallenge, want)
		}
		w.Advance(host.Backoff(tries) - time.Nanosecond)
		if b, c := work(); b != 0 || c != 0 {
			t.Fatalf("try %d came too early: %d boards and %d challenges", tries, b, c)
		}
		w.Advance(time.Nanosecond)
	}
	_, err = w.Host.BoardPosted(t.Context(), v, v.Board.ID, "board")
	must(t, err)
	must(t, w.Host.ChallengeShown(t.Context(), storage.DeliveryLease{}, ch.ID, "", ch.Revision))
	if b, c := work(); b != 0 || c != 0 {
		t.Errorf("all is shown: %d boards and %d challenges", b, c)
	}
	if got, err := w.Host.FindChallenge(t.Context(), ch.ID); err != nil || got.Message != "m" || got.Attempts != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	w.act(v, "right")
	all := w.pending()
	if len(all.Boards) != 2 || all.Boards[0].State != storage.BoardSuperseded || all.Boards[1].State != storage.BoardDue {
		t.Errorf("after a turn: %+v", all.Boards)
	}
	if all, err := w.Host.PendingWork(t.Context(), 1); err != nil || len(all.Boards) != 1 {
		t.Errorf("at most one: %+v, %v", all.Boards, err)
	}
}

func TestPruneInteractions(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	actor := w.Actor(anna)
	_, err := w.Host.Act(t.Context(), actor, v.Record.ID, host.AnySeq, "right")
	must(t, err)
	w.Advance(host.InteractionRetention)
	young := w.Actor(ben)
	_, err = w.Host.Act(t.Context(), young, v.Record.ID, host.AnySeq, "left")
	must(t, err)
	if n, err := w.Host.PruneInteractions(t.Context()); err != nil || n != 0 {
		t.Errorf("%d notes forgotten at the age of %v, %v", n, host.InteractionRetention, err)
	}
	w.Advance(time.Second)
	// The challenge, its answer and the first turn.
	if n, err := w.Host.PruneInteractions(t.Context()); err != nil || n != 3 {
		t.Errorf("%d notes forgotten, %v", n, err)
	}
	if again, err := w.Host.Act(t.Context(), young, v.Record.ID, host.AnySeq, "left"); err != nil || !again.Repeated {
		t.Errorf("a young one: %v", err)
	}
	if host.InteractionRetention <= 15*time.Minute {
		t.Error("Discord can deliver for fifteen minutes")
	}
}
