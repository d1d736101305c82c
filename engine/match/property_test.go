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

// view is everything that can be seen of a match, to compare matches by.
type view struct {
	Seq, Public int
	Seat        engine.Seat
	Playing     []bool
	Silent      []bool
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

func look(m *match.Match) view {
	v := view{
		Seq: m.Seq(), Public: m.PublicSeq(), Seat: m.Seat(),
		Open: m.Open().String(), Number: m.Open().Number,
		Hash: m.Position().Hash(), Count: m.Position().Turns(),
		Abort: m.CanAbort(), Undo: m.CanUndo(m.Seat()),
	}
	for s := range m.Settings().Seats {
		v.Playing = append(v.Playing, m.Playing(engine.Seat(s+1)))
		v.Silent = append(v.Silent, m.TimedOut(engine.Seat(s+1)))
	}
	for _, t := range m.Turns() {
		v.Turns = append(v.Turns, fmt.Sprintf("%d %d %s %s", t.Number, t.Seat, t, t.EndedAt))
	}
	v.Began = m.Open().BeganAt
	v.Outcome, v.Over = m.Over()
	return v
}

// life is the state machine: random decisions, good and bad, on one match.
type life struct {
	match   *match.Match
	log     []match.Entry
	past    []*match.Match // after every decision
	views   []view         // what was seen of each then
	confirm map[engine.Seat]bool
	now     int
}

func newLife(t *rapid.T) *life {
	type set struct {
		game    engine.Game
		seats   int
		options string
	}
	s := rapid.SampledFrom([]set{
		{sample.Game{}, 2, "piles=2 counters=3"},
		{sample.Game{}, 3, "piles=1 counters=4"},
		{sample.Game{}, 6, "piles=3 counters=5"},
		{opening(), 2, ""},
		{opening(), 3, ""},
		{trails.Game{}, 2, "size=5 towers=1"},
	}).Draw(t, "game")
	l := &life{match: start(t, s.game, s.seats, s.options), confirm: map[engine.Seat]bool{}}
	l.keep(l.match)
	return l
}

func (l *life) keep(m *match.Match) {
	l.match = m
	l.past = append(l.past, m)
	l.views = append(l.views, look(m))
}

func (l *life) moment() match.Moment {
	l.now++
	mo := moment(l.now)
	mo.Confirms = func(s engine.Seat) bool { return l.confirm[s] }
	return mo
}

// took checks a decision and goes on from it.
func (l *life) took(t *rapid.T, entries []match.Entry, err error) {
	if err != nil {
		if entries != nil {
			t.Fatalf("an error and entries: %s, %v", tell(entries), err)
		}
		return
	}
	if len(entries) == 0 {
		t.Fatalf("a decision without entries")
	}
	before := l.match
	next, err := before.With(entries...)
	if err != nil {
		t.Fatalf("a decision that cannot be applied: %s: %v", tell(entries), err)
	}
	if next.PublicSeq() < before.PublicSeq() || next.PublicSeq() > next.Seq() {
		t.Fatalf("PublicSeq goes from %d to %d of %d", before.PublicSeq(), next.PublicSeq(), next.Seq())
	}
	changed := len(next.Turns()) > len(before.Turns()) || slices.ContainsFunc(entries, func(e match.Entry) bool {
		return e.Kind == match.KindResign || e.Kind == match.KindClaim || e.Kind == match.KindAbort
	})
	if changed != (next.PublicSeq() > before.PublicSeq()) {
		t.Fatalf("%s: PublicSeq goes from %d to %d", tell(entries), before.PublicSeq(), next.PublicSeq())
	}
	l.log = append(l.log, entries...)
	l.keep(next)
}

func (l *life) anySeat(t *rapid.T) engine.Seat {
	if l.match.Seat() != engine.Nobody && rapid.IntRange(0, 4).Draw(t, "own") > 0 {
		return l.match.Seat()
	}
	return engine.Seat(rapid.IntRange(0, l.match.Settings().Seats+1).Draw(t, "seat"))
}

// legal is a turn of up to n legal tokens from the present position.
func (l *life) legal(t *rapid.T, n int) string {
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

func (l *life) Act(t *rapid.T) {
	text := l.legal(t, rapid.IntRange(1, 3).Draw(t, "length"))
	seat := l.match.Seat()
	entries, err := l.match.Act(seat, text, l.moment())
	if seat != engine.Nobody && err != nil {
		t.Fatalf("the legal turn %q of seat %d is refused: %v", text, seat, err)
	}
	l.took(t, entries, err)
}

func (l *life) ActNonsense(t *rapid.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab12 endpsé?\n")), 0, 12, -1).Draw(t, "text")
	entries, err := l.match.Act(l.anySeat(t), text, l.moment())
	l.took(t, entries, err)
}

// ActAndUndo wants an undo to be the inverse of the action before it.
func (l *life) ActAndUndo(t *rapid.T) {
	seat := l.match.Seat()
	if seat == engine.Nobody {
		t.Skip("it is over")
	}
	was := look(l.match)
	mo := l.moment()
	mo.Confirms = func(engine.Seat) bool { return true } // the action alone
	entries, err := l.match.Act(seat, l.legal(t, 1), mo)
	l.took(t, entries, err)
	if l.match.Seat() != seat || len(l.match.Turns()) > len(was.Turns) {
		return // the turn has ended
	}
	entries, err = l.match.Undo(seat, l.moment())
	if err != nil {
		t.Fatalf("the action cannot be taken back: %v", err)
	}
	l.took(t, entries, nil)
	is := look(l.match)
	is.Seq = was.Seq
	if !reflect.DeepEqual(is, was) {
		t.Fatalf("undo gives\n%+v\nwas\n%+v", is, was)
	}
}

func (l *life) Undo(t *rapid.T) {
	seat := l.anySeat(t)
	can := l.match.CanUndo(seat)
	entries, err := l.match.Undo(seat, l.moment())
	if can != (err == nil) {
		t.Fatalf("CanUndo says %t, Undo %v", can, err)
	}
	l.took(t, entries, err)
}

func (l *life) Resign(t *rapid.T) {
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

// Claim removes whoever is to act, by anybody else who is playing.
func (l *life) Claim(t *rapid.T) {
	if rapid.IntRange(0, 5).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
	seat, silent := l.anySeat(t), l.match.Seat()
	can := l.match.Playing(seat) && seat != silent
	entries, err := l.match.Claim(seat, l.moment())
	if can != (err == nil) {
		t.Fatalf("seat %d claims in the turn of %d: %v", seat, silent, err)
	}
	l.took(t, entries, err)
	if !can {
		return
	}
	if out, over := l.match.Over(); l.match.Playing(silent) || over && out.Ending == match.ByClaim && (out.TimedOut != silent || out.By != seat) {
		t.Fatalf("seat %d was silent; the outcome is %+v", silent, out)
	}
}

func (l *life) Abort(t *rapid.T) {
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

// Branch goes on differently from an earlier match, and forgets about it: what
// came of the first way must stay.
func (l *life) Branch(t *rapid.T) {
	old := rapid.SampledFrom(l.past).Draw(t, "past")
	seat := old.Seat()
	if seat == engine.Nobody {
		t.Skip("it is over")
	}
	decide := rapid.SampledFrom([]func() ([]match.Entry, error){
		func() ([]match.Entry, error) {
			legal := old.Position().Legal()
			return old.Act(seat, rapid.SampledFrom(legal).Draw(t, "action").String(), l.moment())
		},
		func() ([]match.Entry, error) { return old.Resign(seat, l.moment()) },
	}).Draw(t, "way")
	entries, err := decide()
	if err != nil {
		t.Fatalf("the other way: %v", err)
	}
	if _, err := old.With(entries...); err != nil {
		t.Fatalf("the other way: %v", err)
	}
}

func (l *life) Confirm(t *rapid.T) {
	seat := engine.Seat(rapid.IntRange(1, l.match.Settings().Seats).Draw(t, "seat"))
	l.confirm[seat] = !l.confirm[seat]
}

// Check is what always holds.
func (l *life) Check(t *rapid.T) {
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

// Logs replay to the same match, and no match has changed since it was made.
func (l *life) finish(t *rapid.T) {
	for i, m := range l.past {
		if now := look(m); !reflect.DeepEqual(now, l.views[i]) {
			t.Fatalf("a match has changed from\n%+v\nto\n%+v", l.views[i], now)
		}
		again, err := match.Replay(m.Game(), m.Settings(), l.log[:m.Seq()])
		if err != nil {
			t.Fatalf("replay to %d: %v", m.Seq(), err)
		}
		if got := look(again); !reflect.DeepEqual(got, l.views[i]) {
			t.Fatalf("replay gives\n%+v\nwant\n%+v", got, l.views[i])
		}
		at, err := l.match.At(m.Seq())
		if err != nil || !reflect.DeepEqual(look(at), l.views[i]) {
			t.Fatalf("At(%d) differs (%v)", m.Seq(), err)
		}
	}
}

func TestLife(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLife(t)
		t.Repeat(rapid.StateMachineActions(l))
		l.finish(t)
	})
}
