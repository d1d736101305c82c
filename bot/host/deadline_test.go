package host_test

import (
	"errors"
	"sync/atomic"
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
	w.pass(host.ClaimAfter)
	return v
}

func TestClaimWinsAgainstOnePlayer(t *testing.T) {
	w := newWorld(t)
	w.pass(300 * time.Millisecond)
	v := w.act(w.act(w.start("trails", nil), "right"), "left")
	if want := w.clock.Add(host.ClaimAfter).Truncate(time.Second); !v.ClaimableAt().Equal(want) || !v.Record.Deadline.Equal(want) {
		t.Fatalf("it can be claimed from %s, on record is %s; want %s", v.ClaimableAt(), v.Record.Deadline, want)
	}
	// The time is exact to the second.
	w.pass(v.ClaimableAt().Sub(w.clock) - time.Nanosecond)
	w.unchanged(t, v.Record.ID, 1, func() {
		_, err := w.host.Claim(t.Context(), w.by(ben), v.Record.ID, host.AnySeq)
		var early *host.EarlyError
		if !errors.As(err, &early) || !early.At.Equal(v.ClaimableAt()) {
			t.Errorf("too early: %v", err)
		}
	})
	w.pass(time.Nanosecond)
	actor := w.by(ben)
	v, err := w.host.Claim(t.Context(), actor, v.Record.ID, v.Match.PublicSeq())
	must(t, err)
	out, over := v.Match.Over()
	if !over || out.Ending != match.ByClaim || out.By != 2 || out.TimedOut != 1 || v.Record.Ending != "claim" || !v.Record.Deadline.IsZero() {
		t.Errorf("the outcome is %+v, on record %+v", out, v.Record)
	}
	if got := w.snapshot(v.Record.ID, 1).log(); got != "1 action right, 2 action left, 2 claim" {
		t.Errorf("the log is %s", got)
	}
	if v.Board.State != storage.BoardDue || !v.Board.Notify {
		t.Errorf("the board is %+v", v.Board)
	}
	w.unchanged(t, v.Record.ID, 1, func() {
		again, err := w.host.Claim(t.Context(), actor, v.Record.ID, 2)
		if err != nil || !again.Repeated {
			t.Errorf("a second delivery: %v", err)
		}
	})
	_, err = w.host.Claim(t.Context(), w.by(ben), v.Record.ID, host.AnySeq)
	refused(t, err, match.ErrOver)
}

func TestClaimRefused(t *testing.T) {
	w := newWorld(t)
	v := w.claimable()
	for who, want := range map[storage.Person]error{anna: match.ErrOwnTurn, chloe: host.ErrNotSeated} {
		w.unchanged(t, v.Record.ID, 1, func() {
			_, err := w.host.Claim(t.Context(), w.by(who), v.Record.ID, host.AnySeq)
			refused(t, err, want)
		})
	}
	_, err := w.host.Claim(t.Context(), w.by(ben), 99, host.AnySeq)
	refused(t, err, host.ErrNoMatch)
}

// A move that arrives before a claim wins: a button has an old sequence number,
// and for a command the time starts again.
func TestMoveBeforeClaim(t *testing.T) {
	w := newWorld(t)
	v := w.claimable()
	seen := v.Match.PublicSeq()
	after := w.act(v, "right")
	if !after.Record.Deadline.Equal(w.clock.Add(host.ClaimAfter)) {
		t.Errorf("the deadline is %s", after.Record.Deadline)
	}
	_, err := w.host.Claim(t.Context(), w.by(ben), v.Record.ID, seen)
	refused(t, err, host.ErrStale)
	_, err = w.host.Claim(t.Context(), w.by(ben), v.Record.ID, host.AnySeq)
	refused(t, err, match.ErrOwnTurn)
	var early *host.EarlyError
	if _, err = w.host.Claim(t.Context(), w.by(anna), v.Record.ID, host.AnySeq); !errors.As(err, &early) {
		t.Errorf("Anna claims what she has just moved in: %v", err)
	}
}

func TestConcurrentMoveAndClaim(t *testing.T) {
	w := newWorld(t)
	for range 20 {
		v := w.claimable()
		var moved, claimed atomic.Int32
		atOnce(8, func(i int) {
			if i%2 == 0 {
				if _, err := w.host.Act(t.Context(), w.by(anna), v.Record.ID, v.Match.Seq(), "right"); err == nil {
					moved.Add(1)
				}
			} else if _, err := w.host.Claim(t.Context(), w.by(ben), v.Record.ID, v.Match.PublicSeq()); err == nil {
				claimed.Add(1)
			}
		})
		if moved.Load()+claimed.Load() != 1 {
			t.Fatalf("%d moves and %d claims count", moved.Load(), claimed.Load())
		}
	}
}

// Actions of an open turn neither extend the deadline nor make the claim button
// stale, because nobody else sees them.
func TestOpenTurnDoesNotDelayClaim(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.act(w.start("sample", nil), "a1 end"), "a1 end")
	w.pass(host.ClaimAfter - time.Hour)
	draft := w.act(v, "a1")
	if !draft.ClaimableAt().Equal(v.ClaimableAt()) || !draft.Record.Deadline.Equal(v.Record.Deadline) {
		t.Errorf("a draft puts the claim off to %s", draft.ClaimableAt())
	}
	w.pass(time.Hour)
	after, err := w.host.Claim(t.Context(), w.by(ben), v.Record.ID, v.Match.PublicSeq())
	must(t, err)
	if out, _ := after.Match.Over(); out.Ending != match.ByClaim {
		t.Errorf("the outcome is %+v", out)
	}
}

// A claim before both have moved aborts the match.
func TestEarlyClaimAborts(t *testing.T) {
	for _, turns := range [][]string{nil, {"right"}} {
		w := newWorld(t)
		v := w.start("trails", nil)
		for _, turn := range turns {
			v = w.act(v, turn)
		}
		w.pass(host.ClaimAfter)
		waits := []storage.Person{ben, anna}[len(turns)]
		after := w.claim(waits, v)
		if out, _ := after.Match.Over(); out.Ending != match.ByAbort || len(out.Result.Winners) != 0 {
			t.Errorf("after %d turns: %+v", len(turns), out)
		}
	}
}

// "A player who … runs out of time while three or more are playing is
// retired". Any other player may claim, and the next turn starts then.
func TestClaimRetiresOneOfThree(t *testing.T) {
	w := newWorld(t)
	v := w.started(3)
	silent, next, last := v.Person(1), v.Person(2), v.Person(3)
	w.pass(host.ClaimAfter)
	v = w.claim(last, v)
	if p, _ := v.ToMove(); p != next || !v.Match.TimedOut(1) || v.Match.Playing(1) || !v.Board.Notify {
		t.Fatalf("%v is to move, board %+v", p, v.Board)
	}
	if !v.Since().Equal(w.clock) || !v.Record.Deadline.Equal(w.clock.Add(host.ClaimAfter)) {
		t.Errorf("since %s, deadline %s, now %s", v.Since(), v.Record.Deadline, w.clock)
	}
	_, err := w.host.Claim(t.Context(), w.by(silent), v.Record.ID, host.AnySeq)
	refused(t, err, match.ErrNotPlaying)
	// Two players are left, and not both have moved.
	w.pass(host.ClaimAfter)
	v = w.claim(last, v)
	if out, _ := v.Match.Over(); out.Ending != match.ByAbort {
		t.Errorf("the outcome is %+v", out)
	}
}

func (w *world) remind(id storage.MatchID) (direct *host.View) {
	w.t.Helper()
	direct, err := w.host.Remind(w.t.Context(), id)
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
	w.pass(host.ClaimAfter - time.Nanosecond)
	due(0)
	w.unchanged(t, id, 1, func() { w.remind(id) })
	w.pass(time.Nanosecond)
	due(1)
	if got := w.states(id); got != "stale0🔔 due0🔔" {
		t.Errorf("the boards are %s", got)
	}
	for range 3 {
		w.pass(host.ClaimAfter)
		due(0)
	}
	w.post(id)
	w.act(v, "right")
	due(0)
	w.pass(host.ClaimAfter)
	due(1)
	if got := w.states(id); got != "stale0🔔 stale0🔔 skipped1🔔 due1🔔" {
		t.Errorf("the boards are %s", got)
	}
	// A late turn that is taken back is the same turn again.
	w.act(w.match(id), "left")
	v, err := w.host.Undo(t.Context(), w.by(ben), id, host.AnySeq)
	if must(t, err); !v.Claimable() {
		t.Errorf("it can be claimed at %s", v.ClaimableAt())
	}
	due(0)
}

// Remind corrects a wrong deadline, and removes that of a broken match, which
// would be overdue for ever.
func TestRemindCorrectsDeadline(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	w.update(func(tx storage.Tx) error { return tx.SetDeadline(v.Record.ID, w.clock) })
	w.remind(v.Record.ID)
	if got := w.snapshot(v.Record.ID, 1); !got.match.Deadline.Equal(v.ClaimableAt()) || len(got.boards) != 1 {
		t.Errorf("the deadline is %s, the boards %v", got.match.Deadline, got.boards)
	}
	var broken storage.MatchID
	w.update(func(tx storage.Tx) (err error) {
		broken, err = tx.InsertMatch(storage.Match{Game: "chess", Seats: []storage.Person{anna, ben}, CreatedAt: w.clock, Deadline: w.clock})
		return err
	})
	w.remind(broken)
	if o, err := w.host.Overdue(t.Context(), 10); err != nil || len(o.Matches) != 0 {
		t.Errorf("overdue: %v (%v)", o.Matches, err)
	}
}

// A retirement out of turn does not restart the turn of the player to move.
func TestSinceAfterRetirement(t *testing.T) {
	w := newWorld(t)
	v := w.started(3)
	began := w.clock
	w.pass(time.Hour)
	v, err := w.host.Resign(t.Context(), w.by(v.Person(3)), v.Record.ID, host.AnySeq) // out of turn
	must(t, err)
	if !v.Since().Equal(began) || !v.Record.Deadline.Equal(began.Add(host.ClaimAfter)) {
		t.Errorf("since %s, deadline %s", v.Since(), v.Record.Deadline)
	}
}

// A challenge expires to the second, whether or not Expire has recorded it.
func TestChallengeExpiry(t *testing.T) {
	for _, does := range []string{"Ben accepts", "Ben joins", "Ben declines", "Anna cancels", "Anna leaves"} {
		t.Run(does, func(t *testing.T) {
			answer := func(w *world, ch storage.Challenge) error { _, err := w.does(does, ch.ID); return err }
			w := newWorld(t)
			w.pass(700 * time.Millisecond)
			ch := w.offer("trails", "", nil)
			if want := w.clock.Add(host.ChallengeLifetime).Truncate(time.Second); !ch.ExpiresAt.Equal(want) {
				t.Fatalf("it expires at %s, want %s", ch.ExpiresAt, want)
			}
			w.pass(ch.ExpiresAt.Sub(w.clock))
			w.unchanged(t, 1, ch.ID, func() {
				r := refused(t, answer(w, ch), host.ErrExpired)
				if r.Challenge == nil || r.Challenge.ID != ch.ID {
					t.Errorf("the refusal is about %+v", r.Challenge)
				}
			})
			must(t, w.host.Expire(t.Context(), ch.ID))
			w.unchanged(t, 1, ch.ID, func() { refused(t, answer(w, ch), host.ErrExpired) })

			other := w.offer("trails", "", nil)
			w.pass(other.ExpiresAt.Sub(w.clock) - time.Nanosecond)
			must(t, answer(w, other))
		})
	}
}

// An expired lobby cannot be started.
func TestExpiredLobbyCannotStart(t *testing.T) {
	w := newWorld(t)
	ch := w.lobby(4)
	w.did("Ben joins", ch)
	w.pass(host.ChallengeLifetime)
	_, _, err := w.host.Start(t.Context(), w.by(anna), ch.ID)
	refused(t, err, host.ErrExpired)
}

// Expire is idempotent, revises the message once, and does nothing too early.
func TestExpire(t *testing.T) {
	w := newWorld(t)
	ch := w.offer("trails", "", nil)
	must(t, w.host.ChallengeShown(t.Context(), ch.ID, "m", ch.Revision))
	due := func() []storage.ChallengeID {
		o := w.overdue()
		return o.Challenges
	}
	w.pass(host.ChallengeLifetime - time.Nanosecond)
	w.unchanged(t, 1, ch.ID, func() { must(t, w.host.Expire(t.Context(), ch.ID)) })
	if got := due(); len(got) != 0 {
		t.Errorf("due before its time: %v", got)
	}
	w.pass(time.Hour)
	if got := due(); len(got) != 1 || got[0] != ch.ID {
		t.Fatalf("due: %v", got)
	}
	must(t, w.host.Expire(t.Context(), ch.ID))
	after, err := w.host.FindChallenge(t.Context(), ch.ID)
	must(t, err)
	if after.State != storage.ChallengeExpired || !after.ResolvedAt.Equal(ch.ExpiresAt) || after.Revision != ch.Revision+1 {
		t.Errorf("it is %+v", after)
	}
	work := w.pending()
	if len(work.Challenges) != 1 || len(due()) != 0 {
		t.Errorf("to be shown: %v, due: %v", work.Challenges, due())
	}
	w.unchanged(t, 1, ch.ID, func() { must(t, w.host.Expire(t.Context(), ch.ID)) })
	refused(t, w.host.Expire(t.Context(), 99), host.ErrNoChallenge)
}

// A repeated delivery of an answer succeeds after the expiry.
func TestRepeatedAnswerAfterExpiry(t *testing.T) {
	w := newWorld(t)
	ch := w.offer("trails", "", nil)
	actor := w.by(ben)
	_, v, err := w.host.Accept(t.Context(), actor, ch.ID)
	must(t, err)
	w.pass(2 * host.ChallengeLifetime)
	_, again, err := w.host.Accept(t.Context(), actor, ch.ID)
	must(t, err)
	if !again.Repeated || again.Record.ID != v.Record.ID {
		t.Errorf("the second delivery gives %+v", again)
	}
	must(t, w.host.Expire(t.Context(), ch.ID)) // it was accepted: nothing to do
	if ch, _ := w.host.FindChallenge(t.Context(), ch.ID); ch.State != storage.ChallengeAccepted {
		t.Errorf("it is %s", ch.State)
	}
}
