package match_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/trails"
)

// view holds everything that a match says.
type view struct {
	Seq, Public int
	Seat        engine.Seat
	Playing     []bool
	TimedOut    []bool
	Began       time.Time // the open turn
	Open        string
	Number      int
	Turns       []string
	Hash        uint64
	Count       int // turns of the position
	Outcome     match.Outcome
	Over        bool
	Abort, Undo bool
}

func viewOf(m *match.Match) view {
	v := view{
		Seq: m.Seq(), Public: m.PublicSeq(), Seat: m.Seat(),
		Open: m.Open().String(), Number: m.Open().Number,
		Hash: m.Position().Hash(), Count: m.Position().Turns(),
		Abort: m.CanAbort(), Undo: m.CanUndo(m.Seat()),
	}
	for s := range m.Settings().Seats {
		v.Playing = append(v.Playing, m.Playing(engine.Seat(s+1)))
		v.TimedOut = append(v.TimedOut, m.TimedOut(engine.Seat(s+1)))
	}
	for _, t := range m.Turns() {
		v.Turns = append(v.Turns, fmt.Sprintf("%d %d %s %s", t.Number, t.Seat, t, t.EndedAt))
	}
	v.Began = m.Open().BeganAt
	v.Outcome, v.Over = m.Over()
	return v
}

// model makes random decisions, legal and not, on one match.
type model struct {
	match   *match.Match
	log     []match.Entry
	past    []*match.Match // after each decision
	views   []view         // of each at that time
	confirm map[engine.Seat]bool
	now     int
}

func newModel(t *rapid.T) *model {
	type set struct {
		game    engine.Game
		seats   int
		options string
	}
	s := rapid.SampledFrom([]set{
		{sample.Game{}, 2, "piles=2 counters=3"},
		{sample.Game{}, 3, "piles=1 counters=4"},
		{sample.Game{}, 6, "piles=3 counters=5"},
		{sample.V1, 3, "piles=2 counters=3 limit=2"},
		{opening(), 2, ""},
		{opening(), 3, ""},
		{trails.Game{}, 2, "size=5 towers=1"},
	}).Draw(t, "game")
	l := &model{match: start(t, s.game, s.seats, s.options), confirm: map[engine.Seat]bool{}}
	l.keep(l.match)
	return l
}

func (l *model) keep(m *match.Match) {
	l.match = m
	l.past = append(l.past, m)
	l.views = append(l.views, viewOf(m))
}

func (l *model) moment() match.Moment {
	l.now++
	mo := moment(l.now)
	mo.Confirms = func(s engine.Seat) bool { return l.confirm[s] }
	return mo
}

// took checks a decision and applies it.
func (l *model) took(t *rapid.T, entries []match.Entry, err error) {
	if err != nil {
		if entries != nil {
			t.Fatalf("an error and entries: %s, %v", format(entries), err)
		}
		return
	}
	if len(entries) == 0 {
		t.Fatalf("a decision without entries")
	}
	before := l.match
	next, err := before.With(entries...)
	if err != nil {
		t.Fatalf("a decision cannot be applied: %s: %v", format(entries), err)
	}
	if next.PublicSeq() < before.PublicSeq() || next.PublicSeq() > next.Seq() {
		t.Fatalf("PublicSeq goes from %d to %d of %d", before.PublicSeq(), next.PublicSeq(), next.Seq())
	}
	changed := len(next.Turns()) > len(before.Turns()) || slices.ContainsFunc(entries, func(e match.Entry) bool {
		return e.Kind == match.KindResign || e.Kind == match.KindClaim || e.Kind == match.KindAbort
	})
	if changed != (next.PublicSeq() > before.PublicSeq()) {
		t.Fatalf("%s: PublicSeq goes from %d to %d", format(entries), before.PublicSeq(), next.PublicSeq())
	}
	l.log = append(l.log, entries...)
	l.keep(next)
}

func (l *model) anySeat(t *rapid.T) engine.Seat {
	if l.match.Seat() != engine.Nobody && rapid.IntRange(0, 4).Draw(t, "own") > 0 {
		return l.match.Seat()
	}
	return engine.Seat(rapid.IntRange(0, l.match.Settings().Seats+1).Draw(t, "seat"))
}

// legal returns up to n legal tokens of the present turn.
func (l *model) legal(t *rapid.T, n int) string {
	p := l.match.Position()
	turns := p.Turns()
	var tokens []string
	for range n {
		legal := p.Legal()
		if len(legal) == 0 || p.Turns() != turns {
			break
		}
		a := rapid.SampledFrom(legal).Draw(t, "action")
		tokens = append(tokens, a.String())
		next, err := p.Apply(a)
		if err != nil {
			t.Fatalf("a legal action is refused: %v", err)
		}
		p = next
	}
	return strings.Join(tokens, " ")
}

func (l *model) Act(t *rapid.T) {
	text := l.legal(t, rapid.IntRange(1, 3).Draw(t, "length"))
	seat := l.match.Seat()
	entries, err := l.match.Act(seat, text, l.moment())
	if seat != engine.Nobody && err != nil {
		t.Fatalf("the legal turn %q of seat %d is refused: %v", text, seat, err)
	}
	l.took(t, entries, err)
}

func (l *model) ActNonsense(t *rapid.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab12 endpsé?\n")), 0, 12, -1).Draw(t, "text")
	entries, err := l.match.Act(l.anySeat(t), text, l.moment())
	l.took(t, entries, err)
}

// ActAndUndo checks that an undo reverts the action before it.
func (l *model) ActAndUndo(t *rapid.T) {
	seat := l.match.Seat()
	if seat == engine.Nobody {
		t.Skip("the match is over")
	}
	before := viewOf(l.match)
	mo := l.moment()
	mo.Confirms = func(engine.Seat) bool { return true }
	entries, err := l.match.Act(seat, l.legal(t, 1), mo)
	l.took(t, entries, err)
	if l.match.Seat() != seat || len(l.match.Turns()) > len(before.Turns) {
		return // the turn has ended
	}
	entries, err = l.match.Undo(seat, l.moment())
	if err != nil {
		t.Fatalf("the action cannot be taken back: %v", err)
	}
	l.took(t, entries, nil)
	after := viewOf(l.match)
	after.Seq = before.Seq
	if !reflect.DeepEqual(after, before) {
		t.Fatalf("undo gives\n%+v\nwant\n%+v", after, before)
	}
}

func (l *model) Undo(t *rapid.T) {
	seat := l.anySeat(t)
	can := l.match.CanUndo(seat)
	entries, err := l.match.Undo(seat, l.moment())
	if can != (err == nil) {
		t.Fatalf("CanUndo says %t, Undo %v", can, err)
	}
	l.took(t, entries, err)
}

func (l *model) Resign(t *rapid.T) {
	if rapid.IntRange(0, 5).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
	seat := l.anySeat(t)
	can := l.match.Playing(seat)
	entries, err := l.match.Resign(seat, l.moment())
	if can != (err == nil) {
		t.Fatalf("Playing says %t, Resign %v", can, err)
	}
	l.took(t, entries, err)
}

// Claim checks that any seat that is playing can claim in the turn of another.
func (l *model) Claim(t *rapid.T) {
	if rapid.IntRange(0, 5).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
	seat, toAct := l.anySeat(t), l.match.Seat()
	can := l.match.Playing(seat) && seat != toAct
	entries, err := l.match.Claim(seat, l.moment())
	if can != (err == nil) {
		t.Fatalf("seat %d claims in the turn of %d: %v", seat, toAct, err)
	}
	l.took(t, entries, err)
	if !can {
		return
	}
	if out, over := l.match.Over(); l.match.Playing(toAct) || over && out.Ending == match.ByClaim && (out.TimedOut != toAct || out.By != seat) {
		t.Fatalf("after the claim against seat %d the outcome is %+v", toAct, out)
	}
}

func (l *model) Abort(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
	seat := l.anySeat(t)
	can := l.match.CanAbort() && l.match.Playing(seat)
	entries, err := l.match.Abort(seat, l.moment())
	if can != (err == nil) {
		t.Fatalf("CanAbort says %t, Abort %v", can, err)
	}
	l.took(t, entries, err)
}

// Branch continues an earlier match differently, which must not change the
// matches that came after it.
func (l *model) Branch(t *rapid.T) {
	old := rapid.SampledFrom(l.past).Draw(t, "past")
	seat := old.Seat()
	if seat == engine.Nobody {
		t.Skip("the match is over")
	}
	decide := rapid.SampledFrom([]func() ([]match.Entry, error){
		func() ([]match.Entry, error) {
			legal := old.Position().Legal()
			return old.Act(seat, rapid.SampledFrom(legal).Draw(t, "action").String(), l.moment())
		},
		func() ([]match.Entry, error) { return old.Resign(seat, l.moment()) },
	}).Draw(t, "branch")
	entries, err := decide()
	if err != nil {
		t.Fatalf("branch: %v", err)
	}
	if _, err := old.With(entries...); err != nil {
		t.Fatalf("branch: %v", err)
	}
}

func (l *model) Confirm(t *rapid.T) {
	seat := engine.Seat(rapid.IntRange(1, l.match.Settings().Seats).Draw(t, "seat"))
	l.confirm[seat] = !l.confirm[seat]
}

// Check checks what always holds.
func (l *model) Check(t *rapid.T) {
	m := l.match
	if m.Seq() != len(l.log) {
		t.Fatalf("Seq is %d after %d entries", m.Seq(), len(l.log))
	}
	outcome, over := m.Over()
	if over != (m.Seat() == engine.Nobody) {
		t.Fatalf("over %t, and seat %d is to act", over, m.Seat())
	}
	if over && outcome.Ending != match.ByAbort && len(outcome.Result.Ranks) != m.Settings().Seats {
		t.Fatalf("the result is %+v", outcome.Result)
	}
	if !over {
		open := m.Open()
		if !m.Playing(open.Seat) || open.Seat != m.Seat() || m.Position().Seat() != m.Seat() || open.Number != len(m.Turns())+1 || open.BeganAt.After(moment(l.now).At) {
			t.Fatalf("the open turn %+v, seat %d, position's seat %d", open, m.Seat(), m.Position().Seat())
		}
	}
}

// finish checks that logs replay to the same matches, and that no match has
// changed.
func (l *model) finish(t *rapid.T) {
	for i, m := range l.past {
		if now := viewOf(m); !reflect.DeepEqual(now, l.views[i]) {
			t.Fatalf("a match has changed from\n%+v\nto\n%+v", l.views[i], now)
		}
		again, err := match.Replay(m.Game(), m.Settings(), l.log[:m.Seq()])
		if err != nil {
			t.Fatalf("replay to %d: %v", m.Seq(), err)
		}
		if got := viewOf(again); !reflect.DeepEqual(got, l.views[i]) {
			t.Fatalf("replay gives\n%+v\nwant\n%+v", got, l.views[i])
		}
		at, err := l.match.At(m.Seq())
		if err != nil || !reflect.DeepEqual(viewOf(at), l.views[i]) {
			t.Fatalf("At(%d) differs (%v)", m.Seq(), err)
		}
	}
}

func TestRandomDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newModel(t)
		t.Repeat(rapid.StateMachineActions(l))
		l.finish(t)
	})
}
