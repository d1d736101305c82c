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

// claimable is a match in which both have moved and Anna is silent.
func (w *world) claimable() *host.View {
	w.t.Helper()
	v := w.act(w.act(w.start("trails", nil), "right"), "left")
	w.pass(host.ClaimAfter)
	return v
}

func TestOfTwoTheOneWhoWaitsWins(t *testing.T) {
	w := newWorld(t)
	w.pass(300 * time.Millisecond)
	v := w.act(w.act(w.start("trails", nil), "right"), "left")
	if want := w.clock.Add(host.ClaimAfter).Truncate(time.Second); !v.ClaimAt().Equal(want) || !v.Record.Deadline.Equal(want) {
		t.Fatalf("it can be claimed from %s, on record is %s; want %s", v.ClaimAt(), v.Record.Deadline, want)
	}
	// To the second, by the time on record.
	w.pass(v.ClaimAt().Sub(w.clock) - time.Nanosecond)
	w.unchanged(t, v.Record.ID, 1, func() {
		_, err := w.host.Claim(t.Context(), w.by(ben), v.Record.ID, host.Anywhere)
		var early *host.EarlyError
		if !errors.As(err, &early) || !early.At.Equal(v.ClaimAt()) {
			t.Errorf("too early: %v", err)
		}
	})
	w.pass(time.Nanosecond)
	cause := w.by(ben)
	v, err := w.host.Claim(t.Context(), cause, v.Record.ID, v.Match.PublicSeq())
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
		again, err := w.host.Claim(t.Context(), cause, v.Record.ID, 2)
		if err != nil || !again.Repeated {
			t.Errorf("a second delivery: %v", err)
		}
	})
	_, err = w.host.Claim(t.Context(), w.by(ben), v.Record.ID, host.Anywhere)
	refused(t, err, match.ErrOver)
}

func TestWhoCannotClaim(t *testing.T) {
	w := newWorld(t)
	v := w.claimable()
	for who, want := range map[storage.Person]error{anna: match.ErrOwnTurn, chloe: host.ErrNotSeated} {
		w.unchanged(t, v.Record.ID, 1, func() {
			_, err := w.host.Claim(t.Context(), w.by(who), v.Record.ID, host.Anywhere)
			refused(t, err, want)
		})
	}
	_, err := w.host.Claim(t.Context(), w.by(ben), 99, host.Anywhere)
	refused(t, err, host.ErrNoMatch)
}

// "A move that arrives first wins": for a button by the sequence number, for a
// command because the time begins anew.
func TestAMoveThatArrivesFirstWins(t *testing.T) {
	w := newWorld(t)
	v := w.claimable()
	seen := v.Match.PublicSeq()
	after := w.act(v, "right")
	if !after.Record.Deadline.Equal(w.clock.Add(host.ClaimAfter)) {
		t.Errorf("the deadline is %s", after.Record.Deadline)
	}
	_, err := w.host.Claim(t.Context(), w.by(ben), v.Record.ID, seen)
	refused(t, err, host.ErrStale)
	_, err = w.host.Claim(t.Context(), w.by(ben), v.Record.ID, host.Anywhere)
	refused(t, err, match.ErrOwnTurn)
	var early *host.EarlyError
	if _, err = w.host.Claim(t.Context(), w.by(anna), v.Record.ID, host.Anywhere); !errors.As(err, &early) {
		t.Errorf("Anna claims what she has just moved in: %v", err)
	}
}

func TestOfAMoveAndAClaimAtOnceOneCounts(t *testing.T) {
	for range 20 {
		w := newWorld(t)
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

// What is tried out in a turn is no answer, and does not keep a button from
// working: nobody has seen it.
func TestADraftIsSilence(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.act(w.start("sample", nil), "a1 end"), "a1 end")
	w.pass(host.ClaimAfter - time.Hour)
	draft := w.act(v, "a1")
	if !draft.ClaimAt().Equal(v.ClaimAt()) || !draft.Record.Deadline.Equal(v.Record.Deadline) {
		t.Errorf("a draft puts the claim off to %s", draft.ClaimAt())
	}
	w.pass(time.Hour)
	after, err := w.host.Claim(t.Context(), w.by(ben), v.Record.ID, v.Match.PublicSeq())
	must(t, err)
	if out, _ := after.Match.Over(); out.Ending != match.ByClaim {
		t.Errorf("the outcome is %+v", out)
	}
}

// Nobody wins who never met resistance.
func TestAClaimBeforeBothHaveMovedCallsOff(t *testing.T) {
	for _, turns := range [][]string{nil, {"right"}} {
		w := newWorld(t)
		v := w.start("trails", nil)
		for _, turn := range turns {
			v = w.act(v, turn)
		}
		w.pass(host.ClaimAfter)
		waits := []storage.Person{ben, anna}[len(turns)]
		after, err := w.host.Claim(t.Context(), w.by(waits), v.Record.ID, host.Anywhere)
		must(t, err)
		if out, _ := after.Match.Over(); out.Ending != match.ByAbort || len(out.Result.Winners) != 0 {
			t.Errorf("after %d turns: %+v", len(turns), out)
		}
	}
}

// "A player who … runs out of time while three or more are playing is
// retired"; any other may say so, and the next one's time begins then.
func TestOfThreeTheSilentOneIsOut(t *testing.T) {
	w := newWorld(t)
	ch := w.table(3)
	for _, s := range []string{"Ben joins", "Chloe joins"} {
		_, err := w.does(s, ch.ID)
		must(t, err)
	}
	ch, err := w.host.FindChallenge(t.Context(), ch.ID)
	must(t, err)
	v, err := w.host.Match(t.Context(), ch.Match)
	must(t, err)
	silent, next, last := v.Person(1), v.Person(2), v.Person(3)
	w.pass(host.ClaimAfter)
	v, err = w.host.Claim(t.Context(), w.by(last), v.Record.ID, host.Anywhere)
	must(t, err)
	if p, _ := v.ToMove(); p != next || !v.Match.TimedOut(1) || v.Match.Playing(1) || !v.Board.Notify {
		t.Fatalf("%v is to move, board %+v", p, v.Board)
	}
	if !v.Since().Equal(w.clock) || !v.Record.Deadline.Equal(w.clock.Add(host.ClaimAfter)) {
		t.Errorf("since %s, deadline %s, now %s", v.Since(), v.Record.Deadline, w.clock)
	}
	_, err = w.host.Claim(t.Context(), w.by(silent), v.Record.ID, host.Anywhere)
	refused(t, err, match.ErrNotPlaying)
	// Two are left, and not both have moved.
	w.pass(host.ClaimAfter)
	v, err = w.host.Claim(t.Context(), w.by(last), v.Record.ID, host.Anywhere)
	must(t, err)
	if out, _ := v.Match.Over(); out.Ending != match.ByAbort {
		t.Errorf("the outcome is %+v", out)
	}
}

// The reminder: one board a turn, at its time, for the one to move.
func TestRemindOnceATurn(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	id := v.Record.ID
	w.post(id)
	due := func(want int) {
		t.Helper()
		o, err := w.host.Overdue(t.Context(), 10)
		must(t, err)
		if len(o.Matches) != want {
			t.Fatalf("overdue: %v, want %d", o.Matches, want)
		}
		for _, m := range o.Matches {
			must(t, w.host.Remind(t.Context(), m))
		}
	}
	w.pass(host.ClaimAfter - time.Nanosecond)
	due(0)
	w.unchanged(t, id, 1, func() { must(t, w.host.Remind(t.Context(), id)) })
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
}

// A deadline that is wrong, as one from before there were any can be, is put
// right; a match that cannot be rebuilt does not come up for ever.
func TestRemindPutsDeadlinesRight(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	w.update(func(tx storage.Tx) error { return tx.SetDeadline(v.Record.ID, w.clock) })
	must(t, w.host.Remind(t.Context(), v.Record.ID))
	if got := w.snapshot(v.Record.ID, 1); !got.match.Deadline.Equal(v.ClaimAt()) || len(got.boards) != 1 {
		t.Errorf("the deadline is %s, the boards %v", got.match.Deadline, got.boards)
	}
	var broken storage.MatchID
	w.update(func(tx storage.Tx) (err error) {
		broken, err = tx.InsertMatch(storage.Match{Game: "chess", Seats: []storage.Person{anna, ben}, CreatedAt: w.clock, Deadline: w.clock})
		return err
	})
	must(t, w.host.Remind(t.Context(), broken))
	if o, err := w.host.Overdue(t.Context(), 10); err != nil || len(o.Matches) != 0 {
		t.Errorf("overdue: %v (%v)", o.Matches, err)
	}
}

// After a retirement in one's own turn the next one's turn begins then.
func TestSinceAfterARetirement(t *testing.T) {
	w := newWorld(t)
	ch := w.table(3)
	for _, s := range []string{"Ben joins", "Chloe joins"} {
		_, err := w.does(s, ch.ID)
		must(t, err)
	}
	ch, err := w.host.FindChallenge(t.Context(), ch.ID)
	must(t, err)
	v, err := w.host.Match(t.Context(), ch.Match)
	must(t, err)
	began := w.clock
	w.pass(time.Hour)
	v, err = w.host.Resign(t.Context(), w.by(v.Person(3)), v.Record.ID, host.Anywhere) // out of turn
	must(t, err)
	if !v.Since().Equal(began) || !v.Record.Deadline.Equal(began.Add(host.ClaimAfter)) {
		t.Errorf("since %s, deadline %s", v.Since(), v.Record.Deadline)
	}
}
