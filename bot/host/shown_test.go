package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

func TestRepost(t *testing.T) {
	w := newWorld(t)
	v := w.start("sample", nil)
	id := v.Record.ID
	cause := w.by(chloe)
	v, err := w.host.RepostBoard(t.Context(), cause, id)
	must(t, err)
	if got := w.states(id); got != "skipped0🔔 due0🔔" {
		t.Errorf("nobody has been notified yet: %s", got)
	}
	w.unchanged(t, id, 0, func() {
		again, err := w.host.RepostBoard(t.Context(), cause, id)
		if err != nil || !again.Repeated || again.Board != v.Board {
			t.Errorf("the same interaction: %+v, %v", again, err)
		}
		_, err = w.host.RepostBoard(t.Context(), w.by(anna), id+1)
		refused(t, err, host.ErrNoMatch)
	})
	w.post(id)
	w.act(v, "a1") // of an open turn, which stays private
	v, err = w.host.RepostBoard(t.Context(), w.by(anna), id)
	must(t, err)
	if got := w.states(id); got != "skipped0🔔 stale0🔔 due0" || v.Board.Place != here {
		t.Errorf("posted before: %s at %v", got, v.Board.Place)
	}
	if got := w.snapshot(id, 0).log(); got != "1 action a1" {
		t.Errorf("log %s", got)
	}
}

func TestRepostAll(t *testing.T) {
	w := newWorld(t)
	posted, due, over := w.start("trails", nil), w.start("trails", nil), w.start("trails", nil)
	posted = w.act(posted, "right")
	w.post(posted.Record.ID)
	w.post(over.Record.ID)
	_, err := w.host.Resign(t.Context(), w.by(anna), over.Record.ID, host.AnySeq)
	must(t, err)
	w.post(over.Record.ID)
	broken := w.broken(storage.Entry{Seq: 1, Kind: "action", Seat: 1, Text: "nowhere"})

	before := w.states(over.Record.ID)
	for range 2 { // the second time there is nothing left to do
		must(t, w.host.RepostAll(t.Context()))
		if got := w.states(posted.Record.ID); got != "skipped0🔔 stale1🔔 due1" {
			t.Errorf("a posted one: %s", got)
		}
		if got := w.states(due.Record.ID); got != "due0🔔" {
			t.Errorf("one that is due anyway: %s", got)
		}
		if got := w.states(over.Record.ID); got != before {
			t.Errorf("one that is over: %s", got)
		}
		if got := w.states(broken); got != "" {
			t.Errorf("one that cannot be rebuilt: %s", got)
		}
	}
	if !strings.Contains(w.log.String(), "a match cannot be rebuilt") {
		t.Errorf("log %s", w.log.String())
	}
}

// broken is a match of Anna and Ben that cannot be rebuilt from its log.
func (w *world) broken(entries ...storage.Entry) (id storage.MatchID) {
	w.t.Helper()
	w.update(func(tx storage.Tx) (err error) {
		id, err = tx.InsertMatch(storage.Match{
			Place: here, Game: "trails", RulesVersion: 1, Options: "size=11 towers=3 distance=1",
			Seats: []storage.Person{anna, ben}, CreatedAt: w.clock,
		})
		if err != nil {
			return err
		}
		for i := range entries {
			entries[i].At = w.clock
		}
		return tx.Append(id, 0, entries)
	})
	return id
}

func TestMatchThatCannotBeReplayedDoesNotHideOthers(t *testing.T) {
	w := newWorld(t)
	first := w.start("trails", nil)
	w.pass(time.Minute)
	var broken []storage.MatchID
	for _, e := range []storage.Entry{
		{Seq: 1, Kind: "action", Seat: 1, Text: "nowhere"},
		{Seq: 1, Kind: "action", Seat: 2, Text: "up"},
		{Seq: 1, Kind: "action", Seat: 1, Text: "u"},
		{Seq: 1, Kind: "dance", Seat: 1},
		{Seq: 1, Kind: "undo", Seat: 1},
	} {
		broken = append(broken, w.broken(e))
	}
	w.update(func(tx storage.Tx) error {
		for _, m := range []storage.Match{
			{Game: "chess", RulesVersion: 1, Options: ""},
			{Game: "trails", RulesVersion: 2, Options: "size=11 towers=3 distance=1"},
			{Game: "trails", RulesVersion: 1, Options: "size=eleven"},
			{Game: "trails", RulesVersion: 1, Options: "size=5 towers=9 distance=3"},
		} {
			m.Place, m.Seats, m.CreatedAt = here, []storage.Person{anna, ben}, w.clock
			id, err := tx.InsertMatch(m)
			if err != nil {
				return err
			}
			broken = append(broken, id)
		}
		return nil
	})
	w.pass(time.Minute)
	last := w.start("sample", nil)
	for name, find := range map[string]func() ([]*host.View, error){
		"mine": func() ([]*host.View, error) { return w.host.Running(t.Context(), ben.ID, "") },
		"of a channel": func() ([]*host.View, error) {
			p, err := w.host.ListChannel(t.Context(), here.Channel, 1, 100)
			return p.Matches, err
		},
	} {
		views, err := find()
		must(t, err)
		if got := ids(views); len(got) != 2 || got[0] != last.Record.ID || got[1] != first.Record.ID {
			t.Errorf("%s: %v", name, got)
		}
	}
	if n := strings.Count(w.log.String(), "a match cannot be rebuilt"); n != 2*len(broken) {
		t.Errorf("%d lines in the log:\n%s", n, w.log.String())
	}
	for _, id := range broken {
		w.unchanged(t, id, 0, func() {
			_, err := w.host.Match(t.Context(), id)
			_, errAct := w.host.Act(t.Context(), w.by(anna), id, host.AnySeq, "up")
			_, errRepost := w.host.RepostBoard(t.Context(), w.by(anna), id)
			for _, err := range []error{err, errAct, errRepost} {
				var r *host.Refusal
				if !errors.Is(err, host.ErrCannotReplay) || errors.As(err, &r) {
					t.Errorf("match %d: %v, which must be a fault of ours", id, err)
				}
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		-1: 5 * time.Second, 0: 5 * time.Second, 1: 10 * time.Second, 2: 20 * time.Second, 3: 40 * time.Second,
		4: 80 * time.Second, 5: 160 * time.Second, 6: 320 * time.Second, 7: 10 * time.Minute, 8: 10 * time.Minute,
		63: 10 * time.Minute, 1 << 40: 10 * time.Minute,
	} {
		if got := host.Backoff(failures); got != want {
			t.Errorf("after %d failures %v, want %v", failures, got, want)
		}
	}
}

// Work comes up when its time has come, later after every failure, and at
// once again when something new happens.
func TestWorkWaitsLongerAfterEveryFailure(t *testing.T) {
	w := newWorld(t)
	ch := w.offer("trails", host.FirstMe, nil)
	must(t, w.host.ChallengeShown(t.Context(), ch.ID, "m", ch.Revision))
	ch, v, err := w.host.Accept(t.Context(), w.by(ben), ch.ID)
	must(t, err)
	work := func() (boards, challenges int) {
		t.Helper()
		all, err := w.host.PendingWork(t.Context(), 10)
		must(t, err)
		return len(all.Boards), len(all.Challenges)
	}
	for tries := range 10 {
		if b, c := work(); b != 1 || c != 1 {
			t.Fatalf("try %d: %d boards and %d challenges", tries, b, c)
		}
		all, err := w.host.PendingWork(t.Context(), 10)
		must(t, err)
		if all.Boards[0].Attempts != tries || all.Challenges[0].Attempts != tries {
			t.Fatalf("%+v after %d", all, tries)
		}
		next, err := w.host.BoardFailed(t.Context(), all.Boards[0], host.Failure{})
		must(t, err)
		nextChallenge, err := w.host.ChallengeFailed(t.Context(), all.Challenges[0], host.Failure{})
		must(t, err)
		if want := w.clock.Add(host.Backoff(tries)); next != want || nextChallenge != want {
			t.Fatalf("try %d: next %v and %v, want %v", tries, next, nextChallenge, want)
		}
		w.pass(host.Backoff(tries) - time.Nanosecond)
		if b, c := work(); b != 0 || c != 0 {
			t.Fatalf("try %d came too early: %d boards and %d challenges", tries, b, c)
		}
		w.pass(time.Nanosecond)
	}
	_, err = w.host.BoardPosted(t.Context(), v, v.Board.ID, "board")
	must(t, err)
	must(t, w.host.ChallengeShown(t.Context(), ch.ID, "", ch.Revision))
	if b, c := work(); b != 0 || c != 0 {
		t.Errorf("all is shown: %d boards and %d challenges", b, c)
	}
	if got, err := w.host.FindChallenge(t.Context(), ch.ID); err != nil || got.Message != "m" || got.Attempts != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	w.act(v, "right")
	all, err := w.host.PendingWork(t.Context(), 10)
	must(t, err)
	if len(all.Boards) != 2 || all.Boards[0].State != storage.BoardStale || all.Boards[1].State != storage.BoardDue {
		t.Errorf("after a turn: %+v", all.Boards)
	}
	if all, err := w.host.PendingWork(t.Context(), 1); err != nil || len(all.Boards) != 1 {
		t.Errorf("at most one: %+v, %v", all.Boards, err)
	}
}

func TestForget(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	cause := w.by(anna)
	_, err := w.host.Act(t.Context(), cause, v.Record.ID, host.AnySeq, "right")
	must(t, err)
	w.pass(host.InteractionRetention)
	young := w.by(ben)
	_, err = w.host.Act(t.Context(), young, v.Record.ID, host.AnySeq, "left")
	must(t, err)
	if n, err := w.host.PruneInteractions(t.Context()); err != nil || n != 0 {
		t.Errorf("%d notes forgotten at the age of %v, %v", n, host.InteractionRetention, err)
	}
	w.pass(time.Second)
	// The challenge, its answer and the first turn.
	if n, err := w.host.PruneInteractions(t.Context()); err != nil || n != 3 {
		t.Errorf("%d notes forgotten, %v", n, err)
	}
	if again, err := w.host.Act(t.Context(), young, v.Record.ID, host.AnySeq, "left"); err != nil || !again.Repeated {
		t.Errorf("a young one: %v", err)
	}
	if host.InteractionRetention <= 15*time.Minute {
		t.Error("Discord can deliver for fifteen minutes")
	}
}

func TestContextThatIsDone(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.unchanged(t, v.Record.ID, 0, func() {
		_, err := w.host.Act(ctx, w.by(anna), v.Record.ID, host.AnySeq, "right")
		var r *host.Refusal
		if !errors.Is(err, context.Canceled) || errors.As(err, &r) {
			t.Errorf("%v", err)
		}
	})
}
