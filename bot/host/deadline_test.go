package host_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine/match"
	"castellan/storage"
)

// claimable returns a match in which both have moved and Anna is overdue.
func (w *world) claimable() *host.View {
	w.t.Helper()
	v := w.act(w.act(w.start("trails", nil), "right"), "left")
	w.Advance(host.ClaimAfter)
	return v
}

func TestClaimWinsAgainstOnePlayer(t *testing.T) {
	w := newWorld(t)
	w.Advance(300 * time.Millisecond)
	v := w.act(w.act(w.start("trails", nil), "right"), "left")
	if want := w.Now().Add(host.ClaimAfter).Truncate(time.Second); !v.ClaimableAt().Equal(want) || !v.Record.CheckAt.Equal(want.Add(host.LeaveGrace-host.ClaimAfter)) {
		t.Fatalf("it can be claimed from %s, on record is %s; want %s", v.ClaimableAt(), v.Record.CheckAt, want)
	}
	// The time is exact to the second.
	w.Advance(v.ClaimableAt().Sub(w.Now()) - time.Nanosecond)
	w.unchanged(t, v.Record.ID, 1, func() {
		_, err := w.Host.Claim(t.Context(), w.Actor(ben), v.Record.ID, host.AnySeq)
		var early *host.EarlyError
		if !errors.As(err, &early) || !early.At.Equal(v.ClaimableAt()) {
			t.Errorf("too early: %v", err)
		}
	})
	w.Advance(time.Nanosecond)
	actor := w.Actor(ben)
	v, err := w.Host.Claim(t.Context(), actor, v.Record.ID, v.Match.PublicSeq())
	must(t, err)
	out, over := v.Match.Over()
	if !over || out.Ending != match.ByClaim || out.By != 2 || out.TimedOut != 1 || v.Record.Ending != "claim" || !v.Record.CheckAt.IsZero() {
		t.Errorf("the outcome is %+v, on record %+v", out, v.Record)
	}
	if got := w.snapshot(v.Record.ID, 1).log(); got != "1 action right, 2 action left, 2 claim" {
		t.Errorf("the log is %s", got)
	}
	if v.Board.State != storage.BoardDue || !v.Board.Notify {
		t.Errorf("the board is %+v", v.Board)
	}
	w.unchanged(t, v.Record.ID, 1, func() {
		again, err := w.Host.Claim(t.Context(), actor, v.Record.ID, 2)
		if err != nil || !again.Repeated {
			t.Errorf("a second delivery: %v", err)
		}
	})
	_, err = w.Host.Claim(t.Context(), w.Actor(ben), v.Record.ID, host.AnySeq)
	refused(t, err, match.ErrOver)
}

// A move that arrives before a claim wins: a button has an old sequence number,
// and for a command the time starts again.
func TestMoveBeforeClaim(t *testing.T) {
	w := newWorld(t)
	v := w.claimable()
	seen := v.Match.PublicSeq()
	after := w.act(v, "right")
	if !after.ClaimableAt().Equal(w.Now().Add(host.ClaimAfter)) {
		t.Errorf("the deadline is %s", after.ClaimableAt())
	}
	_, err := w.Host.Claim(t.Context(), w.Actor(ben), v.Record.ID, seen)
	refused(t, err, host.ErrStale)
	_, err = w.Host.Claim(t.Context(), w.Actor(ben), v.Record.ID, host.AnySeq)
	refused(t, err, match.ErrOwnTurn)
	var early *host.EarlyError
	if _, err = w.Host.Claim(t.Context(), w.Actor(anna), v.Record.ID, host.AnySeq); !errors.As(err, &early) {
		t.Errorf("Anna claims what she has just moved in: %v", err)
	}
}

func (w *world) remind(id storage.MatchID) (direct *host.View) {
	w.t.Helper()
	direct, err := w.Host.ProcessDeadline(w.t.Context(), id)
	must(w.t, err)
	return direct
}

// A reminder is one board per turn that notifies the player to move.
func TestRemindOncePerTurn(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	id := v.Record.ID
	w.post(id)
	due := func(want int) {
		t.Helper()
		o := w.overdue()
		if len(o.Matches) != want {
			t.Fatalf("overdue: %v, want %d", o.Matches, want)
		}
		for _, m := range o.Matches {
			w.remind(m)
		}
	}
	w.Advance(host.LeaveGrace)
	due(1) // whether Anna has left
	w.Advance(host.ClaimAfter - host.LeaveGrace - time.Nanosecond)
	due(0)
	w.unchanged(t, id, 1, func() { w.remind(id) })
	w.Advance(time.Nanosecond)
	due(1)
	if got := w.states(id); got != "superseded0🔔 due0🔔" {
		t.Errorf("the boards are %s", got)
	}
	for range 3 {
		w.Advance(host.ClaimAfter)
		due(0)
	}
	w.post(id)
	w.act(v, "right")
	due(0)
	w.Advance(host.ClaimAfter)
	due(1)
	if got := w.states(id); got != "superseded0🔔 superseded0🔔 skipped1🔔 due1🔔" {
		t.Errorf("the boards are %s", got)
	}
	// A late turn that is taken back is the same turn again.
	w.act(w.Match(id), "left")
	v, err := w.Host.Undo(t.Context(), w.Actor(ben), id, host.AnySeq)
	if must(t, err); !v.Claimable() {
		t.Errorf("it can be claimed at %s", v.ClaimableAt())
	}
	due(0)
}

// Of two processes that have read the same list of overdue matches, only one reminds.
func TestTwoProcessesRemindOnce(t *testing.T) {
	for _, clock := range []string{"", "1d"} {
		w := newWorld(t)
		v := w.act(w.act(w.timed(clock), "right"), "left")
		id := v.Record.ID
		w.post(id)
		at := v.Record.CheckAt
		if clock == "" {
			at = v.ClaimableAt()
		}
		w.Advance(at.Sub(w.Now()))
		w.update(func(tx storage.Tx) error { return tx.RecordContact(w.Now()) })
		w.remind(id)
		w.post(id) // before the second process comes to the match
		w.unchanged(t, id, 1, func() { w.remind(id) })
		if got := w.states(id); !strings.HasSuffix(got, " superseded2🔔 posted2🔔") {
			t.Errorf("clock %q: the boards are %s", clock, got)
		}
	}
}

// ProcessDeadline corrects a wrong deadline, and removes that of a broken match, which
// would be overdue for ever.
func TestWrongDeadline(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	w.update(func(tx storage.Tx) error { return tx.SetCheckAt(v.Record.ID, w.Now()) })
	w.remind(v.Record.ID)
	if got := w.snapshot(v.Record.ID, 1); !got.match.CheckAt.Equal(v.Record.CheckAt) || len(got.boards) != 1 {
		t.Errorf("the deadline is %s, the boards %v", got.match.CheckAt, got.boards)
	}
	var broken storage.MatchID
	w.update(func(tx storage.Tx) (err error) {
		broken, err = tx.InsertMatch(storage.Match{Game: "chess", Seats: []storage.Person{anna, ben}, CreatedAt: w.Now(), CheckAt: w.Now()})
		return err
	})
	w.remind(broken)
	if o, err := w.Host.Overdue(t.Context(), 10); err != nil || len(o.Matches) != 0 {
		t.Errorf("overdue: %v (%v)", o.Matches, err)
	}
}

// A challenge expires to the second, whether or not Expire has recorded it.
func TestChallengeExpiry(t *testing.T) {
	for _, does := range []string{"Ben accepts", "Ben joins", "Ben declines", "Anna cancels", "Anna leaves"} {
		t.Run(does, func(t *testing.T) {
			answer := func(w *world, ch storage.Challenge) error { _, err := w.does(does, ch.ID); return err }
			w := newWorld(t)
			w.Advance(700 * time.Millisecond)
			ch := w.offer("trails", "", nil)
			if want := w.Now().Add(host.ChallengeLifetime).Truncate(time.Second); !ch.ExpiresAt.Equal(want) {
				t.Fatalf("it expires at %s, want %s", ch.ExpiresAt, want)
			}
			w.Advance(ch.ExpiresAt.Sub(w.Now()))
			w.unchanged(t, 1, ch.ID, func() {
				r := refused(t, answer(w, ch), host.ErrExpired)
				if r.Challenge == nil || r.Challenge.ID != ch.ID {
					t.Errorf("the refusal is about %+v", r.Challenge)
				}
			})
			must(t, w.Host.Expire(t.Context(), ch.ID))
			w.unchanged(t, 1, ch.ID, func() { refused(t, answer(w, ch), host.ErrExpired) })

			other := w.offer("trails", "", nil)
			w.Advance(other.ExpiresAt.Sub(w.Now()) - time.Nanosecond)
			must(t, answer(w, other))
		})
	}
}

// Expire is idempotent, revises the message once, and does nothing too early.
func TestExpire(t *testing.T) {
	w := newWorld(t)
	ch := w.offer("trails", "", nil)
	must(t, w.Host.ChallengeShown(t.Context(), storage.DeliveryLease{}, ch.ID, "m", ch.Revision))
	due := func() []storage.ChallengeID {
		o := w.overdue()
		return o.Challenges
	}
	w.Advance(host.ChallengeLifetime - time.Nanosecond)
	w.unchanged(t, 1, ch.ID, func() { must(t, w.Host.Expire(t.Context(), ch.ID)) })
	if got := due(); len(got) != 0 {
		t.Errorf("due before its time: %v", got)
	}
	w.Advance(time.Hour)
	if got := due(); len(got) != 1 || got[0] != ch.ID {
		t.Fatalf("due: %v", got)
	}
	must(t, w.Host.Expire(t.Context(), ch.ID))
	after, err := w.Host.FindChallenge(t.Context(), ch.ID)
	must(t, err)
	if after.State != storage.ChallengeExpired || !after.ResolvedAt.Equal(ch.ExpiresAt) || after.Revision != ch.Revision+1 {
		t.Errorf("it is %+v", after)
	}
	work := w.pending()
	if len(work.Challenges) != 1 || len(due()) != 0 {
		t.Errorf("to be shown: %v, due: %v", work.Challenges, due())
	}
	w.unchanged(t, 1, ch.ID, func() { must(t, w.Host.Expire(t.Context(), ch.ID)) })
	refused(t, w.Host.Expire(t.Context(), 99), host.ErrNoChallenge)
}

// A claim before both have moved aborts the match.
func TestEarlyClaimAborts(t *testing.T) {
	for _, turns := range [][]string{nil, {"right"}} {
		w := newWorld(t)
		v := w.start("trails", nil)
		for _, turn := range turns {
			v = w.act(v, turn)
		}
		w.Advance(host.ClaimAfter)
		waits := []storage.Person{ben, anna}[len(turns)]
		after := w.claim(waits, v)
		if out, _ := after.Match.Over(); out.Ending != match.ByAbort || len(out.Result.Winners) != 0 {
			t.Errorf("after %d turns: %+v", len(turns), out)
		}
	}
}

// A match in which nobody plays ends after 60 days without a result, after one
// reminder.
func TestUnplayedMatchEnds(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.act(w.start("trails", nil), "right"), "left")
	id, end := v.Record.ID, w.Now().Add(host.ExpireAfter)
	w.post(id)
	reminders := 0
	for w.Now().Before(end) {
		w.unended(t, id)
		w.Advance(12 * time.Hour)
		w.tick()
		if b := w.Match(id).Board; b.State == storage.BoardDue && b.Notify {
			reminders++
			w.post(id)
		}
	}
	v = w.Match(id)
	out, over := v.Match.Over()
	if !over || out.Ending != match.ByAbort || out.TimedOut != 1 || len(v.RatingChanges) > 0 || reminders != 2 {
		t.Errorf("after %d notifications the outcome is %+v", reminders, out)
	}
	if got := w.snapshot(id, 1).log(); got != "1 action right, 2 action left, 1 abort unplayed" {
		t.Errorf("the log is %s", got)
	}
}

func (w *world) unended(t *testing.T, id storage.MatchID) {
	t.Helper()
	if out, over := w.Match(id).Match.Over(); over {
		t.Fatalf("it has ended: %+v", out)
	}
}

// A clock stands still while its player cannot be reached: from the beginning of their
// turn if they were not notified. That ends after 60 days, too.
func TestUnreachable(t *testing.T) {
	for name, notified := range map[string]bool{"after the notification": true, "before it": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			v := w.act(w.act(w.timed("1h"), "right"), "left")
			id := v.Record.ID
			if notified {
				w.post(id)
			}
			w.run(10 * time.Minute)
			must(t, w.Host.Unreachable(t.Context(), id, true))
			w.run(2 * time.Hour)
			w.unended(t, id)
			w.post(id)
			want := time.Hour
			if notified {
				want -= 10 * time.Minute
			}
			if left := w.Match(id).TimeoutAt().Sub(w.Now()); left.Round(time.Minute) != want {
				t.Errorf("%v are left, want %v", left, want)
			}
			w.run(want - time.Minute)
			w.unended(t, id)
			must(t, w.Host.Unreachable(t.Context(), id, true))
			w.Advance(host.ExpireAfter)
			w.tick()
			if got := w.snapshot(id, 1).log(); got != "1 action right, 2 action left, 1 abort unplayed" {
				t.Errorf("the log is %s", got)
			}
		})
	}
}

// Who has left the guild can be replaced after a day; the others are told at once, and
// again when they can claim the match. Who comes back has the usual time.
func TestDeparture(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.act(w.start("trails", nil), "right"), "left")
	id := v.Record.ID
	w.post(id)
	note := func(member, want bool) {
		t.Helper()
		news, err := w.Host.NoteMember(t.Context(), here.Guild, anna.ID, member)
		if must(t, err); news != want {
			t.Errorf("it is news: %t", news)
		}
	}
	w.Advance(30 * time.Hour)
	note(false, true)
	note(false, false)
	v = w.Match(id)
	if want := w.Now().Add(host.LeaveGrace); !v.ClaimableAt().Equal(want) || v.Board.State != storage.BoardDue || !v.Board.Notify {
		t.Errorf("it can be claimed at %v, want %v; the board is %+v", v.ClaimableAt(), want, v.Board)
	}
	w.post(id)
	note(true, true)
	if v = w.Match(id); !v.ClaimableAt().Equal(v.Since().Add(host.ClaimAfter)) || v.Board.Notify {
		t.Errorf("after Anna's return it can be claimed at %v", v.ClaimableAt())
	}
	note(false, true)
	w.post(id)
	w.Advance(host.LeaveGrace)
	w.tick()
	if v = w.Match(id); v.Board.State != storage.BoardDue || !v.Board.Notify {
		t.Errorf("the board is %+v", v.Board)
	}
	v, err := w.Host.Claim(t.Context(), w.Actor(ben), id, host.AnySeq)
	must(t, err)
	if out, _ := v.Match.Over(); out.Ending != match.ByClaim {
		t.Errorf("the outcome is %+v", out)
	}
}
