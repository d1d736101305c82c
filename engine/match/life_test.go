package match_test

import (
	"errors"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/trails"
)

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
		{"an adjudication by a seat", []match.Entry{line(1, match.KindAdjudicate, 1, "2")}, "entry 1", match.ErrNotPlaying},
		{"an unknown verdict", []match.Entry{line(1, match.KindAdjudicate, 0, "lost")}, "entry 1", nil},
		{"text on a revert", []match.Entry{line(1, match.KindAdjudicate, 0, "2"), line(2, match.KindRevert, 0, "2")}, "entry 2", nil},
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

// Others do not see the actions of an open turn, not even after a retirement.
func TestPublicAt(t *testing.T) {
	m := act(t, counters(t, 3, ""), "1: a1 end", "2: a2")
	m = after(t, m)(m.Resign(1, moment(5)))
	public, err := m.PublicAt(m.PublicSeq())
	if err != nil || public.Position().Status().String() != "9 counters left." || public.CanUndo(2) || public.Seat() != 2 {
		t.Errorf("others see %q and the open turn %q, %v", public.Position().Status(), public.Open(), err)
	}
}
