package match_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/match"
)

func TestAgreeDraw(t *testing.T) {
	m := act(t, counters(t, 2, ""), "1: a1 end", "2: b1")
	m = after(t, m)(m.AgreeDraw(1, moment(9)))
	out, over := m.Over()
	if !over || out.Ending != match.ByAgreement || out.By != 1 || len(out.Result.Winners) != 0 || !slices.Equal(out.Result.Ranks, []int{1, 1}) || m.PublicSeq() != m.Seq() {
		t.Errorf("over %t: %+v", over, out)
	}
	if _, err := counters(t, 3, "").AgreeDraw(1, moment(1)); !errors.Is(err, match.ErrTwoSeats) {
		t.Errorf("three agree on a draw: %v", err)
	}
}

// An agreed takeback takes back the last turn that its seat chose, and all that
// followed.
func TestAgreeTakeback(t *testing.T) {
	m := act(t, counters(t, 2, "counters=20"), "1: a1 end", "2: a1 end", "1: b1 end", "2: b1 end", "1: a1")
	for _, tt := range []struct {
		seat engine.Seat
		want []string
	}{
		{1, []string{"1: a1 end", "2: a1 end"}},
		{2, []string{"1: a1 end", "2: a1 end", "1: b1 end"}},
	} {
		back := after(t, m)(m.AgreeTakeback(tt.seat, moment(50)))
		wantTurns(t, back, tt.want...)
		if open := back.Open(); open.Seat != tt.seat || len(open.Actions) != 0 || !open.BeganAt.Equal(moment(50).At) || back.PublicSeq() != back.Seq() || !back.TookBackByAgreement(back.Seq()) || back.TookBack(back.Seq()) {
			t.Errorf("seat %d: the open turn is %+v", tt.seat, open)
		}
		if back.CanTakeBack(3 - tt.seat) {
			t.Error("a turn before an agreed takeback can be taken back")
		}
	}
	if early := act(t, counters(t, 2, ""), "1: a1 end"); early.CanAgreeTakeback(2) || !early.CanAgreeTakeback(1) {
		t.Error("a seat that has not moved can take a turn back")
	}
	// Forced turns are skipped. In this game seat 2 can only end each turn.
	idle := &toy{
		least: 2, most: 2,
		legal: func(s toyState) []string {
			if s.seat == 2 {
				return []string{engine.End}
			}
			return []string{"1", "2"}
		},
		apply: func(s toyState, _ string) toyState { return s.next() },
	}
	forced := act(t, start(t, idle, 2, ""), "1: 1", "1: 2")
	if forced.CanAgreeTakeback(2) {
		t.Error("a turn without a choice can be taken back")
	}
	wantTurns(t, after(t, forced)(forced.AgreeTakeback(1, moment(9))), "1: 1", "2: end")
}

// A retirement cannot be taken back.
func TestAgreeTakebackAfterRetirement(t *testing.T) {
	m := act(t, counters(t, 4, "counters=20"), "1: a1 end", "2: a1 end", "3: a1 end")
	m = after(t, m)(m.Resign(4, moment(8)))
	if _, err := m.AgreeTakeback(3, moment(9)); !errors.Is(err, match.ErrNoTakeback) || m.CanAgreeTakeback(3) {
		t.Errorf("a turn before the retirement is taken back: %v", err)
	}
	m = act(t, m, "1: b1 end")
	m = after(t, m)(m.AgreeTakeback(1, moment(11)))
	wantTurns(t, m, "1: a1 end", "2: a1 end", "3: a1 end")
	if m.Seat() != 1 || m.Playing(4) {
		t.Errorf("seat %d is to act", m.Seat())
	}
}

func TestAgreeAbort(t *testing.T) {
	m := act(t, counters(t, 2, "counters=20"), "1: a1 end", "2: a1 end", "1: a1 end", "2: a1 end", "1: a1 end")
	if _, err := m.Abort(1, moment(9)); !errors.Is(err, match.ErrTooLate) {
		t.Errorf("one seat aborts alone: %v", err)
	}
	off := after(t, m)(m.AgreeAbort(2, moment(9)))
	if out, over := off.Over(); !over || out.Ending != match.ByAbort || out.By != 2 || out.Result.Ranks != nil {
		t.Errorf("over %t: %+v", over, out)
	}
	m = act(t, m, "2: a1 end")
	if _, err := m.AgreeAbort(2, moment(9)); !errors.Is(err, match.ErrTooLate) || m.CanAgreeAbort() {
		t.Errorf("after three turns each: %v", err)
	}
}

// Time that is given counts for the turn in which it is given, changes no position
// and outdates nothing. What exceeds the cap is lost after the turn.
func TestGiveTime(t *testing.T) {
	const day = 24 * time.Hour
	m := timed(t, 2, "counters=20", "2d+1h/3d")
	m = act(t, m, "1: a1")
	given := after(t, m)(m.GiveTime(2, day, moment(7)))
	given = after(t, given)(given.GiveTime(2, 30*time.Minute, moment(8)))
	if want := epoch.Add(3*day + 30*time.Minute); !given.Deadline(epoch, nil).Equal(want) || given.TimeLeft(epoch, nil)[0] != want.Sub(epoch) {
		t.Errorf("the deadline is %s, want %s", given.Deadline(epoch, nil), want)
	}
	if given.PublicSeq() != m.PublicSeq() || !given.IsCurrent(m.Seq()) || given.IsCurrent(m.Seq()-1) || given.Open().String() != "a1" {
		t.Errorf("after entry %d: %+v", given.Seq(), given.Open())
	}
	// The turn takes two days and an hour: 23 h 30 m are left, and the increment.
	ended := after(t, given)(given.Act(1, "end", match.Moment{At: epoch.Add(2*day + time.Hour), Interaction: "end"}))
	if left := ended.TimeLeft(epoch, nil); left[0] != 24*time.Hour+30*time.Minute || left[1] != 2*day {
		t.Errorf("left are %s", left)
	}
	// The cap applies after the turn.
	quick := after(t, given)(given.Act(1, "end", match.Moment{At: epoch, Interaction: "end"}))
	if left := quick.TimeLeft(epoch, nil); left[0] != 3*day {
		t.Errorf("left are %s", left)
	}
	// A takeback restores the turn with what it was given; what the other seat has
	// been given since is gone.
	both := after(t, ended)(ended.GiveTime(1, day, moment(9)))
	back := after(t, both)(both.Takeback(1, moment(10)))
	if !back.Deadline(epoch, nil).Equal(given.Deadline(epoch, nil)) || back.Open().String() != "a1" {
		t.Errorf("after a takeback: %s, %+v", back.Deadline(epoch, nil), back.Open())
	}
	// An agreed takeback begins the turn again.
	agreed := after(t, both)(both.AgreeTakeback(1, match.Moment{At: epoch.Add(9 * day)}))
	if want := epoch.Add(9*day + 3*day + 30*time.Minute); !agreed.Deadline(epoch, nil).Equal(want) {
		t.Errorf("after an agreed takeback: %s, want %s", agreed.Deadline(epoch, nil), want)
	}
	for _, tt := range []struct {
		match *match.Match
		seat  engine.Seat
		give  time.Duration
		want  error
	}{
		{m, 1, day, match.ErrOwnTurn},
		{m, 2, 1000 * day, nil},
		{given, 2, 1000 * day, match.ErrTooMuchTime},
		{counters(t, 2, ""), 2, day, match.ErrNoClock},
	} {
		if _, err := tt.match.GiveTime(tt.seat, tt.give, moment(9)); !errors.Is(err, tt.want) {
			t.Errorf("seat %d gives %s: %v, want %v", tt.seat, tt.give, err, tt.want)
		}
	}
	for _, text := range []string{"", "0s", "24h", "1d+1h/2d", "-1d", "soon"} {
		e := match.Entry{Seq: m.Seq() + 1, Kind: match.KindTime, Seat: 2, Text: text, At: epoch}
		if _, err := m.With(e); err == nil {
			t.Errorf("%q is given", text)
		}
	}
}
