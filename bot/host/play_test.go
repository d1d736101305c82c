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
	"castellan/bot/host/offers"
	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/engine/trails"
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
						_, err := w.Host.Act(t.Context(), w.Actor(r.by), v.Record.ID, r.seq, r.text)
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
			_, err := w.Host.Act(t.Context(), w.Actor(anna), v.Record.ID+1, host.AnySeq, "up")
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
	actor := w.Actor(anna)
	if _, err := w.Host.Act(t.Context(), actor, v.Record.ID, host.AnySeq, "castle"); err == nil {
		t.Fatal("castle was played")
	}
	if v, err := w.Host.Act(t.Context(), actor, v.Record.ID, host.AnySeq, "right"); err != nil || v.Repeated || v.Match.Seq() != 1 {
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
		_, err := w.Host.Act(t.Context(), host.Actor{Person: p, Interaction: strconv.FormatInt(id, 10)}, v.Record.ID, host.AnySeq, text)
		return err
	}
	must(t, send(anna, first+minute, "right"))
	must(t, send(ben, first+2*minute, "left"))
	for _, sent := range []int64{first, first + minute + 1} {
		w.unchanged(t, v.Record.ID, v.Record.Challenge, func() { refused(t, send(anna, sent, "right"), host.ErrStale) })
	}
	_, err := w.Host.Undo(t.Context(), host.Actor{Person: ben, Interaction: strconv.FormatInt(first, 10)}, v.Record.ID, host.AnySeq)
	refused(t, err, host.ErrStale)
	_, err = w.Host.MakeOffer(t.Context(), host.Actor{Person: ben, Interaction: strconv.FormatInt(first, 10)}, v.Record.ID, host.AnySeq, offers.Takeback)
	refused(t, err, host.ErrStale)
	must(t, send(anna, first+2*minute+1, "right"))
	// Discord delivers for a quarter of an hour: an ID that is older than that comes
	// from another clock.
	must(t, send(ben, first-30*minute, "left"))
}

func TestAct(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	w.Advance(time.Hour)
	actor := w.Actor(anna)
	v, err := w.Host.Act(t.Context(), actor, v.Record.ID, 0, " R ")
	must(t, err)
	s := w.snapshot(v.Record.ID, 0)
	want := []storage.Entry{{Seq: 1, Kind: "action", Seat: 1, Text: "right", At: w.Now(), Interaction: actor.Interaction}}
	want[0].Digest = s.match.Root.Next(want[0])
	if !reflect.DeepEqual(s.entries, want) {
		t.Errorf("%+v", s.entries)
	}
	if p, _ := v.ToMove(); p != ben || v.Since() != w.Now() || v.Repeated || v.Match.Seq() != 1 || s.match.Seq != 1 {
		t.Errorf("%v is to move since %v", p, v.Since())
	}
	w.Advance(time.Hour)
	w.unchanged(t, v.Record.ID, 0, func() {
		again, err := w.Host.Act(t.Context(), actor, v.Record.ID, 0, "up")
		if err != nil || !again.Repeated || again.Match.Seq() != 1 {
			t.Errorf("the same interaction: %+v, %v", again, err)
		}
	})
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
			_, err := w.Host.Act(t.Context(), w.Actor(p), v.Record.ID, seq, legal[i%len(legal)].String())
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, host.ErrStale):
				t.Errorf("%v", err)
			}
		})
		after := w.Match(v.Record.ID)
		if won.Load() != 1 || after.Match.Seq() != seq+1 {
			t.Fatalf("%d of %d clicks counted, %d entries after %d", won.Load(), clicks, after.Match.Seq(), seq)
		}
		v = after
	}
}

func TestConcurrentDeliveries(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	actor := w.Actor(anna)
	var fresh atomic.Int32
	atOnce(40, func(int) {
		after, err := w.Host.Act(t.Context(), actor, v.Record.ID, 0, "right")
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

func TestCancelledContext(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.unchanged(t, v.Record.ID, 0, func() {
		_, err := w.Host.Act(ctx, w.Actor(anna), v.Record.ID, host.AnySeq, "right")
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
	w.Host.SetPostPending(func(_ context.Context, v *host.View) {
		flushed = append(flushed, v.Board.ID)
		if posts {
			w.post(v.Record.ID)
		}
	})
	w.unchanged(t, id, 0, func() { // refused requests change nothing, so they flush nothing
		_, err := w.Host.Act(t.Context(), w.Actor(ben), id, host.AnySeq, "right")
		if err == nil {
			t.Error("it is Anna's turn")
		}
	})
	v = w.act(v, "right")
	if got := w.states(id); len(flushed) != 1 || got != "superseded0🔔 due1🔔" {
		t.Errorf("flushed %v, boards %s", flushed, got)
	}
	posts = false // the request goes on even so
	w.act(w.act(v, "left"), "down")
	if _, err := w.Host.RepostBoard(t.Context(), w.Actor(anna), id); err != nil || len(flushed) != 3 {
		t.Errorf("flushed %v for a board that stays due, %v", flushed, err)
	}
	w.post(id)
	if _, err := w.Host.Resign(t.Context(), w.Actor(anna), id, host.AnySeq); err != nil || len(flushed) != 3 {
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
			must(t, account.New(w.Host).SetPreferences(t.Context(), storage.Preferences{Person: anna.ID, ConfirmTurn: tt.confirm}))
			before := w.snapshot(v.Record.ID, 0)
			after, draft, err := w.Host.ActOrConfirm(t.Context(), w.Actor(anna), v.Record.ID, v.Match.Seq(), tt.text)
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
			_, _, err = w.Host.ActOrConfirm(t.Context(), w.Actor(anna), v.Record.ID, 7, tt.text)
			refused(t, err, host.ErrStale)
			w.latest(w.act(v, draft.Turn))
		})
	}
}

// observedStore knows whether a transaction that writes is running.
type observedStore struct {
	storage.Store
	writing, committed *bool
}

func (s observedStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	err := s.Store.Update(ctx, func(tx storage.Tx) error {
		*s.writing = true
		defer func() { *s.writing = false }()
		return fn(tx)
	})
	*s.committed = err == nil
	return err
}

// Whether the opponent could win is searched before the transaction that writes, also
// if another process has played since this one looked.
func TestRiskIsSearchedBeforeWriting(t *testing.T) {
	for name, elsewhere := range map[string]bool{"the match is known": false, "another process has played": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			v := w.start("trails", nil)
			var writing, committed bool
			searches := 0
			config := w.Config
			config.Store = observedStore{w.Store, &writing, &committed}
			config.Engines = []search.Engine{{Game: enginetest.AllStandard(trails.Game{}), CanWin: func(engine.Position) bool {
				searches++
				if writing {
					t.Error("searched inside the transaction")
				}
				return true
			}}}
			h := host.New(config)
			_, err := h.Match(t.Context(), v.Record.ID)
			must(t, err)
			by, turn := anna, "right"
			if elsewhere {
				w.act(v, "right")
				by, turn = ben, "left"
			}
			_, draft, err := h.ActOrConfirm(t.Context(), w.Actor(by), v.Record.ID, host.AnySeq, turn)
			if err != nil || draft == nil || draft.Risk != match.Exposes || committed || searches != 1 {
				t.Errorf("draft %+v (%v), committed %t, %d searches", draft, err, committed, searches)
			}
		})
	}
}

// The views of a person's running matches know risks, too: /move marks a suggestion
// after which the opponent could win.
func TestRunningKnowsRisks(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	config := w.Config
	config.Engines = []search.Engine{{Game: enginetest.AllStandard(trails.Game{}), CanWin: func(engine.Position) bool { return true }}}
	running, err := host.New(config).Running(t.Context(), anna.ID, "")
	must(t, err)
	after, _, err := v.Match.Try(1, "right", match.Cause{})
	must(t, err)
	if len(running) != 1 || running[0].Risk(1, after) != match.Exposes {
		t.Errorf("%d matches; the risk is %v", len(running), running[0].Risk(1, after))
	}
}

// An outdated view is read again.
func TestRefresh(t *testing.T) {
	w := newWorld(t)
	first := w.act(w.start("trails", nil), "right")
	second := w.act(first, "left")
	if got, err := w.Host.Refresh(t.Context(), first); err != nil || got.Match.Seq() != 2 {
		t.Errorf("refreshed to entry %d, %v", got.Match.Seq(), err)
	}
	// Posting the board of an outdated view returns the match as it is now. On a
	// server, the turn after it has fenced its lease.
	v, err := w.Host.BoardPosted(t.Context(), first, first.Board.ID, "late")
	if dbtest.Postgres() && !errors.Is(err, storage.ErrFenced) || !dbtest.Postgres() && err != nil {
		t.Errorf("posted a board of an outdated view: %v", err)
	}
	w.latest(v)
	if v.Match.Seq() != 2 || v.Board.ID != second.Board.ID || w.states(v.Record.ID) != "skipped0🔔 superseded1🔔 due2🔔" {
		t.Errorf("entry %d, boards %s", v.Match.Seq(), w.states(v.Record.ID))
	}
	// Another process plays.
	other := host.New(w.Config)
	_, err = other.Act(t.Context(), w.Actor(anna), v.Record.ID, host.AnySeq, "down")
	must(t, err)
	if now, err := w.Host.Match(t.Context(), v.Record.ID); err != nil || now.Match.Seq() != 3 {
		t.Errorf("entry %d, %v", now.Match.Seq(), err)
	}
}

// A transaction that fails leaves nothing in the cache.
func TestFailedCommitIsNotCached(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	w.Config.Store = failingStore{w.Store}
	h := host.New(w.Config)
	if _, err := h.Act(t.Context(), w.Actor(anna), v.Record.ID, 0, "right"); !errors.Is(err, errCommit) {
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
