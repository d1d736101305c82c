package match_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/match"
)

// Of two, the one who waits wins, and the draft of the silent one is dropped.
func TestAClaimOfTwoWins(t *testing.T) {
	m := act(t, counters(t, 2, ""), "1: a1 end", "2: a1 end", "1: a2") // a draft
	entries, err := m.Claim(2, moment(9))
	if got := tell(entries); got != "2 claim" {
		t.Fatalf("entries: %s (%v)", got, err)
	}
	end := with(t, m, entries, err)
	want := match.Outcome{
		Ending: match.ByClaim, Result: engine.Result{Winners: []engine.Seat{2}, Ranks: []int{2, 1}},
		By: 2, TimedOut: 1, At: moment(9).At,
	}
	if out, over := end.Over(); !over || !reflect.DeepEqual(out, want) {
		t.Errorf("the outcome is %+v, want %+v", out, want)
	}
	wantTurns(t, end, "1: a1 end", "2: a1 end")
	if end.Position().Hash() != m.Open().Before.Hash() || end.PublicSeq() != end.Seq() {
		t.Error("the draft is in the position")
	}
}

func TestClaimRefuses(t *testing.T) {
	m := counters(t, 2, "")
	over := with(t, m, []match.Entry{{Seq: 1, Kind: match.KindResign, Seat: 1, At: epoch}}, nil)
	for _, tt := range []struct {
		name string
		m    *match.Match
		seat engine.Seat
		want error
	}{
		{"in one's own turn", m, 1, match.ErrOwnTurn},
		{"of another match", m, 3, match.ErrNotPlaying},
		{"nobody", m, engine.Nobody, match.ErrNotPlaying},
		{"after the end", over, 2, match.ErrOver},
	} {
		if entries, err := tt.m.Claim(tt.seat, moment(1)); !errors.Is(err, tt.want) || entries != nil {
			t.Errorf("%s: %v, %v; want %v", tt.name, entries, err, tt.want)
		}
	}
}

// "A player who resigns or runs out of time while three or more are playing is
// retired": the others play on.
func TestAClaimOfThreeRetiresTheSilentSeat(t *testing.T) {
	m := act(t, counters(t, 3, ""), "1: a1 end", "2: a2") // a draft
	entries, err := m.Claim(1, moment(9))
	m = with(t, m, entries, err)
	if m.Seat() != 3 || m.Playing(2) || !m.TimedOut(2) || m.TimedOut(1) || len(m.Open().Actions) != 0 || m.PublicSeq() != m.Seq() {
		t.Fatalf("seat %d, open %q, silent %t", m.Seat(), m.Open(), m.TimedOut(2))
	}
	if got := m.Position().Status().String(); got != "9 counters left." {
		t.Errorf("the draft counts: %s", got)
	}
	if _, err := m.Claim(2, moment(10)); !errors.Is(err, match.ErrNotPlaying) {
		t.Errorf("who has left claims: %v", err)
	}
	// With two left a claim wins, and who left earlier ranks below.
	entries, err = m.Claim(1, moment(11))
	m = with(t, m, entries, err)
	out, _ := m.Over()
	if out.Ending != match.ByClaim || out.TimedOut != 3 || !slices.Equal(out.Result.Ranks, []int{1, 3, 2}) {
		t.Errorf("the outcome is %+v", out)
	}
}

// After a claim, too, the formalities of those who play on are played.
func TestFormalitiesFollowAClaim(t *testing.T) {
	m := counters(t, 3, "piles=1 counters=3")
	entries, err := m.Act(1, "a3", moment(1, 2)) // 2 confirms its passes
	m = with(t, m, entries, err)
	entries, err = m.Claim(1, moment(2))
	if got, want := tell(entries), "1 claim, 3 action pass, 1 action pass"; got != want {
		t.Errorf("entries: %s (%v), want %s", got, err, want)
	}
}

// A turn begins when it comes to a seat, however it comes.
func TestWhenATurnBegan(t *testing.T) {
	m := counters(t, 4, "")
	check := func(why string, seat engine.Seat, minute int) {
		t.Helper()
		if open := m.Open(); open.Seat != seat || !open.BeganAt.Equal(moment(minute).At) {
			t.Errorf("%s: seat %d since %s, want seat %d since minute %d", why, open.Seat, open.BeganAt, seat, minute)
		}
	}
	did := func(entries []match.Entry, err error) {
		t.Helper()
		m = with(t, m, entries, err)
	}
	if !m.Open().BeganAt.IsZero() {
		t.Errorf("the first turn began at %s", m.Open().BeganAt)
	}
	did(m.Act(1, "a1 end", moment(3)))
	check("after a turn", 2, 3)
	did(m.Act(2, "a1", moment(4)))
	check("after an action", 2, 3)
	did(m.Undo(2, moment(5)))
	check("after taking it back", 2, 3)
	did(m.Resign(4, moment(6)))
	check("after another has left", 2, 3)
	did(m.Resign(2, moment(7)))
	check("after leaving in one's own turn", 3, 7)
	if turn, _ := m.Last(); !turn.EndedAt.Equal(moment(3).At) {
		t.Errorf("the last turn ended at %s", turn.EndedAt)
	}
	did(m.Act(3, "a1 end", moment(8)))
	if turn, _ := m.Last(); !turn.BeganAt.Equal(moment(7).At) {
		t.Errorf("the completed turn began at %s", turn.BeganAt)
	}
}
