package host_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine/match"
	"castellan/engine/prepared"
	"castellan/storage"
)

// prepare replaces what a person has prepared in a match.
func (w *world) prepare(p storage.Person, v *host.View, tree string) *host.View {
	w.t.Helper()
	plan := w.Match(v.Record.ID).Plan(v.SeatOf(p.ID))
	t, err := prepared.Parse(plan.Tree.Turns, tree)
	must(w.t, err)
	plan.Tree = t
	return w.done(w.Host.Prepare(w.t.Context(), w.Actor(p), v.Record.ID, v.Match.PublicSeq(), plan.Revision, plan))
}

// plan returns what is left of the turns that a person has prepared.
func (w *world) plan(p storage.Person, id storage.MatchID) string {
	v := w.Match(id)
	return v.Plan(v.SeatOf(p.ID)).Tree.String()
}

// Two people prepare turns against each other. All are played in the moment of the
// first, with one board and one notification, and take no time.
func TestPreparedTurns(t *testing.T) {
	w := newWorld(t)
	v := w.accept(ben, w.create(anna, host.Proposal{
		Place: here, Opponents: []storage.Person{ben}, Game: "sample", First: host.FirstMe, Clock: "1d",
		Options: map[string]string{"counters": "20", "piles": "4"},
	}))
	w.post(v.Record.ID)
	chain := func(piles string) (turns []string) {
		for n := range 20 {
			turns = append(turns, fmt.Sprintf("%c1", piles[n/10]))
		}
		return turns
	}
	var annas, bens strings.Builder
	a, b := chain("ab"), chain("cd")
	for n := range 20 {
		bens.WriteString(strings.Repeat("\t", 2*n) + a[n] + "\n" + strings.Repeat("\t", 2*n+1) + b[n] + "\n")
		if annas.WriteString(strings.Repeat("\t", 2*n) + a[n] + "\n"); n < 19 {
			annas.WriteString(strings.Repeat("\t", 2*n+1) + b[n] + "\n")
		}
	}
	v = w.prepare(anna, v, annas.String())
	v = w.prepare(ben, v, bens.String())
	w.Advance(time.Hour)
	v = w.act(v, "a1 end")
	turns := v.Match.Turns()
	if len(turns) != 40 {
		t.Fatalf("%d turns were played", len(turns))
	}
	for n, turn := range turns {
		if turn.Prepared != (n > 0) || !turn.EndedAt.Equal(w.Now()) || n > 0 && !turn.BeganAt.Equal(w.Now()) {
			t.Errorf("turn %d: %+v", n+1, turn)
		}
	}
	if got := w.states(v.Record.ID); got != fmt.Sprintf("superseded0🔔 due%d🔔", v.Match.Seq()) {
		t.Errorf("boards %s", got)
	}
	if at := v.TimeoutAt(); !at.Equal(w.Now().Add(24 * time.Hour)) {
		t.Errorf("the deadline is %s", at)
	}
	if left := w.plan(anna, v.Record.ID) + w.plan(ben, v.Record.ID); left != "" {
		t.Errorf("%q is left", left)
	}
	// A turn that a prepared one has answered cannot be taken back.
	if v.CanTakeBack(1) || !v.CanTakeBack(2) {
		t.Error("the wrong turn can be taken back")
	}
}

// A turn that is not legal when it applies is not played. The person is notified as
// usual and can see why.
func TestPreparedIllegal(t *testing.T) {
	w := newWorld(t)
	v := w.prepare(ben, w.start("sample", nil), "*\n\ta3 a3\n\t\ta1\n\t\t\tb1\n")
	w.post(v.Record.ID)
	v = w.act(v, "a3 end")
	if got := w.states(v.Record.ID); len(v.Match.Turns()) != 1 || got != "superseded0🔔 due2🔔" {
		t.Errorf("%d turns, boards %s", len(v.Match.Turns()), got)
	}
	turn, why := v.Unplayable()
	if token := new(match.TokenError); turn != "a3 a3" || !errors.As(why, &token) {
		t.Errorf("%q: %v", turn, why)
	}
	v = w.act(v, "b1 end")
	if turn, why := v.Unplayable(); turn != "" || why != nil || w.plan(ben, v.Record.ID) != "" {
		t.Errorf("%q: %v", turn, why)
	}
}

func TestPrepareRefused(t *testing.T) {
	w := newWorld(t)
	v := w.start("sample", nil)
	later := w.act(v, "a1")
	deep := host.Plan{Tree: prepared.Tree{Nodes: []prepared.Node{{Turn: "b1" + strings.Repeat(" a1", 200)}}}}
	stale := host.Plan{Tree: prepared.Tree{Turns: 1, Nodes: []prepared.Node{{Turn: "a1"}}}}
	over := w.resign(anna, w.start("sample", nil))
	left := w.started(3)
	left = w.resign(chloe, left)
	for _, tt := range []struct {
		name          string
		by            storage.Person
		id            storage.MatchID
		seq, revision int
		plan          host.Plan
		want          error
	}{
		{"a spectator", dora, v.Record.ID, 0, 0, host.Plan{}, host.ErrNotSeated},
		{"no match", ben, 99, 0, 0, host.Plan{}, host.ErrNoMatch},
		{"after another turn", ben, v.Record.ID, 7, 0, host.Plan{}, host.ErrStale},
		{"after another change", ben, v.Record.ID, 0, 3, host.Plan{}, host.ErrStale},
		{"a tree of another turn", ben, v.Record.ID, host.AnySeq, host.AnySeq, stale, host.ErrStale},
		{"too long", ben, v.Record.ID, 0, 0, deep, prepared.ErrTooMuch},
		{"a long draft", ben, v.Record.ID, 0, 0, host.Plan{Draft: strings.Repeat("x", 5000)}, prepared.ErrTooMuch},
		{"over", ben, over.Record.ID, host.AnySeq, 0, host.Plan{}, match.ErrOver},
		{"retired", chloe, left.Record.ID, host.AnySeq, 0, host.Plan{}, match.ErrNotPlaying},
	} {
		_, err := w.Host.Prepare(t.Context(), w.Actor(tt.by), tt.id, tt.seq, tt.revision, tt.plan)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	// The actions of an open turn are private and outdate nothing. An interaction
	// counts once.
	actor := w.Actor(ben)
	for range 2 {
		after, err := w.Host.Prepare(t.Context(), actor, v.Record.ID, 0, 0, host.Plan{Draft: "x"})
		if err != nil || after.Plan(2).Draft != "x" || after.Plan(2).Revision != 1 || later.Match.Seq() != 1 {
			t.Errorf("%+v, %v", after, err)
		}
	}
}

// A takeback restores what was prepared, unless it was prepared later.
func TestPreparedTakeback(t *testing.T) {
	const plan = "a1\n\tb1\n"
	w := newWorld(t)
	v := w.prepare(ben, w.start("sample", nil), plan)
	v = w.act(v, "a2 end")
	if got := w.plan(ben, v.Record.ID); got != "" {
		t.Errorf("%q is left", got)
	}
	v = w.done(w.Host.Undo(t.Context(), w.Actor(anna), v.Record.ID, host.AnySeq))
	if got := w.plan(ben, v.Record.ID); got != plan {
		t.Errorf("%q is left", got)
	}
	v = w.act(v, "a1 end")
	if last, _ := v.Match.Last(); last.String() != "b1 end" {
		t.Fatalf("%s was played", last)
	}
	// The player of a prepared turn can take it back. It is not played again.
	v = w.done(w.Host.Undo(t.Context(), w.Actor(ben), v.Record.ID, host.AnySeq))
	if v.Match.Seat() != 2 || len(v.Match.Turns()) != 1 {
		t.Errorf("seat %d is to move after %d turns", v.Match.Seat(), len(v.Match.Turns()))
	}
	v = w.act(v, "b2 end")
	v = w.prepare(ben, v, "b1\n\ta1\n")
	v = w.done(w.Host.Undo(t.Context(), w.Actor(ben), v.Record.ID, host.AnySeq)) // what was prepared follows a turn that is gone
	v = w.act(v, "b3 end")
	v = w.act(v, "b1 end")
	if last, _ := v.Match.Last(); last.Seat != 1 || w.plan(ben, v.Record.ID) != "" {
		t.Errorf("%s was played", last)
	}
}
