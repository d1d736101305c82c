package match_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/match"
)

func TestAdjudicate(t *testing.T) {
	two := act(t, counters(t, 2, ""), "1: a2 end", "2: b1")
	four := act(t, counters(t, 4, ""), "1: a2 end")
	four = after(t, four)(four.Resign(3, moment(8)))
	result := func(winner engine.Seat, ranks ...int) engine.Result {
		r := engine.Result{Ranks: ranks}
		if winner != engine.Nobody {
			r.Winners = []engine.Seat{winner}
		}
		return r
	}
	tests := []struct {
		name    string
		match   *match.Match
		verdict match.Verdict
		want    match.Outcome
		err     error
	}{
		{"a win", two, match.VerdictWin(2), match.Outcome{Ending: match.ByAdjudication, Result: result(2, 2, 1)}, nil},
		{"a draw", two, match.VerdictDraw, match.Outcome{Ending: match.ByAdjudication, Result: result(engine.Nobody, 1, 1)}, nil},
		{"no result", two, match.VerdictNone, match.Outcome{Ending: match.ByAbort}, nil},
		{"a win of four", four, match.VerdictWin(2), match.Outcome{Ending: match.ByAdjudication, Result: result(2, 2, 1, 4, 2)}, nil},
		{"a draw of four", four, match.VerdictDraw, match.Outcome{}, match.ErrTwoSeats},
		{"a win of a seat that has left", four, match.VerdictWin(3), match.Outcome{}, match.ErrNotPlaying},
		{"a win of nobody", two, match.VerdictWin(engine.Nobody), match.Outcome{}, match.ErrNotPlaying},
		{"a win of a seat that does not exist", two, match.VerdictWin(3), match.Outcome{}, match.ErrNotPlaying},
		{"the end of a match that is over", after(t, two)(two.Resign(1, moment(3))), match.VerdictNone, match.Outcome{}, match.ErrOver},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries, err := tt.match.Adjudicate(tt.verdict, moment(9))
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			m := with(t, tt.match, entries, nil)
			tt.want.At = moment(9).At
			if out, _ := m.Over(); !reflect.DeepEqual(out, tt.want) {
				t.Errorf("the outcome is %+v, want %+v", out, tt.want)
			}
		})
	}
	for _, text := range []match.Verdict{"", "01", "1 ", "won"} {
		if entries, err := two.Adjudicate(text, moment(9)); err == nil {
			t.Errorf("the verdict %q is %s", text, format(entries))
		}
	}
}

// A match that was adjudicated by mistake goes on with the open turn and the time that
// it had.
func TestRevertAdjudication(t *testing.T) {
	m, err := match.Start(counters(t, 2, "").Game(), func() match.Settings {
		s := settings(t, counters(t, 2, "").Game(), 2, "")
		s.Clock = match.Clock{Bank: time.Hour, Increment: time.Minute, Cap: time.Hour}
		return s
	}())
	if err != nil {
		t.Fatal(err)
	}
	m = after(t, m)(m.Act(1, "a2 end", moment(10)))
	m = after(t, m)(m.Act(2, "b1", moment(15)))
	ended := after(t, m)(m.Adjudicate(match.VerdictWin(1), moment(20)))
	if _, err := m.Revert(moment(30)); !errors.Is(err, match.ErrNoRevert) {
		t.Errorf("nothing to take back: %v", err)
	}
	again := after(t, ended)(ended.Revert(moment(80)))
	if again.Seat() != 2 || again.Open().String() != "b1" || !again.CanUndo(2) {
		t.Errorf("seat %d goes on with %q", again.Seat(), again.Open())
	}
	before, now := m.Deadline(epoch, m.Stood()), again.Deadline(epoch, again.Stood())
	if now.Sub(before) != time.Hour {
		t.Errorf("the deadline goes from %s to %s, want an hour later", before, now)
	}
	if _, err := again.Revert(moment(81)); !errors.Is(err, match.ErrNoRevert) {
		t.Errorf("taken back twice: %v", err)
	}
	again = after(t, again)(again.Act(2, "end", moment(90)))
	if left := again.TimeLeft(epoch, again.Stood()); left[1] != 41*time.Minute {
		t.Errorf("after 20 minutes, seat 2 has %v", left)
	}
}

func TestVoid(t *testing.T) {
	m := act(t, counters(t, 2, ""), "1: a2 end", "2: b1 end")
	if _, err := m.Void(moment(5)); !errors.Is(err, match.ErrNoVoid) {
		t.Errorf("a match that goes on: %v", err)
	}
	none := after(t, m)(m.Adjudicate(match.VerdictNone, moment(5)))
	if _, err := none.Void(moment(6)); !errors.Is(err, match.ErrNoVoid) {
		t.Errorf("a match without a result: %v", err)
	}
	m = after(t, m)(m.Resign(1, moment(5)))
	won, _ := m.Over()
	m = after(t, m)(m.Void(moment(6)))
	if out, _ := m.Over(); !m.Voided() || !reflect.DeepEqual(out, won) || m.PublicSeq() != m.Seq() {
		t.Errorf("void %t after %+v, now %+v", m.Voided(), won, out)
	}
	if _, err := m.Void(moment(7)); !errors.Is(err, match.ErrNoVoid) {
		t.Errorf("void twice: %v", err)
	}
	m = after(t, m)(m.Revert(moment(7)))
	if _, over := m.Over(); m.Voided() || !over {
		t.Errorf("void %t, over %t", m.Voided(), over)
	}
}
