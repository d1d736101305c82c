package host_test

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
	"castellan/storage/dbtest"
)

func TestActRefused(t *testing.T) {
	type refusal struct {
		name string
		by   storage.Person
		seq  int
		text string
		ok   func(error) bool
	}
	is := func(why error) func(error) bool { return func(err error) bool { return errors.Is(err, why) } }
	token := func(index int, nearest string, as any) func(error) bool {
		return func(err error) bool {
			var e *match.TokenError
			return errors.As(err, &e) && e.Index == index && (nearest == "" || len(e.Nearest) > 0 && e.Nearest[0] == nearest) && errors.As(err, as)
		}
	}
	turn := func(seat engine.Seat) func(error) bool {
		return func(err error) bool { var e *match.TurnError; return errors.As(err, &e) && e.Seat == seat }
	}
	var (
		notation *engine.NotationError
		illegal  *engine.IllegalError
	)
	for _, c := range []struct {
		game, before string // texts played before, divided by |
		refusals     []refusal
	}{
		{"trails", "right|left", []refusal{
			{"not seated", chloe, host.AnySeq, "up", is(host.ErrNotSeated)},
			{"not their turn", ben, host.AnySeq, "up", turn(1)},
			{"not their turn, with the button", ben, 2, "up", turn(1)},
			{"old button", anna, 1, "up", is(host.ErrStale)},
			{"negative", anna, -2, "up", is(host.ErrStale)},
			{"nothing", anna, host.AnySeq, "", is(match.ErrNoTurn)},
			{"white space", anna, 2, " \t\n", is(match.ErrNoTurn)},
			{"typo", anna, host.AnySeq, "rigth", token(0, "right", &notation)},
			{"nonsense", anna, host.AnySeq, "\xff\x00⟨", token(0, "", &notation)},
			{"back onto the trail", anna, host.AnySeq, "left", token(0, "", &illegal)},
			{"longer than the turn", anna, host.AnySeq, "right up", func(err error) bool {
				var e *match.TokenError
				return errors.As(err, &e) && e.Index == 1 && e.Token == "up" && errors.Is(err, match.ErrTurnOver)
			}},
		}},
		{"sample", "a2", []refusal{
			{"not seated", chloe, 1, "a1", is(host.ErrNotSeated)},
			{"not their turn", ben, 1, "a1", turn(1)},
			{"the button of before the first action", anna, 0, "a1", is(host.ErrStale)},
			{"the second of three", anna, host.AnySeq, "b1 pass a1", func(err error) bool { var e *match.TokenError; return errors.As(err, &e) && e.Index >= 1 }},
			{"more than is left", anna, 1, "a4", token(0, "", &illegal)},
			{"an action of the next turn", anna, host.AnySeq, "b1 end a1", func(err error) bool { return errors.Is(err, match.ErrTurnOver) }},
		}},
	} {
		t.Run(c.game, func(t *testing.T) {
			w := newWorld(t)
			v := w.start(c.game, nil)
			for _, text := range strings.Split(c.before, "|") {
				v = w.act(v, text)
			}
			for _, r := range c.refusals {
				t.Run(r.name, func(t *testing.T) {
					w.unchanged(t, v.Record.ID, v.Record.Challenge, func() {
						_, err := w.host.Act(t.Context(), w.by(r.by), v.Record.ID, r.seq, r.text)
						var refusal *host.Refusal
						if !errors.As(err, &refusal) || !r.ok(err) {
							t.Fatalf("%T %v", err, err)
						}
						if refusal.View == nil || refusal.View.Match.Seq() != v.Match.Seq() || refusal.Challenge != nil {
							t.Errorf("it concerned %+v", refusal)
						}
					})
				})
			}
			_, err := w.host.Act(t.Context(), w.by(anna), v.Record.ID+1, host.AnySeq, "up")
			if r := refused(t, err, host.ErrNoMatch); r.View != nil {
				t.Errorf("%+v", r.View)
			}
		})
	}
}

// A refused interaction is not marked as processed.
func TestRefusedInteractionCanBeRetried(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	actor := w.by(anna)
	if _, err := w.host.Act(t.Context(), actor, v.Record.ID, host.AnySeq, "castle"); err == nil {
		t.Fatal("castle was played")
	}
	if v, err := w.host.Act(t.Context(), actor, v.Record.ID, host.AnySeq, "right"); err != nil || v.Repeated || v.Match.Seq() != 1 {
		t.Errorf("%v", err)
	}
}

// A typed turn is not played after one that its player sent later, for example if it
// was answered by a question and is delivered again.
func TestOvertaken(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	const first, minute = 1 << 60, 60_000 << 22 // of Discord's IDs
	send := func(p storage.Person, id int64, text string) error {
		_, err := w.host.Act(t.Context(), host.Actor{Person: p, Interaction: strconv.FormatInt(id, 10)}, v.Record.ID, host.AnySeq, text)
		return err
	}
	must(t, send(anna, first+minute, "right"))
	must(t, send(ben, first+2*minute, "left"))
	for _, sent := range []int64{first, first + minute + 1} {
		w.unchanged(t, v.Record.ID, v.Record.Challenge, func() { refused(t, send(anna, sent, "right"), host.ErrStale) })
	}
	_, err := w.host.Undo(t.Context(), host.Actor{Person: ben, Interaction: strconv.FormatInt(first, 10)}, v.Record.ID, host.AnySeq)
	refused(t, err, host.ErrStale)
	must(t, send(anna, first+2*minute+1, "right"))
	// Discord delivers for a quarter of an hour: an ID that is older than that comes
	// from another clock.
	must(t, send(ben, first-30*minute, "left"))
}

func TestAct(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	w.pass(time.Hour)
	actor := w.by(anna)
	v, err := w.host.Act(t.Context(), actor, v.Record.ID, 0, " R ")
	must(t, err)
	s := w.snapshot(v.Record.ID, 0)
	want := []storage.Entry{{Seq: 1, Kind: "action", Seat: 1, Text: "right", At: w.clock, Interaction: actor.Interaction}}
	want[0].Digest = s.match.Root.Next(want[0])
	if !reflect.DeepEqual(s.entries, want) {
		t.Errorf("%+v", s.entries)
	}
	if p, _ := v.ToMove(); p != ben || v.Since() != w.clock || v.Repeated || v.Match.Seq() != 1 || s.match.Seq != 1 {
		t.Errorf("%v is to move since %v", p, v.Since())
	}
	w.pass(time.Hour)
	w.unchanged(t, v.Record.ID, 0, func() {
		again, err := w.host.Act(t.Context(), actor, v.Record.ID, 0, "up")
		if err != nil || !again.Repeated || again.Match.Seq() != 1 {
			t.Errorf("the same interaction: %+v, %v", again, err)
		}
	})
}

// The actions of an open turn are private.
func TestOpenTurn(t *testing.T) {
	w := newWorld(t)
	v := w.start("sample", nil)
	w.post(v.Record.ID)

	v = w.act(v, "a2")
	if got := w.states(v.Record.ID); got != "posted0🔔" {
		t.Errorf("an open turn: %s", got)
	}
	undo := w.by(anna)
	v, err := w.host.Undo(t.Context(), undo, v.Record.ID, 1)
	must(t, err)
	if got := w.snapshot(v.Record.ID, 0).log(); got != "1 action a2, 1 undo" || v.Match.PublicSeq() != 0 {
		t.Errorf("%s, public %d", got, v.Match.PublicSeq())
	}
	w.unchanged(t, v.Record.ID, 0, func() {
		if again, err := w.host.Undo(t.Context(), undo, v.Record.ID, 1); err != nil || !again.Repeated {
			t.Errorf("the same interaction: %v", err)
		}
		_, err := w.host.Undo(t.Context(), w.by(anna), v.Record.ID, host.AnySeq)
		refused(t, err, match.ErrNothingToUndo)
		_, err = w.host.Act(t.Context(), w.by(anna), v.Record.ID, 0, "a1")
		refused(t, err, host.ErrStale) // although the number of open actions is the same
	})

	v = w.act(v, "A1  b END")
	if got := w.snapshot(v.Record.ID, 0).log(); got != "1 action a2, 1 undo, 1 action a1, 1 action b1, 1 action end" {
		t.Errorf("log %s", got)
	}
	entries := w.snapshot(v.Record.ID, 0).entries
	if entries[2].Interaction != entries[4].Interaction || entries[2].Interaction == entries[1].Interaction {
		t.Errorf("interactions %+v", entries)
	}
	if got := w.states(v.Record.ID); got != "stale0🔔 due5🔔" {
		t.Errorf("the end of a turn: %s", got)
	}
	// Formalities may be left out.
	v = w.act(v, "b3 a2")
	if got := w.snapshot(v.Record.ID, 0).log(); got[len(got)-len("2 action b3, 2 action a2, 2 action end"):] != "2 action b3, 2 action a2, 2 action end" {
		t.Errorf("log %s", got)
	}
	if p, _ := v.ToMove(); p != anna {
		t.Errorf("%v is to move", p)
	}
}

func TestEndByRules(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", map[string]string{"size": "5", "towers": "1"})
	id := v.Record.ID
	for n := 0; ; n++ {
		if _, over := v.Match.Over(); over {
			break
		}
		w.pass(time.Minute)
		legal := v.Match.Position().Legal()
		v = w.act(v, legal[n%len(legal)].String())
	}
	out, _ := v.Match.Over()
	if v.Record.Ending != "rules" || v.Record.EndedAt != w.clock || out.Ending != match.ByRules || v.Since() != w.clock {
		t.Errorf("%+v, %+v", v.Record, out)
	}
	if _, ok := v.ToMove(); ok || v.Board.State != storage.BoardDue || v.Board.Seq != v.Match.Seq() || !v.Board.Notify {
		t.Errorf("board %+v", v.Board)
	}
	w.unchanged(t, id, 0, func() {
		_, err := w.host.Act(t.Context(), w.by(anna), id, host.AnySeq, "up")
		refused(t, err, match.ErrOver)
		_, err = w.host.Resign(t.Context(), w.by(ben), id, host.AnySeq)
		refused(t, err, match.ErrOver)
		_, err = w.host.Undo(t.Context(), w.by(ben), id, host.AnySeq)
		refused(t, err, match.ErrOver)
	})
	if views, err := w.host.Running(t.Context(), anna.ID, ""); err != nil || len(views) != 0 {
		t.Errorf("still running: %v, %v", views, err)
	}
	if records, err := w.host.RunningIn(t.Context(), here.Channel); err != nil || len(records) != 0 {
		t.Errorf("still running in the channel: %v, %v", records, err)
	}
	w.post(id)
	v, err := w.host.RepostBoard(t.Context(), w.by(chloe), id)
	if err != nil || v.Board.Seq != v.Match.Seq() || v.Board.Notify {
		t.Errorf("the end can be looked at again: %+v, %v", v.Board, err)
	}
}

func TestResign(t *testing.T) {
	for _, c := range []struct {
		name   string
		played []string
		by     storage.Person
		ending match.Ending
		winner []engine.Seat
	}{
		{"at once", nil, anna, match.ByAbort, nil},
		{"at once, by the other player", nil, ben, match.ByAbort, nil},
		{"before the other has moved", []string{"right"}, anna, match.ByAbort, nil},
		{"when both have moved", []string{"right", "left"}, anna, match.ByResignation, []engine.Seat{2}},
		{"when both have moved, by the other player", []string{"right", "left"}, ben, match.ByResignation, []engine.Seat{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			v := w.start("trails", nil)
			id := v.Record.ID
			for _, text := range c.played {
				v = w.act(v, text)
			}
			w.post(id)
			seq := v.Match.Seq()
			w.unchanged(t, id, 0, func() {
				_, err := w.host.Resign(t.Context(), w.by(chloe), id, seq)
				refused(t, err, host.ErrNotSeated)
				_, err = w.host.Resign(t.Context(), w.by(c.by), id, seq+1)
				refused(t, err, host.ErrStale)
				_, err = w.host.Resign(t.Context(), w.by(c.by), id+1, seq)
				refused(t, err, host.ErrNoMatch)
			})
			actor := w.by(c.by)
			v, err := w.host.Resign(t.Context(), actor, id, seq)
			must(t, err)
			out, over := v.Match.Over()
			if !over || out.Ending != c.ending || v.Person(out.By) != c.by || !reflect.DeepEqual(out.Result.Winners, c.winner) {
				t.Errorf("%+v", out)
			}
			if v.Record.Ending != string(c.ending) || v.Record.EndedAt != w.clock {
				t.Errorf("%+v", v.Record)
			}
			if v.Board.State != storage.BoardDue || v.Board.Seq != seq+1 || !v.Board.Notify {
				t.Errorf("board %+v", v.Board)
			}
			w.unchanged(t, id, 0, func() {
				if again, err := w.host.Resign(t.Context(), actor, id, seq); err != nil || !again.Repeated {
					t.Errorf("the same interaction: %v", err)
				}
				_, err := w.host.Resign(t.Context(), w.by(c.by), id, host.AnySeq)
				refused(t, err, match.ErrOver)
			})
		})
	}
}

// atOnce runs fn in n goroutines that start together.
func atOnce(n int, fn func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() { <-start; fn(i) })
	}
	close(start)
	all.Wait()
}

func TestConcurrentClicks(t *testing.T) {
	const clicks = 40
	w := newWorld(t)
	v := w.start("trails", nil)
	var won atomic.Int32
	for range 6 {
		p, ok := v.ToMove()
		if !ok {
			break
		}
		seq, legal := v.Match.Seq(), v.Match.Position().Legal()
		won.Store(0)
		atOnce(clicks, func(i int) {
			_, err := w.host.Act(t.Context(), w.by(p), v.Record.ID, seq, legal[i%len(legal)].String())
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, host.ErrStale):
				t.Errorf("%v", err)
			}
		})
		after := w.match(v.Record.ID)
		if won.Load() != 1 || after.Match.Seq() != seq+1 {
			t.Fatalf("%d of %d clicks counted, %d entries after %d", won.Load(), clicks, after.Match.Seq(), seq)
		}
		v = after
	}
}

func TestConcurrentDeliveries(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	actor := w.by(anna)
	var fresh atomic.Int32
	atOnce(40, func(int) {
		after, err := w.host.Act(t.Context(), actor, v.Record.ID, 0, "right")
		if err != nil {
			t.Error(err)
		} else if !after.Repeated {
			fresh.Add(1)
		}
	})
	if s := w.snapshot(v.Record.ID, 0); fresh.Load() != 1 || len(s.entries) != 1 || len(s.boards) != 2 {
		t.Errorf("%d counted, %d entries, %d boards", fresh.Load(), len(s.entries), len(s.boards))
	}
}

func TestConcurrentAnswers(t *testing.T) {
	w := newWorld(t)
	ch := w.offer("trails", host.FirstMe, nil)
	var counted [3]atomic.Int32
	atOnce(30, func(i int) {
		a := answers[i%len(answers)]
		_, err := deeds[a.name](w, w.by(a.who), ch.ID)
		switch {
		case err == nil:
			counted[i%len(answers)].Add(1)
		case !errors.Is(err, host.ErrAnswered):
			t.Error(err)
		}
	})
	if n := counted[0].Load() + counted[1].Load() + counted[2].Load(); n != 1 {
		t.Errorf("%d answers counted", n)
	}
	s := w.outcome(ch.ID)
	if (s.challenge.State == storage.ChallengeAccepted) != (s.match.ID != 0) {
		t.Errorf("%s, and match %d", s.challenge.State, s.match.ID)
	}
}

func TestCancelledContext(t *testing.T) {
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

// A due board is posted before the match changes, at most once per request.
func TestFlush(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	id := v.Record.ID
	var flushed []storage.BoardID
	posts := true
	w.host.SetFlush(func(_ context.Context, v *host.View) {
		flushed = append(flushed, v.Board.ID)
		if posts {
			w.post(v.Record.ID)
		}
	})
	w.unchanged(t, id, 0, func() { // refused requests change nothing, so they flush nothing
		_, err := w.host.Act(t.Context(), w.by(ben), id, host.AnySeq, "right")
		if err == nil {
			t.Error("it is Anna's turn")
		}
	})
	v = w.act(v, "right")
	if got := w.states(id); len(flushed) != 1 || got != "stale0🔔 due1🔔" {
		t.Errorf("flushed %v, boards %s", flushed, got)
	}
	posts = false // the request goes on even so
	w.act(w.act(v, "left"), "down")
	if _, err := w.host.RepostBoard(t.Context(), w.by(anna), id); err != nil || len(flushed) != 3 {
		t.Errorf("flushed %v for a board that stays due, %v", flushed, err)
	}
	w.post(id)
	if _, err := w.host.Resign(t.Context(), w.by(anna), id, host.AnySeq); err != nil || len(flushed) != 3 {
		t.Errorf("flushed %v although no board was due, %v", flushed, err)
	}
}

func TestActOrConfirm(t *testing.T) {
	for _, tt := range []struct {
		name    string
		game    string
		confirm bool
		text    string
		draft   string // empty if the turn is played
	}{
		{"not wanted", "trails", false, "right", ""},
		{"the turn ends", "trails", true, "R", "right"},
		{"the turn goes on", "sample", true, "a1", ""},
		{"an explicit end", "sample", true, "a1 end", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			v := w.start(tt.game, nil)
			must(t, account.New(w.host).SetPreferences(t.Context(), storage.Preferences{Person: anna.ID, ConfirmTurn: tt.confirm}))
			before := w.snapshot(v.Record.ID, 0)
			after, draft, err := w.host.ActOrConfirm(t.Context(), w.by(anna), v.Record.ID, v.Match.Seq(), tt.text)
			must(t, err)
			if tt.draft == "" {
				if draft != nil || after.Match.Seq() == 0 {
					t.Errorf("draft %+v", draft)
				}
				w.latest(after)
				return
			}
			if draft == nil || draft.Turn != tt.draft || draft.Match.Seq() != 1 || after.Match.Seq() != 0 {
				t.Fatalf("draft %+v", draft)
			}
			if now := w.snapshot(v.Record.ID, 0); !reflect.DeepEqual(now, before) {
				t.Errorf("a draft changed\n%+v to\n%+v", before, now)
			}
			_, _, err = w.host.ActOrConfirm(t.Context(), w.by(anna), v.Record.ID, 7, tt.text)
			refused(t, err, host.ErrStale)
			w.latest(w.act(v, draft.Turn))
		})
	}
}

// An outdated view is read again.
func TestRefresh(t *testing.T) {
	w := newWorld(t)
	first := w.act(w.start("trails", nil), "right")
	second := w.act(first, "left")
	if got, err := w.host.Refresh(t.Context(), first); err != nil || got.Match.Seq() != 2 {
		t.Errorf("refreshed to entry %d, %v", got.Match.Seq(), err)
	}
	// Posting the board of an outdated view returns the match as it is now. On a
	// server, the turn after it has fenced its lease.
	v, err := w.host.BoardPosted(t.Context(), first, first.Board.ID, "late")
	if dbtest.Postgres() && !errors.Is(err, storage.ErrFenced) || !dbtest.Postgres() && err != nil {
		t.Errorf("posted a board of an outdated view: %v", err)
	}
	w.latest(v)
	if v.Match.Seq() != 2 || v.Board.ID != second.Board.ID || w.states(v.Record.ID) != "skipped0🔔 stale1🔔 due2🔔" {
		t.Errorf("entry %d, boards %s", v.Match.Seq(), w.states(v.Record.ID))
	}
	// Another process plays.
	other := host.New(w.config)
	_, err = other.Act(t.Context(), w.by(anna), v.Record.ID, host.AnySeq, "down")
	must(t, err)
	if now, err := w.host.Match(t.Context(), v.Record.ID); err != nil || now.Match.Seq() != 3 {
		t.Errorf("entry %d, %v", now.Match.Seq(), err)
	}
}

// A transaction that fails leaves nothing in the cache.
func TestFailedCommitIsNotCached(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	w.config.Store = failingStore{w.store}
	h := host.New(w.config)
	if _, err := h.Act(t.Context(), w.by(anna), v.Record.ID, 0, "right"); !errors.Is(err, errCommit) {
		t.Fatal(err)
	}
	now, err := h.Match(t.Context(), v.Record.ID)
	if err != nil || now.Match.Seq() != 0 {
		t.Errorf("entry %d, %v", now.Match.Seq(), err)
	}
}

var errCommit = errors.New("the disk is full")

// failingStore rolls back every write transaction at its end.
type failingStore struct{ storage.Store }

func (s failingStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errCommit
	})
}
