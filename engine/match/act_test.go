package match_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/trails"
)

func TestAct(t *testing.T) {
	tests := []struct {
		name    string
		options string
		before  []string
		seat    engine.Seat
		text    string
		want    string
	}{
		{"one action", "", nil, 1, "a2", "1 action a2"},
		{"a whole turn", "", nil, 1, "a2 end", "1 action a2, 1 action end"},
		{"white space and short forms", "", nil, 1, " \tA \n END ", "1 action a1, 1 action end"},
		{"the turn may leave end out", "", nil, 1, "a2 b1", "1 action a2, 1 action b1, 1 action end"},
		{"or name it", "", nil, 1, "a2 b1 end", "1 action a2, 1 action b1, 1 action end"},
		{"the rest of an open turn", "", []string{"1: a2"}, 1, "b1", "1 action b1, 1 action end"},
		{"formalities follow to the end of the game", "piles=1 counters=3", nil, 1, "a3",
			"1 action a3, 1 action end, 2 action pass, 1 action pass"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := act(t, counters(t, 2, tt.options), tt.before...)
			entries, err := m.Act(tt.seat, tt.text, moment(7))
			if err != nil {
				t.Fatal(err)
			}
			if got := format(entries); got != tt.want {
				t.Errorf("entries: %s\n   want: %s", got, tt.want)
			}
			for i, e := range entries {
				if e.Seq != m.Seq()+1+i || !e.At.Equal(moment(7).At) || e.Interaction != "interaction-7" {
					t.Errorf("entry %d is %+v: its number, time or interaction is wrong", i, e)
				}
			}
		})
	}
}

// "A turn wrong in the middle is refused whole."
func TestActRefusesTokens(t *testing.T) {
	var notation *engine.NotationError
	var illegal *engine.IllegalError
	tests := []struct {
		name    string
		before  []string
		text    string
		index   int
		token   string
		as      any // what the error is
		is      error
		nearest string // one of the suggestions; empty if there are none
	}{
		{"not an action", nil, "zz", 0, "zz", &notation, nil, ""},
		{"a typo", nil, "a2 bb1", 1, "bb1", &notation, nil, "b1"},
		{"not legal", nil, "a5", 0, "a5", &illegal, nil, "a1"},
		{"not legal in the middle", nil, "a3 a3 end", 1, "a3", &illegal, nil, "a1"},
		{"end first", nil, "end", 0, "end", &illegal, nil, ""},
		{"after end", nil, "a1 end b1", 2, "b1", nil, match.ErrTurnOver, ""},
		{"a second end", nil, "a1 end end", 2, "end", nil, match.ErrTurnOver, ""},
		{"a third taking", nil, "a1 b1 a1", 2, "a1", &illegal, nil, ""},
		{"a third taking that is not an action", nil, "a1 b1 zz", 2, "zz", &notation, nil, ""},
		{"the turn of the next seat", nil, "a1 b1 end a1", 3, "a1", nil, match.ErrTurnOver, ""},
		{"in an open turn", []string{"1: a1"}, "b9", 0, "b9", &illegal, nil, "b1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := act(t, counters(t, 2, ""), tt.before...)
			entries, err := m.Act(1, tt.text, moment(1))
			if entries != nil {
				t.Errorf("entries: %s", format(entries))
			}
			var refused *match.TokenError
			if !errors.As(err, &refused) {
				t.Fatalf("error is %v, want a *TokenError", err)
			}
			if refused.Index != tt.index || refused.Token != tt.token {
				t.Errorf("the error is on token %d %q, want %d %q", refused.Index, refused.Token, tt.index, tt.token)
			}
			if tt.as != nil && !errors.As(err, tt.as) {
				t.Errorf("the cause is %T, want %T", refused.Err, reflect.ValueOf(tt.as).Elem().Interface())
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("the cause is %v, want %v", refused.Err, tt.is)
			}
			if tt.nearest == "" && len(refused.Nearest) > 0 || tt.nearest != "" && !slices.Contains(refused.Nearest, tt.nearest) {
				t.Errorf("the suggestions are %q, want %q", refused.Nearest, tt.nearest)
			}
		})
	}
}

func TestActRefusesSeats(t *testing.T) {
	m := counters(t, 2, "")
	var turn *match.TurnError
	if _, err := m.Act(2, "a1", moment(1)); !errors.As(err, &turn) || turn.Seat != 1 {
		t.Errorf("out of turn: %v, want a *TurnError with seat 1", err)
	}
	for _, seat := range []engine.Seat{0, 3, -1, 64} {
		if _, err := m.Act(seat, "a1", moment(1)); !errors.Is(err, match.ErrNotPlaying) {
			t.Errorf("seat %d: %v, want ErrNotPlaying", seat, err)
		}
	}
	for _, text := range []string{"", " \t\n "} {
		if _, err := m.Act(1, text, moment(1)); !errors.Is(err, match.ErrNoTurn) {
			t.Errorf("text %q: %v, want ErrNoTurn", text, err)
		}
	}
	if _, err := after(t, m)(m.Resign(1, moment(1))).Act(2, "a1", moment(2)); !errors.Is(err, match.ErrOver) {
		t.Errorf("after the end: %v, want ErrOver", err)
	}
}

// "The match plays such a formality for the player at once, unless he has
// chosen to confirm the end of his turns himself (then he can still undo)."
func TestSeatConfirmsItsFormalities(t *testing.T) {
	m := counters(t, 2, "")
	entries, err := m.Act(1, "a1 b1", moment(1, 1))
	if got := format(entries); got != "1 action a1, 1 action b1" {
		t.Fatalf("entries: %s (%v): the end must be left to the seat", got, err)
	}
	m = with(t, m, entries, err)
	if m.Seat() != 1 || !m.CanUndo(1) {
		t.Errorf("seat %d is to act, undo %t: want seat 1, which can still undo", m.Seat(), m.CanUndo(1))
	}

	// Only end is legal: the rules refuse another action, the turn is not over.
	var illegal *engine.IllegalError
	if _, err := m.Act(1, "a1", moment(2, 1)); !errors.As(err, &illegal) {
		t.Errorf("a third taking: %v, want an *IllegalError", err)
	}
	if _, err := counters(t, 2, "").Act(1, "a1 b1 a1", moment(2, 1)); !errors.As(err, &illegal) {
		t.Errorf("a third taking in a whole turn: %v, want an *IllegalError", err)
	}
	// The same if the seat no longer confirms.
	if _, err := m.Act(1, "a1", moment(2)); !errors.As(err, &illegal) {
		t.Errorf("a third taking after confirming: %v, want an *IllegalError", err)
	}
	if _, err := m.Act(1, "end a1", moment(2, 1)); !errors.Is(err, match.ErrTurnOver) {
		t.Errorf("after the end: %v, want ErrTurnOver", err)
	}
	if m = after(t, m)(m.Act(1, "end", moment(2, 1))); m.Seat() != 2 {
		t.Errorf("seat %d is to act after the end, want 2", m.Seat())
	}
}

func TestFormalitiesStopAtConfirmingSeat(t *testing.T) {
	m := counters(t, 4, "piles=1 counters=3")
	entries, err := m.Act(1, "a3", moment(1, 3))
	if got, want := format(entries), "1 action a3, 1 action end, 2 action pass"; got != want {
		t.Fatalf("entries: %s (%v), want %s", got, err, want)
	}
	m = with(t, m, entries, err)
	if m.Seat() != 3 {
		t.Fatalf("seat %d is to act, want 3", m.Seat())
	}
	entries, err = m.Act(3, "pass", moment(2, 3))
	if got, want := format(entries), "3 action pass, 4 action pass, 1 action pass"; got != want {
		t.Errorf("entries: %s (%v), want %s", got, err, want)
	}
	outcome, over := with(t, m, entries, err).Over()
	if !over || outcome.Ending != match.ByRules || outcome.Result.Reason != "passes" || !slices.Equal(outcome.Result.Winners, []engine.Seat{1}) {
		t.Errorf("the outcome is %+v, %t", outcome, over)
	}
}

// A formality is pending if its seat no longer confirms, or at the start of a
// match. The next seat can act all the same.
func TestPendingFormality(t *testing.T) {
	m := counters(t, 3, "")
	entries, err := m.Act(1, "a1 b1", moment(1, 1)) // the end is pending
	m = with(t, m, entries, err)
	entries, err = m.Act(2, "a1", moment(2))
	if got, want := format(entries), "1 action end, 2 action a1"; got != want {
		t.Errorf("entries: %s (%v), want %s", got, err, want)
	}
	var turn *match.TurnError
	if entries, err := m.Act(3, "a1", moment(2)); !errors.As(err, &turn) || turn.Seat != 1 {
		t.Errorf("seat 3 gave %s, %v: want a *TurnError with seat 1", format(entries), err)
	}
	if entries, err := m.Act(2, "a1", moment(2, 1)); !errors.As(err, &turn) || turn.Seat != 1 {
		t.Errorf("seat 2 gave %s, %v while seat 1 confirms: want a *TurnError with seat 1", format(entries), err)
	}
	if entries, err := m.Act(2, "zz", moment(2)); err == nil {
		t.Errorf("a wrong token gave %s, want no entries", format(entries))
	}
}

func TestFormalityWithinTurnMayBeLeftOut(t *testing.T) {
	tests := []struct {
		name, text, want string
		confirm          []engine.Seat
	}{
		{"left out", "2", "1 action pass, 1 action 2", nil},
		{"named", "pass 2", "1 action pass, 1 action 2", nil},
		{"alone", "pass", "1 action pass", nil},
		{"a whole turn", "2 1 end", "1 action pass, 1 action 2, 1 action 1, 1 action end, 2 action pass", nil},
		{"the end is a formality too", "3 2 1", "1 action pass, 1 action 3, 1 action 2, 1 action 1, 1 action end, 2 action pass", nil},
		{"by a seat that confirms", "2", "1 action pass, 1 action 2", []engine.Seat{1}},
		{"the seat confirms the end", "3 2 1", "1 action pass, 1 action 3, 1 action 2, 1 action 1", []engine.Seat{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries, err := start(t, opening(), 2, "").Act(1, tt.text, moment(1, tt.confirm...))
			if got := format(entries); err != nil || got != tt.want {
				t.Errorf("entries: %s (%v)\n   want: %s", got, err, tt.want)
			}
		})
	}

	// Suggestions are the tokens after the formality that was left out.
	var refused *match.TokenError
	_, err := start(t, opening(), 2, "").Act(1, "11", moment(1))
	if !errors.As(err, &refused) || !slices.Contains(refused.Nearest, "1") {
		t.Errorf("error %v suggests %v, want 1", err, refused)
	}
	_, err = start(t, opening(), 2, "").Act(1, "?", moment(1))
	var notation *engine.NotationError
	if !errors.As(err, &notation) {
		t.Errorf("error %v, want a *NotationError", err)
	}
}

// A game that never ends does not hang its host.
func TestEndlessFormalities(t *testing.T) {
	endless := &toy{
		least: 2, most: 2,
		legal: func(toyState) []string { return []string{engine.Pass} },
		apply: func(s toyState, _ string) toyState { return s.next() },
	}
	if entries, err := start(t, endless, 2, "").Act(1, "pass", moment(1)); err == nil {
		t.Errorf("%d entries and no error", len(entries))
	}
}

func TestOneActionPerTurn(t *testing.T) {
	m := start(t, trails.Game{}, 2, "size=5 towers=1")
	m = act(t, m, "1: r", "2: L")
	wantTurns(t, m, "1: right", "2: left")
	if m.CanAbort() || m.CanUndo(1) || m.Seat() != 1 {
		t.Errorf("abort %t, undo %t, seat %d: want false, false, 1", m.CanAbort(), m.CanUndo(1), m.Seat())
	}
	if _, err := m.Act(1, "down down", moment(9)); !errors.Is(err, match.ErrTurnOver) {
		t.Errorf("two actions: %v, want ErrTurnOver", err)
	}
	last, ok := m.Last()
	if !ok || last.Number != 2 || last.Seat != 2 || !last.EndedAt.Equal(moment(1).At) || last.Before.Turns() != 1 {
		t.Errorf("the last turn is %+v", last)
	}
	for m.Seat() != engine.Nobody {
		m = after(t, m)(m.Act(m.Seat(), m.Position().Legal()[0].String(), moment(m.Seq())))
	}
	outcome, _ := m.Over()
	want, _ := m.Position().Result()
	if outcome.Ending != match.ByRules || outcome.By != engine.Nobody || !reflect.DeepEqual(outcome.Result, want) {
		t.Errorf("the outcome is %+v, the game's result %+v", outcome, want)
	}
	if last, _ := m.Last(); last.Number != m.Seq() || !last.EndedAt.Equal(outcome.At) {
		t.Errorf("the last turn is not complete: %+v", last)
	}
	if open := m.Open(); open.Number != 0 || open.Before != nil || len(open.Actions) != 0 {
		t.Errorf("the open turn after the end is %+v, want none", open)
	}
}
