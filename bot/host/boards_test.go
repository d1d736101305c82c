package host_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/storage"
	"castellan/storage/storagetest"
)

func TestRepostBoard(t *testing.T) {
	w := newWorld(t)
	v := w.start("sample", nil)
	id := v.Record.ID
	actor := w.Actor(chloe)
	v, err := w.Host.RepostBoard(t.Context(), actor, id)
	must(t, err)
	if got := w.states(id); got != "due0🔔" {
		t.Errorf("it is due as it is: %s", got)
	}
	w.unchanged(t, id, 0, func() {
		again, err := w.Host.RepostBoard(t.Context(), actor, id)
		if err != nil || !again.Repeated || again.Board != v.Board {
			t.Errorf("the same interaction: %+v, %v", again, err)
		}
		_, err = w.Host.RepostBoard(t.Context(), w.Actor(anna), id+1)
		refused(t, err, host.ErrNoMatch)
	})
	w.post(id)
	w.act(v, "a1") // leaves the turn open, so it stays private
	v = w.repost(anna, id)
	if got := w.states(id); got != "superseded0🔔 due0" || v.Board.Place != here {
		t.Errorf("posted before: %s at %v", got, v.Board.Place)
	}
	if got := w.snapshot(id, 0).log(); got != "1 action a1" {
		t.Errorf("log %s", got)
	}
}

// A board whose message is to be edited again is collapsed like others when the next
// turn is played before that.
func TestOutdatedBoardIsSuperseded(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	v, err := w.Host.BoardPosted(t.Context(), v, v.Board.ID, "first")
	must(t, err)
	v, err = w.Host.MarkForEdit(t.Context(), v, v.Board)
	must(t, err)
	if !v.Board.NeedsRedraw {
		t.Errorf("the board is %+v", v.Board)
	}
	w.latest(w.act(v, "right"))
}

func TestRepostAll(t *testing.T) {
	w := newWorld(t)
	posted, due, over := w.start("trails", nil), w.start("trails", nil), w.start("trails", nil)
	posted = w.act(posted, "right")
	w.post(posted.Record.ID)
	w.post(over.Record.ID)
	w.resign(anna, over)
	w.post(over.Record.ID)
	broken := w.broken(storage.Entry{Seq: 1, Kind: "action", Seat: 1, Text: "nowhere"})

	before := w.states(over.Record.ID)
	for range 2 { // the second time there is nothing left to do
		must(t, w.Host.RepostAll(t.Context()))
		if got := w.states(posted.Record.ID); got != "skipped0🔔 superseded1🔔 due1" {
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

// broken inserts a match of Anna and Ben whose log cannot be replayed.
func (w *world) broken(entries ...storage.Entry) (id storage.MatchID) {
	w.t.Helper()
	w.update(func(tx storage.Tx) (err error) {
		id, err = tx.InsertMatch(storage.Match{
			Place: here, Game: "trails", RulesVersion: 1, Options: "size=11 towers=3 distance=1",
			Seats: []storage.Person{anna, ben}, CreatedAt: w.Now(),
		})
		if err != nil {
			return err
		}
		for i := range entries {
			entries[i].At = w.Now()
		}
		return storagetest.Append(tx, id, entries)
	})
	return id
}

func TestMoveMatch(t *testing.T) {
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
			_, err := w.Host.MoveMatch(t.Context(), w.Actor(c.by), c.id, c.from, there)
			if !errors.Is(err, c.want) || !errors.As(err, &refusal) {
				t.Errorf("%v, want %v", err, c.want)
			}
		}
	})
	c := w.Actor(anna)
	after, err := w.Host.MoveMatch(t.Context(), c, id, here, there)
	must(t, err)
	if after.Record.Place != there || after.Board.Place != there || !after.Board.Notify || after.Board.Seq != 1 || after.Repeated {
		t.Errorf("%+v with the board %+v", after.Record, after.Board)
	}
	if got := w.states(id); got != "superseded0🔔 skipped1🔔 due1🔔" {
		t.Errorf("boards %s", got)
	}
	if got := w.snapshot(id, 0).log(); got != "1 action right" {
		t.Errorf("the log: %s", got)
	}
	again, err := w.Host.MoveMatch(t.Context(), c, id, here, there)
	if err != nil || !again.Repeated || again.Board.ID != after.Board.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	// The match continues there.
	if on := w.act(after, "left"); on.Board.Place != there {
		t.Errorf("the next board is at %+v", on.Board.Place)
	}
}

func TestRepostAllChallenges(t *testing.T) {
	w := newWorld(t)
	open, answered := w.offer("trails", host.FirstMe, nil), w.offer("trails", host.FirstMe, nil)
	for _, ch := range []storage.Challenge{open, answered} {
		must(t, w.Host.ChallengeShown(t.Context(), storage.DeliveryLease{}, ch.ID, "m", ch.Revision))
	}
	answered, err := w.Host.Decline(t.Context(), w.Actor(ben), answered.ID)
	must(t, err)
	must(t, w.Host.ChallengeShown(t.Context(), storage.DeliveryLease{}, answered.ID, "", answered.Revision))
	w.Advance(time.Hour)
	must(t, w.Host.RepostAll(t.Context()))
	work := w.pending()
	if len(work.Challenges) != 1 || work.Challenges[0].ID != open.ID || work.Challenges[0].Message != "" || !work.Challenges[0].NextAttempt.Equal(w.Now()) {
		t.Errorf("%+v", work.Challenges)
	}
}

// Every public change makes a board due.
func TestBoards(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	id := v.Record.ID
	v = w.act(v, "right")
	if got := w.states(id); got != "skipped0🔔 due1🔔" {
		t.Errorf("the first was not posted in time: %s", got)
	}
	w.post(id)
	if got := w.snapshot(id, 0).match.ShownSeq; got != 1 {
		t.Errorf("shown %d", got)
	}
	v = w.act(v, "left")
	if got := w.states(id); got != "skipped0🔔 superseded1🔔 due2🔔" {
		t.Errorf("the second was posted: %s", got)
	}
	if v.Board.Seq != 2 || v.Board.State != storage.BoardDue {
		t.Errorf("current %+v", v.Board)
	}
	boards := v.Boards
	if len(boards) != 3 || boards[0].State != storage.BoardSkipped || boards[1].State != storage.BoardSuperseded || boards[1].Message != "m2" || boards[2].State != storage.BoardDue {
		t.Errorf("to be done: %+v", boards)
	}
	v, err := w.Host.BoardsCollapsed(t.Context(), v, boards[1].ID)
	must(t, err)
	// A board that was superseded while it was posted is in the channel.
	v, err = w.Host.BoardPosted(t.Context(), v, boards[0].ID, "late")
	must(t, err)
	w.latest(v)
	if got := w.states(id); got != "superseded0🔔 collapsed1🔔 due2🔔" {
		t.Errorf("a late post: %s", got)
	}
	if _, err := w.Host.Match(t.Context(), id+1); !errors.Is(err, host.ErrNoMatch) {
		t.Errorf("%v", err)
	}
}
