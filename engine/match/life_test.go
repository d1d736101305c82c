package match_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/trails"
)

// "While a turn is open its actions can be taken back one by one."
func TestUndo(t *testing.T) {
	begun := counters(t, 2, "")
	one := act(t, begun, "1: a2")
	two := after(t, one)(one.Act(1, "b1", moment(1, 1)))

	entries, err := two.Undo(1, moment(2, 1))
	if got := format(entries); got != "1 undo" {
		t.Fatalf("entries: %s (%v)", got, err)
	}
	back := with(t, two, entries, err)
	if back.Position().Hash() != one.Position().Hash() || back.Open().String() != "a2" || back.Seq() != 3 {
		t.Errorf("after one undo the open turn is %q, entry %d", back.Open(), back.Seq())
	}
	back = after(t, back)(back.Undo(1, moment(3, 1)))
	if back.Position().Hash() != begun.Position().Hash() || len(back.Open().Actions) != 0 || back.CanUndo(1) {
		t.Errorf("after two the open turn is %q", back.Open())
	}
	if _, err := back.Undo(1, moment(4)); !errors.Is(err, match.ErrNothingToUndo) {
		t.Errorf("a third: %v, want ErrNothingToUndo", err)
	}
	wantTurns(t, act(t, back, "1: b2 end"), "1: b2 end")
}

// Entries that take back an action and play another, applied together or one by
// one, do not change the match they were applied to.
func TestUndoLeavesEarlierMatchAlone(t *testing.T) {
	m := act(t, start(t, opening(), 2, ""), "1: 1 2")
	undo, err := m.Undo(1, moment(5))
	back := with(t, m, undo, err)
	again, err := back.Act(1, "3", moment(6))
	other := with(t, m, append(undo, again...), err)
	if got := m.Open().String(); got != "pass 1 2" {
		t.Errorf("the open turn has changed to %q", got)
	}
	if got := other.Open().String(); got != "pass 1 3" {
		t.Errorf("the other's open turn is %q", got)
	}
}

// A takeback restores the match before the request that ended the turn, and the
// log still shows what was taken back.
func TestTakeback(t *testing.T) {
	open := act(t, counters(t, 2, ""), "1: a1 end", "2: a1")
	played := act(t, open, "2: b1") // the end was played at once
	if !played.CanTakeBack(2) || played.CanTakeBack(1) || open.CanTakeBack(2) {
		t.Fatal("who can take back is wrong")
	}
	back := after(t, played)(played.Takeback(2, moment(50)))
	if back.Position().Hash() != open.Position().Hash() || back.Open().String() != "a1" || back.Seat() != 2 || back.PublicSeq() != back.Seq() ||
		!back.Open().BeganAt.Equal(open.Open().BeganAt) || !back.TookBack(back.Seq()) || back.TookBack(1) {
		t.Errorf("seat %d, open turn %q", back.Seat(), back.Open())
	}
	again := act(t, back, "2: a1 end")
	wantTurns(t, again, "1: a1 end", "2: a1 a1 end")
	then, err := again.At(played.Seq())
	if err != nil {
		t.Fatal(err)
	}
	wantTurns(t, then, "1: a1 end", "2: a1 b1 end")
	if replayed, err := match.Replay(again.Game(), again.Settings(), again.Log()); err != nil || !slices.Equal(turns(replayed), turns(again)) {
		t.Errorf("replayed: %v", err)
	}
	prepared := act(t, again, "1: b1")
	undone := after(t, prepared)(prepared.Undo(1, moment(60)))
	for name, m := range map[string]*match.Match{"twice": back, "after the next seat has begun": prepared, "after it has undone that": undone, "at the start": counters(t, 2, "")} {
		if entries, err := m.Takeback(2, moment(70)); !errors.Is(err, match.ErrNoTakeback) || entries != nil {
			t.Errorf("%s: %v, %v", name, entries, err)
		}
	}
}

// "Nothing is taken back across the end of a turn."
func TestUndoRefuses(t *testing.T) {
	m := act(t, counters(t, 2, ""), "1: a1 b1") // the end was played at once
	if m.CanUndo(1) || m.CanUndo(2) || m.CanUndo(engine.Nobody) {
		t.Error("a seat can undo at the start of a turn")
	}
	var turn *match.TurnError
	if _, err := m.Undo(1, moment(5)); !errors.As(err, &turn) || turn.Seat != 2 {
		t.Errorf("the end of a turn: %v, want a *TurnError with seat 2", err)
	}
	if _, err := m.Undo(3, moment(5)); !errors.Is(err, match.ErrNotPlaying) {
		t.Errorf("a seat that does not exist: %v, want ErrNotPlaying", err)
	}
	if _, err := after(t, m)(m.Resign(1, moment(5))).Undo(2, moment(6)); !errors.Is(err, match.ErrOver) {
		t.Errorf("after the end: %v, want ErrOver", err)
	}
}

// "In a two-player game the other player wins."
func TestResignOfTwo(t *testing.T) {
	for _, resigner := range []engine.Seat{1, 2} {
		m := act(t, counters(t, 2, ""), "1: a1 end", "2: a2") // an open turn
		entries, err := m.Resign(resigner, moment(5))
		if got := format(entries); len(entries) != 1 || entries[0].Kind != match.KindResign {
			t.Fatalf("entries: %s (%v)", got, err)
		}
		end := with(t, m, entries, err)
		outcome, over := end.Over()
		winner := 3 - resigner
		ranks := []int{1, 2}
		if winner == 2 {
			ranks = []int{2, 1}
		}
		want := match.Outcome{
			Ending: match.ByResignation,
			Result: engine.Result{Winners: []engine.Seat{winner}, Ranks: ranks},
			By:     resigner,
			At:     moment(5).At,
		}
		if !over || !reflect.DeepEqual(outcome, want) {
			t.Errorf("the outcome is %+v, want %+v", outcome, want)
		}
		// The open turn was private and is discarded.
		wantTurns(t, end, "1: a1 end")
		if end.Position().Hash() != m.Open().Before.Hash() || end.Seat() != engine.Nobody || end.PublicSeq() != end.Seq() {
			t.Errorf("the match ends at %s, seat %d, public %d of %d", end.Position().Status(), end.Seat(), end.PublicSeq(), end.Seq())
		}
		if end.Playing(1) || end.Playing(2) {
			t.Error("a seat is still playing")
		}
	}
}

// "A player who resigns while three or more are playing is retired. Actions of
// his open turn, if any, are taken back first. His turns are skipped."
func TestRetireInOpenTurn(t *testing.T) {
	m := act(t, counters(t, 3, ""), "1: a1 end", "2: a2")
	m = after(t, m)(m.Resign(2, moment(5)))
	if m.Seat() != 3 || m.Playing(2) || !m.Playing(1) || len(m.Open().Actions) != 0 || m.PublicSeq() != 4 {
		t.Errorf("seat %d, open %q, public %d", m.Seat(), m.Open(), m.PublicSeq())
	}
	if got := m.Position().Status().String(); got != "9 counters left." {
		t.Errorf("the open turn was not taken back: %s", got)
	}
	if _, err := m.Resign(2, moment(6)); !errors.Is(err, match.ErrNotPlaying) {
		t.Errorf("twice: %v, want ErrNotPlaying", err)
	}
	m = act(t, m, "3: b1 end", "1: b1 end")
	wantTurns(t, m, "1: a1 end", "3: b1 end", "1: b1 end")
}

func TestRetireDuringOpenTurnOfAnother(t *testing.T) {
	m := act(t, counters(t, 3, ""), "1: a1 end", "2: a2")
	m = after(t, m)(m.Resign(1, moment(5)))
	if m.Seat() != 2 || m.Open().String() != "a2" || m.Open().Seat != 2 || !m.CanUndo(2) {
		t.Errorf("seat %d has the open turn %q, want seat 2 with a2", m.Seat(), m.Open())
	}
	if got := m.Position().Status().String(); got != "7 counters left." {
		t.Errorf("status %q", got)
	}
	// Others do not see the action.
	public, err := m.PublicAt(m.PublicSeq())
	if err != nil || public.Position().Status().String() != "9 counters left." || public.CanUndo(2) || public.Seat() != 2 {
		t.Errorf("others see %q and the open turn %q, %v", public.Position().Status(), public.Open(), err)
	}
	// Undo goes back to the start of the turn without the seat that left.
	m = act(t, after(t, m)(m.Undo(2, moment(6))), "2: b1 end", "3: b1 end")
	if m.Seat() != 2 {
		t.Errorf("seat %d is to act, want 2: seat 1 is skipped", m.Seat())
	}
}

// "When everybody still playing has already passed in the unbroken sequence,
// the game ends at once", by its rules.
func TestRetirementEndsGame(t *testing.T) {
	m := counters(t, 3, "piles=1 counters=3")
	entries, err := m.Act(1, "a3", moment(1, 1))
	m = with(t, m, entries, err)
	m = after(t, m)(m.Act(1, "end", moment(2, 1))) // the passes of 2 and 3 are formalities
	if m.Seat() != 1 {
		t.Fatalf("seat %d is to act, want 1", m.Seat())
	}
	m = after(t, m)(m.Resign(1, moment(3, 1)))
	outcome, over := m.Over()
	if !over || outcome.Ending != match.ByRules || outcome.By != engine.Nobody || !outcome.At.Equal(moment(3).At) ||
		!slices.Equal(outcome.Result.Ranks, []int{3, 1, 1}) {
		t.Errorf("the outcome is %+v, %t", outcome, over)
	}
}

func TestFormalitiesAfterRetirement(t *testing.T) {
	m := counters(t, 3, "piles=1 counters=3")
	entries, err := m.Act(1, "a3", moment(1, 2)) // 2 confirms its passes
	m = with(t, m, entries, err)
	if m.Seat() != 2 {
		t.Fatalf("seat %d is to act, want 2", m.Seat())
	}
	entries, err = m.Resign(2, moment(2))
	if got, want := format(entries), "2 resign, 3 action pass, 1 action pass"; got != want {
		t.Errorf("entries: %s (%v), want %s", got, err, want)
	}
	if _, over := with(t, m, entries, err).Over(); !over {
		t.Error("the game goes on")
	}
}

// "He ranks below everyone who was still playing, and above those who retired
// before him." With two left, the other wins.
func TestRanksAfterRetirements(t *testing.T) {
	m := counters(t, 5, "")
	for i, seat := range []engine.Seat{4, 1, 5, 3} {
		m = after(t, m)(m.Resign(seat, moment(i)))
	}
	outcome, over := m.Over()
	want := engine.Result{Winners: []engine.Seat{2}, Ranks: []int{4, 1, 2, 5, 3}}
	if !over || outcome.Ending != match.ByResignation || outcome.By != 3 || !reflect.DeepEqual(outcome.Result, want) {
		t.Errorf("the outcome is %+v, want the result %+v", outcome, want)
	}
}

// Two matches that continue the same one differently do not share retirements.
func TestRetirementsAfterBranch(t *testing.T) {
	m := counters(t, 6, "")
	resign := func(m *match.Match, seats ...engine.Seat) *match.Match {
		t.Helper()
		for _, seat := range seats {
			m = after(t, m)(m.Resign(seat, moment(m.Seq())))
		}
		return m
	}
	for before := range 4 {
		gone := []engine.Seat{1, 2, 3}[:before]
		common := resign(m, gone...)
		one, other := resign(common, 4), resign(common, 5)
		if one.Playing(4) || !one.Playing(5) || other.Playing(5) || !other.Playing(4) {
			t.Errorf("after %d retirements 4 and 5 are playing: %t and %t in one match, %t and %t in the other", before,
				one.Playing(4), one.Playing(5), other.Playing(4), other.Playing(5))
		}
	}
}

// If a retirement makes an action of another seat's open turn illegal, that
// action is taken back with those after it. Here "with-three" is legal only while
// seat 3 plays.
func TestRetirementMakesOpenTurnIllegal(t *testing.T) {
	threeHelps := &toy{
		least: 3, most: 3, retires: true,
		legal: func(s toyState) []string {
			if s.gone[3] {
				return []string{"a", engine.End}
			}
			return []string{"a", "with-three", engine.End}
		},
		apply: func(s toyState, w string) toyState {
			if w == engine.End {
				return s.next()
			}
			s.played += w + " "
			return s
		},
	}
	m := act(t, start(t, threeHelps, 3, ""), "1: a with-three a")
	m = after(t, m)(m.Resign(3, moment(9)))
	if got := m.Open().String(); got != "a" || m.Seat() != 1 {
		t.Errorf("the open turn of seat %d is %q, want that of seat 1 with a", m.Seat(), got)
	}
}

func TestAbort(t *testing.T) {
	m := counters(t, 2, "")
	calledOff := func(m *match.Match, seat engine.Seat) {
		t.Helper()
		if !m.CanAbort() {
			t.Fatal("the match cannot be called off")
		}
		entries, err := m.Abort(seat, moment(3))
		if got := format(entries); len(entries) != 1 || entries[0].Kind != match.KindAbort {
			t.Fatalf("entries: %s (%v)", got, err)
		}
		end := with(t, m, entries, err)
		outcome, over := end.Over()
		if want := (match.Outcome{Ending: match.ByAbort, By: seat, At: moment(3).At}); !over || !reflect.DeepEqual(outcome, want) {
			t.Errorf("the outcome is %+v, want %+v", outcome, want)
		}
		if end.CanAbort() || end.Seat() != engine.Nobody || end.PublicSeq() != end.Seq() {
			t.Error("the match goes on")
		}
		if _, err := end.Abort(seat, moment(4)); !errors.Is(err, match.ErrOver) {
			t.Errorf("again: %v, want ErrOver", err)
		}
	}
	calledOff(m, 1)
	calledOff(m, 2)
	m = act(t, m, "1: a1 end")
	calledOff(m, 1)
	m = act(t, m, "2: a1") // does not end the turn
	calledOff(m, 2)
	if _, err := m.Abort(7, moment(4)); !errors.Is(err, match.ErrNotPlaying) {
		t.Errorf("seat 7: %v, want ErrNotPlaying", err)
	}
	m = act(t, m, "2: end")
	if _, err := m.Abort(1, moment(4)); m.CanAbort() || !errors.Is(err, match.ErrTooLate) {
		t.Errorf("after both have moved: %v, want ErrTooLate", err)
	}

	// A seat that retired without a move does not count.
	m = counters(t, 3, "")
	m = act(t, after(t, m)(m.Resign(3, moment(1))), "1: a1 end", "2: a1 end")
	if m.CanAbort() {
		t.Error("the match can be called off after every seat has moved")
	}
}

// PublicSeq follows ends of turns, not actions of an open turn.
func TestPublicSeq(t *testing.T) {
	m := counters(t, 3, "")
	steps := []struct {
		do   func() ([]match.Entry, error)
		want int
	}{
		{func() ([]match.Entry, error) { return m.Act(1, "a1", moment(1)) }, 0},
		{func() ([]match.Entry, error) { return m.Undo(1, moment(2)) }, 0},
		{func() ([]match.Entry, error) { return m.Act(1, "a1 end", moment(3)) }, 4},
		{func() ([]match.Entry, error) { return m.Act(2, "a1", moment(4)) }, 4},
		{func() ([]match.Entry, error) { return m.Resign(1, moment(5)) }, 6},
		{func() ([]match.Entry, error) { return m.Undo(2, moment(6)) }, 6},
		{func() ([]match.Entry, error) { return m.Act(2, "a1 b1", moment(7)) }, 10},
		{func() ([]match.Entry, error) { return m.Abort(2, moment(8)) }, 11},
	}
	for i, s := range steps {
		entries, err := s.do()
		m = with(t, m, entries, err)
		if m.PublicSeq() != s.want {
			t.Errorf("step %d: it is %d after entry %d, want %d", i, m.PublicSeq(), m.Seq(), s.want)
		}
	}
}

func TestAt(t *testing.T) {
	m := act(t, counters(t, 2, ""), "1: a1", "1: end", "2: b2 end")
	for seq, want := range []string{"1 ", "1 a1", "2 ", "2 b2", "1 "} {
		then, err := m.At(seq)
		if err != nil {
			t.Fatal(err)
		}
		if got := string('0'+rune(then.Seat())) + " " + then.Open().String(); got != want || then.Seq() != seq {
			t.Errorf("at %d (%d) it is %q, want %q", seq, then.Seq(), got, want)
		}
	}
	for _, seq := range []int{-1, 5} {
		if _, err := m.At(seq); err == nil {
			t.Errorf("there is a match at %d", seq)
		}
	}
}

// Replay adds no entries and forgives no errors.
func TestReplayIsStrict(t *testing.T) {
	line := func(seq int, kind match.Kind, seat engine.Seat, text string) match.Entry {
		return match.Entry{Seq: seq, Kind: kind, Seat: seat, Text: text, At: epoch}
	}
	s := settings(t, sample.Game{}, 2, "")

	m, err := match.Replay(sample.Game{}, s, []match.Entry{line(1, match.KindAction, 1, "a1"), line(2, match.KindAction, 1, "b1")})
	if err != nil || m.Seat() != 1 || m.Open().String() != "a1 b1" {
		t.Fatalf("a turn without its end: seat %d, open %q, %v; want an open turn", m.Seat(), m.Open(), err)
	}

	tests := []struct {
		name string
		log  []match.Entry
		at   string // part of the error
		is   error
	}{
		{"a gap", []match.Entry{line(2, match.KindAction, 1, "a1")}, "entry 2", nil},
		{"a repeated number", []match.Entry{line(1, match.KindAction, 1, "a1"), line(1, match.KindAction, 1, "b1")}, "entry 1", nil},
		{"the turn of another seat", []match.Entry{line(1, match.KindAction, 2, "a1")}, "entry 1", nil},
		{"not legal", []match.Entry{line(1, match.KindAction, 1, "a1"), line(2, match.KindAction, 1, "a9")}, "entry 2", nil},
		{"not an action", []match.Entry{line(1, match.KindAction, 1, "zz")}, "entry 1", nil},
		{"a short form", []match.Entry{line(1, match.KindAction, 1, "a")}, "entry 1", nil},
		{"capital letters", []match.Entry{line(1, match.KindAction, 1, "A1")}, "entry 1", nil},
		{"a whole turn in one entry", []match.Entry{line(1, match.KindAction, 1, "a1 end")}, "entry 1", nil},
		{"no kind", []match.Entry{line(1, "", 1, "a1")}, "entry 1", nil},
		{"an unknown kind", []match.Entry{line(1, "castle", 1, "")}, "entry 1", nil},
		{"nothing to undo", []match.Entry{line(1, match.KindUndo, 1, "")}, "entry 1", match.ErrNothingToUndo},
		{"an undo of another seat", []match.Entry{line(1, match.KindAction, 1, "a1"), line(2, match.KindUndo, 2, "")}, "entry 2", nil},
		{"text on an undo", []match.Entry{line(1, match.KindAction, 1, "a1"), line(2, match.KindUndo, 1, "a1")}, "entry 2", nil},
		{"a resignation of no seat", []match.Entry{line(1, match.KindResign, 0, "")}, "entry 1", match.ErrNotPlaying},
		{"after the end", []match.Entry{line(1, match.KindResign, 1, ""), line(2, match.KindResign, 2, "")}, "entry 2", match.ErrOver},
		{"an abort that is too late", []match.Entry{
			line(1, match.KindAction, 1, "a1"), line(2, match.KindAction, 1, "end"),
			line(3, match.KindAction, 2, "a1"), line(4, match.KindAction, 2, "end"),
			line(5, match.KindAbort, 1, ""),
		}, "entry 5", match.ErrTooLate},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := match.Replay(sample.Game{}, s, tt.log)
			if err == nil || m != nil || !strings.Contains(err.Error(), tt.at) {
				t.Errorf("error %v must name %s", err, tt.at)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v, want %v", err, tt.is)
			}
		})
	}
}

func TestStartRefusesSettings(t *testing.T) {
	good := settings(t, sample.Game{}, 2, "")
	tests := []struct {
		name   string
		change func(*match.Settings)
		as     any
	}{
		{"another game", func(s *match.Settings) { s.Game = trails.Game{}.Key() }, nil},
		{"an earlier version", func(s *match.Settings) { s.Version = 1 }, nil},
		{"a later version", func(s *match.Settings) { s.Version = 3 }, nil},
		{"no version", func(s *match.Settings) { s.Version = 0 }, nil},
		{"one seat", func(s *match.Settings) { s.Seats = 1 }, new(*engine.SeatsError)},
		{"seven seats", func(s *match.Settings) { s.Seats = 7 }, new(*engine.SeatsError)},
		{"no options", func(s *match.Settings) { s.Options = engine.Options{} }, nil},
		{"options of another game", func(s *match.Settings) { s.Options = trails.Game{}.Options().Defaults() }, new(*engine.OptionError)},
		{"options that do not fit", func(s *match.Settings) {
			s.Options = settings(t, sample.Game{}, 2, "counters=2 most=5").Options
		}, new(*engine.OptionError)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := good
			tt.change(&s)
			_, err := match.Start(sample.Game{}, s)
			if err == nil || tt.as != nil && !errors.As(err, tt.as) {
				t.Errorf("error %v, want %T", err, tt.as)
			}
			if _, err := match.Replay(sample.Game{}, s, nil); err == nil {
				t.Error("Replay accepts the settings")
			}
		})
	}

	cannotRetire := opening()
	cannotRetire.retires = false
	s := match.Settings{Game: "toy", Version: 1, Options: engine.Schema{}.Defaults(), Seats: 2}
	if _, err := match.Start(cannotRetire, s); err != nil {
		t.Errorf("two seats need no retirement: %v", err)
	}
	s.Seats = 3
	if _, err := match.Start(cannotRetire, s); err == nil {
		t.Error("a game for three without retirement is accepted")
	}
}

func TestReturnedSlicesAreCopies(t *testing.T) {
	m := act(t, counters(t, 2, ""), "1: a2 end", "2: b1")
	open, all := m.Open(), m.Turns()
	other := open.Actions[0]
	all[0].Actions[0] = other
	last, _ := m.Last()
	last.Actions[0] = other
	open.Actions[0] = sample.Action{Pile: 0, N: 1}
	all[0].Seat = 2
	wantTurns(t, m, "1: a2 end")
	if got := m.Open().String(); got != "b1" {
		t.Errorf("the open turn has changed to %q", got)
	}

	end := after(t, m)(m.Resign(2, moment(1)))
	outcome, _ := end.Over()
	outcome.Result.Winners[0] = 2
	outcome.Result.Ranks[0] = 9
	if again, _ := end.Over(); again.Result.Winners[0] != 1 || again.Result.Ranks[0] != 1 {
		t.Errorf("the outcome has changed to %+v", again)
	}
}
