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
	Count       int // of the turns in the position
	Outcome     match.Outcome
	Over        bool
	Abort, Undo bool
	Left        []time.Duration
	Voided      bool
	Stood       []match.Span
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
	v.Left, v.Voided, v.Stood = m.TimeLeft(epoch, m.Stood()), m.Voided(), m.Stood()
	v.Outcome, v.Over = m.Over()
	return v
}

// randomMatch is a match on which random decisions are made, legal and not.
type randomMatch struct {
	match   *match.Match
	log     []match.Entry
	past    []*match.Match // at the start and after each decision
	views   []view         // what each of them said then
	confirm map[engine.Seat]bool
	now     int
}

func newRandomMatch(t *rapid.T) *randomMatch {
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
	terms := settings(t, s.game, s.seats, s.options)
	if rapid.Bool().Draw(t, "timed") {
		terms.Clock = match.Clock{Bank: time.Hour, Increment: time.Minute, Cap: 2 * time.Hour}
	}
	m, err := match.Start(s.game, terms)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	r := &randomMatch{match: m, confirm: map[engine.Seat]bool{}}
	r.keep(r.match)
	return r
}

func (r *randomMatch) keep(m *match.Match) {
	r.match = m
	r.past = append(r.past, m)
	r.views = append(r.views, viewOf(m))
}

func (r *randomMatch) moment() match.Cause {
	r.now++
	cause := moment(r.now)
	cause.Confirms = func(s engine.Seat) bool { return r.confirm[s] }
	return cause
}

// decided checks what a decision returned and applies it.
func (r *randomMatch) decided(t *rapid.T, entries []match.Entry, err error) {
	if err != nil {
		if entries != nil {
			t.Fatalf("an error and entries: %s, %v", format(entries), err)
		}
		return
	}
	if len(entries) == 0 {
		t.Fatalf("a decision without entries")
	}
	before := r.match
	next, err := before.With(entries...)
	if err != nil {
		t.Fatalf("a decision cannot be applied: %s: %v", format(entries), err)
	}
	if next.PublicSeq() < before.PublicSeq() || next.PublicSeq() > next.Seq() {
		t.Fatalf("PublicSeq goes from %d to %d of %d", before.PublicSeq(), next.PublicSeq(), next.Seq())
	}
	changed := len(next.Turns()) > len(before.Turns()) || slices.ContainsFunc(entries, func(e match.Entry) bool {
		return e.Kind != match.KindAction && e.Kind != match.KindUndo && e.Kind != match.KindTime
	})
	if changed != (next.PublicSeq() > before.PublicSeq()) {
		t.Fatalf("%s: PublicSeq goes from %d to %d", format(entries), before.PublicSeq(), next.PublicSeq())
	}
	_, wasOver := before.Over()
	if out, over := next.Over(); over && !wasOver && out.Ending != match.ByRules && next.Position().Hash() != before.Open().Before.Hash() {
		t.Fatalf("%s: the open turn is in the last position", format(entries))
	}
	r.log = append(r.log, entries...)
	r.keep(next)
}

func (r *randomMatch) anySeat(t *rapid.T) engine.Seat {
	if r.match.Seat() != engine.Nobody && rapid.IntRange(0, 4).Draw(t, "own") > 0 {
		return r.match.Seat()
	}
	return engine.Seat(rapid.IntRange(0, r.match.Settings().Seats+1).Draw(t, "seat"))
}

// legal returns up to n legal tokens of the present turn.
func (r *randomMatch) legal(t *rapid.T, n int) string {
	p := r.match.Position()
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

func (r *randomMatch) Act(t *rapid.T) {
	text := r.legal(t, rapid.IntRange(1, 3).Draw(t, "length"))
	seat := r.match.Seat()
	entries, err := r.match.Act(seat, text, r.moment())
	if seat != engine.Nobody && err != nil {
		t.Fatalf("the legal turn %q of seat %d is refused: %v", text, seat, err)
	}
	r.decided(t, entries, err)
}

func (r *randomMatch) ActNonsense(t *rapid.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab12 endpsé?\n")), 0, 12, -1).Draw(t, "text")
	entries, err := r.match.Act(r.anySeat(t), text, r.moment())
	r.decided(t, entries, err)
}

// ActAndUndo checks that an undo reverts the action before it.
func (r *randomMatch) ActAndUndo(t *rapid.T) {
	seat := r.match.Seat()
	if seat == engine.Nobody {
		t.Skip("the match is over")
	}
	before := viewOf(r.match)
	cause := r.moment()
	cause.Confirms = func(engine.Seat) bool { return true }
	entries, err := r.match.Act(seat, r.legal(t, 1), cause)
	r.decided(t, entries, err)
	if r.match.Seat() != seat || len(r.match.Turns()) > len(before.Turns) {
		return // the turn has ended
	}
	entries, err = r.match.Undo(seat, r.moment())
	if err != nil {
		t.Fatalf("the action cannot be taken back: %v", err)
	}
	r.decided(t, entries, nil)
	after := viewOf(r.match)
	after.Seq = before.Seq
	if !reflect.DeepEqual(after, before) {
		t.Fatalf("undo gives\n%+v\nwant\n%+v", after, before)
	}
}

func (r *randomMatch) Undo(t *rapid.T) {
	seat := r.anySeat(t)
	can := r.match.CanUndo(seat)
	entries, err := r.match.Undo(seat, r.moment())
	if can != (err == nil) {
		t.Fatalf("CanUndo says %t, Undo %v", can, err)
	}
	r.decided(t, entries, err)
}

func (r *randomMatch) Resign(t *rapid.T) {
	if rapid.IntRange(0, 5).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
	seat := r.anySeat(t)
	can := r.match.Playing(seat)
	entries, err := r.match.Resign(seat, r.moment())
	if can != (err == nil) {
		t.Fatalf("Playing says %t, Resign %v", can, err)
	}
	r.decided(t, entries, err)
}

// Claim checks that any seat that is playing can claim in the turn of another.
func (r *randomMatch) Claim(t *rapid.T) {
	if rapid.IntRange(0, 5).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
	seat, toAct := r.anySeat(t), r.match.Seat()
	can := r.match.Playing(seat) && seat != toAct
	entries, err := r.match.Claim(seat, r.moment())
	if can != (err == nil) {
		t.Fatalf("seat %d claims in the turn of %d: %v", seat, toAct, err)
	}
	r.decided(t, entries, err)
	if !can {
		return
	}
	if out, over := r.match.Over(); r.match.Playing(toAct) || over && out.Ending == match.ByClaim && (out.TimedOut != toAct || out.By != seat) {
		t.Fatalf("after the claim against seat %d the outcome is %+v", toAct, out)
	}
}

func (r *randomMatch) Abort(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
	seat := r.anySeat(t)
	can := r.match.CanAbort() && r.match.Playing(seat)
	entries, err := r.match.Abort(seat, r.moment())
	if can != (err == nil) {
		t.Fatalf("CanAbort says %t, Abort %v", can, err)
	}
	r.decided(t, entries, err)
}

// Agree checks that agreements and takebacks are possible when they say so, and
// that a takeback leaves the seat to act before a turn of its own.
func (r *randomMatch) Agree(t *rapid.T) {
	seat, m := engine.Seat(rapid.IntRange(1, r.match.Settings().Seats).Draw(t, "seat")), r.match
	_, over := m.Over()
	var can bool
	var entries []match.Entry
	var err error
	switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
	case kind == 0:
		can = m.Playing(seat) && m.Settings().Seats == 2
		entries, err = m.AgreeDraw(seat, r.moment())
	case kind == 1:
		can = m.Playing(seat) && m.CanAgreeAbort()
		entries, err = m.AgreeAbort(seat, r.moment())
	case kind < 5:
		can = m.Playing(seat) && m.Settings().Clock != match.Clock{} && seat != m.Seat()
		entries, err = m.GiveTime(seat, time.Hour, r.moment())
	case kind < 7:
		can = m.CanTakeBack(seat)
		entries, err = m.Takeback(seat, r.moment())
	default:
		can = m.CanAgreeTakeback(seat)
		entries, err = m.AgreeTakeback(seat, r.moment())
		if err == nil {
			after, err := m.With(entries...)
			if n := len(after.Turns()); err != nil || after.Seat() != seat || m.Turns()[n].Before.Hash() != after.Position().Hash() || slices.ContainsFunc(m.Turns()[n+1:], func(t match.Turn) bool {
				_, forced := engine.ForcedAction(t.Before)
				return t.Seat == seat && !forced
			}) {
				t.Fatalf("seat %d took back to %v: %v", seat, turns(after), err)
			}
		}
	}
	if can != (err == nil) || over && err == nil {
		t.Fatalf("seat %d can: %t, and it fails with %v", seat, can, err)
	}
	r.decided(t, entries, err)
}

// Organise has an organiser decide, and take that back half of the time, which leaves no
// trace but the time in between.
func (r *randomMatch) Organise(t *rapid.T) {
	m := r.match
	_, over := m.Over()
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if kind > 1 && !over && rapid.IntRange(0, 3).Draw(t, "rare") > 0 {
		return
	}
	var entries []match.Entry
	var err error
	var can bool
	switch kind {
	case 0:
		last, organised := m.ByOrganiser(m.Seq())
		can = organised && last.Kind != match.KindRevert
		entries, err = m.Revert(r.moment())
	case 1:
		out, _ := m.Over()
		can = len(out.Result.Ranks) > 0 && !m.Voided()
		entries, err = m.Void(r.moment())
	default:
		seat := engine.Seat(rapid.IntRange(0, m.Settings().Seats+1).Draw(t, "seat"))
		v := rapid.SampledFrom([]match.Verdict{match.VerdictDraw, match.VerdictNone, match.VerdictWin(seat), match.VerdictWin(seat)}).Draw(t, "verdict")
		can = !over && (v == match.VerdictNone || v == match.VerdictDraw && m.Settings().Seats == 2 || v == match.VerdictWin(seat) && m.Playing(seat))
		entries, err = m.Adjudicate(v, r.moment())
	}
	if can != (err == nil) {
		t.Fatalf("an organiser can: %t, and it fails with %v", can, err)
	}
	r.decided(t, entries, err)
	if !can || kind == 0 || rapid.Bool().Draw(t, "keep") {
		return
	}
	entries, err = r.match.Revert(r.moment())
	r.decided(t, entries, err)
	before, after := viewOf(m), viewOf(r.match)
	if kind > 1 {
		n := len(after.Stood) - 1
		if n < 0 || after.Stood[n].To.Sub(after.Stood[n].From) != time.Minute {
			t.Fatalf("clocks stood still %v", after.Stood)
		}
		after.Stood = after.Stood[:n:n]
	}
	after.Seq, after.Public = before.Seq, before.Public
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Fatalf("a decision that was taken back leaves\n%+v, before it was\n%+v", after, before)
	}
}

// Branch continues an earlier match differently, which must not change the
// matches that came after it.
func (r *randomMatch) Branch(t *rapid.T) {
	old := rapid.SampledFrom(r.past).Draw(t, "past")
	seat := old.Seat()
	if seat == engine.Nobody {
		t.Skip("the match is over")
	}
	decide := rapid.SampledFrom([]func() ([]match.Entry, error){
		func() ([]match.Entry, error) {
			legal := old.Position().Legal()
			return old.Act(seat, rapid.SampledFrom(legal).Draw(t, "action").String(), r.moment())
		},
		func() ([]match.Entry, error) { return old.Resign(seat, r.moment()) },
	}).Draw(t, "branch")
	entries, err := decide()
	if err != nil {
		t.Fatalf("branch: %v", err)
	}
	if _, err := old.With(entries...); err != nil {
		t.Fatalf("branch: %v", err)
	}
}

func (r *randomMatch) Confirm(t *rapid.T) {
	seat := engine.Seat(rapid.IntRange(1, r.match.Settings().Seats).Draw(t, "seat"))
	r.confirm[seat] = !r.confirm[seat]
}

// Check checks what always holds.
func (r *randomMatch) Check(t *rapid.T) {
	m := r.match
	if m.Seq() != len(r.log) {
		t.Fatalf("Seq is %d after %d entries", m.Seq(), len(r.log))
	}
	outcome, over := m.Over()
	if over != (m.Seat() == engine.Nobody) {
		t.Fatalf("over %t, and seat %d is to act", over, m.Seat())
	}
	if over && outcome.Ending != match.ByAbort && len(outcome.Result.Ranks) != m.Settings().Seats {
		t.Fatalf("the result is %+v", outcome.Result)
	}
	open := m.Open()
	if last, ok := m.Last(); ok != (last.Number > 0) || last.Number != len(m.Turns()) || over && (open.Before != nil || len(open.Actions) > 0) {
		t.Fatalf("the last turn is %+v, the open one %+v", last, open)
	}
	for seat := range engine.Seat(m.Settings().Seats) {
		since := m.Since(seat + 1)
		after := len(m.Turns()) - len(since)
		if after > 0 && m.Turns()[after-1].Seat != seat+1 || slices.ContainsFunc(since, func(t match.Turn) bool { return t.Seat == seat+1 }) {
			t.Fatalf("since the last turn of seat %d: %v", seat+1, since)
		}
	}
	if result, _ := m.Position().Result(); over && outcome.Ending == match.ByRules && !reflect.DeepEqual(outcome.Result, result) {
		t.Fatalf("the outcome is %+v, the game's result %+v", outcome, result)
	}
	if !over {
		p := open.Before
		for _, a := range open.Actions {
			p, _ = p.Apply(a)
		}
		if p.Hash() != m.Position().Hash() {
			t.Fatalf("the position is not the one after %s", open)
		}
		if !m.Playing(open.Seat) || open.Seat != m.Seat() || m.Position().Seat() != m.Seat() || open.Number != len(m.Turns())+1 || open.BeganAt.After(moment(r.now).At) {
			t.Fatalf("the open turn %+v, seat %d, position's seat %d", open, m.Seat(), m.Position().Seat())
		}
	}
}

// finish checks that no earlier match has changed, and that Replay and At give
// the same matches again.
func (r *randomMatch) finish(t *rapid.T) {
	for i, m := range r.past {
		if now := viewOf(m); !reflect.DeepEqual(now, r.views[i]) {
			t.Fatalf("a match has changed from\n%+v\nto\n%+v", r.views[i], now)
		}
		again, err := match.Replay(m.Game(), m.Settings(), r.log[:m.Seq()])
		if err != nil {
			t.Fatalf("replay to %d: %v", m.Seq(), err)
		}
		if got := viewOf(again); !reflect.DeepEqual(got, r.views[i]) {
			t.Fatalf("replay gives\n%+v\nwant\n%+v", got, r.views[i])
		}
		at, err := r.match.At(m.Seq())
		if err != nil || !reflect.DeepEqual(viewOf(at), r.views[i]) {
			t.Fatalf("At(%d) differs (%v)", m.Seq(), err)
		}
	}
}

func TestRandomDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRandomMatch(t)
		t.Repeat(rapid.StateMachineActions(r))
		r.finish(t)
	})
}
