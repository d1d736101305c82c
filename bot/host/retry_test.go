package host_test

import (
	"errors"
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
		{blocked, 1 << 40, 6 * time.Hour},
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

// The lag is that of the oldest work whose time has come.
func TestLag(t *testing.T) {
	w := newWorld(t)
	lag := func(want time.Duration) {
		t.Helper()
		got, err := w.host.DeliveryLag(t.Context())
		if err != nil || got != want {
			t.Errorf("lag %v, %v, want %v", got, err, want)
		}
	}
	lag(0)
	ch := w.offer("trails", host.FirstMe, nil)
	lag(0)
	w.pass(7 * time.Second)
	lag(7 * time.Second)
	must(t, w.host.ChallengeShown(t.Context(), ch.ID, "m", ch.Revision))
	lag(0)
	ch, v, err := w.host.Accept(t.Context(), w.by(ben), ch.ID)
	must(t, err)
	w.pass(3 * time.Second)
	lag(3 * time.Second)
	must(t, w.host.ChallengeShown(t.Context(), ch.ID, "", ch.Revision))
	lag(3 * time.Second)
	next, err := w.host.BoardFailed(t.Context(), v.Board, host.Failure{RetryAfter: time.Hour})
	must(t, err)
	lag(0) // its time has not come
	w.pass(next.Sub(w.now()) + 2*time.Second)
	lag(2 * time.Second)
	_, err = w.host.BoardPosted(t.Context(), v, v.Board.ID, "m")
	must(t, err)
	lag(0)
}

func TestReachable(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	reach := func(p storage.Place, want bool) {
		t.Helper()
		got, err := w.host.RetryPlace(t.Context(), p)
		if err != nil || got != want {
			t.Errorf("%+v: %t, %v", p, got, err)
		}
	}
	reach(here, false) // it is due as it is
	_, err := w.host.BoardFailed(t.Context(), v.Board, host.Failure{Blocked: true})
	must(t, err)
	reach(there, false)
	reach(storage.Place{}, false)
	reach(here, true)
	reach(here, false)
	work, err := w.host.PendingWork(t.Context(), 10)
	must(t, err)
	if len(work.Boards) != 1 || work.Boards[0].Attempts != 1 {
		t.Errorf("%+v", work.Boards)
	}
}

func TestTakeOver(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	id := v.Record.ID
	w.post(id)
	v = w.act(v, "right")
	w.unchanged(t, id, v.Record.Challenge, func() {
		for _, c := range []struct {
			by   storage.Person
			id   storage.MatchID
			from storage.Place
			want error
		}{
			{chloe, id, here, host.ErrNotSeated},
			{anna, id, there, host.ErrStale},
			{anna, id + 1, here, host.ErrNoMatch},
		} {
			var refusal *host.Refusal
			_, err := w.host.MoveMatch(t.Context(), w.by(c.by), c.id, c.from, there)
			if !errors.Is(err, c.want) || !errors.As(err, &refusal) {
				t.Errorf("%v, want %v", err, c.want)
			}
		}
	})
	c := w.by(anna)
	after, err := w.host.MoveMatch(t.Context(), c, id, here, there)
	must(t, err)
	if after.Record.Place != there || after.Board.Place != there || !after.Board.Notify || after.Board.Seq != 1 || after.Repeated {
		t.Errorf("%+v with the board %+v", after.Record, after.Board)
	}
	if got := w.states(id); got != "stale0🔔 skipped1🔔 due1🔔" {
		t.Errorf("boards %s", got)
	}
	if got := w.snapshot(id, 0).log(); got != "1 action right" {
		t.Errorf("the log: %s", got)
	}
	again, err := w.host.MoveMatch(t.Context(), c, id, here, there)
	if err != nil || !again.Repeated || again.Board.ID != after.Board.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	// Turns go on there.
	if on := w.act(after, "left"); on.Board.Place != there {
		t.Errorf("the next board is at %+v", on.Board.Place)
	}
}

func TestRepostAllHasOpenChallengesPostedAnew(t *testing.T) {
	w := newWorld(t)
	open, answered := w.offer("trails", host.FirstMe, nil), w.offer("trails", host.FirstMe, nil)
	for _, ch := range []storage.Challenge{open, answered} {
		must(t, w.host.ChallengeShown(t.Context(), ch.ID, "m", ch.Revision))
	}
	answered, err := w.host.Decline(t.Context(), w.by(ben), answered.ID)
	must(t, err)
	must(t, w.host.ChallengeShown(t.Context(), answered.ID, "", answered.Revision))
	w.pass(time.Hour)
	must(t, w.host.RepostAll(t.Context()))
	work, err := w.host.PendingWork(t.Context(), 10)
	must(t, err)
	if len(work.Challenges) != 1 || work.Challenges[0].ID != open.ID || work.Challenges[0].Message != "" || !work.Challenges[0].NextAttempt.Equal(w.now()) {
		t.Errorf("%+v", work.Challenges)
	}
}
