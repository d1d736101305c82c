package match_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
)

func TestAct(t *testing.T) {
	words, game := opening(), sample.Game{}
	for _, tt := range []struct {
		name    string
		game    engine.Game
		options string
		before  []string
		text    string
		confirm []engine.Seat
		want    string
	}{
		{"one action", game, "", nil, "a2", nil, "1 action a2"},
		{"a whole turn", game, "", nil, "a2 end", nil, "1 action a2, 1 action end"},
		{"white space and short forms", game, "", nil, " \tA \n END ", nil, "1 action a1, 1 action end"},
		{"the turn may leave end out", game, "", nil, "a2 b1", nil, "1 action a2, 1 action b1, 1 action end"},
		{"or name it", game, "", nil, "a2 b1 end", nil, "1 action a2, 1 action b1, 1 action end"},
		{"the rest of an open turn", game, "", []string{"1: a2"}, "b1", nil, "1 action b1, 1 action end"},
		{"forced actions follow to the end of the game", game, "piles=1 counters=3", nil, "a3", nil,
			"1 action a3, 1 action end, 2 action pass, 1 action pass"},
		{"a forced action within the turn left out", words, "", nil, "2", nil, "1 action pass, 1 action 2"},
		{"named", words, "", nil, "pass 2", nil, "1 action pass, 1 action 2"},
		{"alone", words, "", nil, "pass", nil, "1 action pass"},
		{"left out of a whole turn", words, "", nil, "2 1 end", nil, "1 action pass, 1 action 2, 1 action 1, 1 action end, 2 action pass"},
		{"left out with the end", words, "", nil, "3 2 1", nil, "1 action pass, 1 action 3, 1 action 2, 1 action 1, 1 action end, 2 action pass"},
		{"left out by a seat that confirms", words, "", nil, "2", []engine.Seat{1}, "1 action pass, 1 action 2"},
		{"the seat confirms the end", words, "", nil, "3 2 1", []engine.Seat{1}, "1 action pass, 1 action 3, 1 action 2, 1 action 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := act(t, start(t, tt.game, 2, tt.options), tt.before...)
			entries, err := m.Act(1, tt.text, moment(7, tt.confirm...))
			if got := format(entries); err != nil || got != tt.want {
				t.Errorf("entries: %s (%v)\n   want: %s", got, err, tt.want)
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
	game := sample.Game{}
	tests := []struct {
		name    string
		game    engine.Game
		before  []string
		text    string
		index   int
		token   string
		as      any // what the error is
		is      error
		nearest string // one of the suggestions; empty if there are none
	}{
		{"not an action", game, nil, "zz", 0, "zz", &notation, nil, ""},
		{"a typo", game, nil, "a2 bb1", 1, "bb1", &notation, nil, "b1"},
		{"not legal", game, nil, "a5", 0, "a5", &illegal, nil, "a1"},
		{"not legal in the middle", game, nil, "a3 a3 end", 1, "a3", &illegal, nil, "a1"},
		{"end first", game, nil, "end", 0, "end", &illegal, nil, ""},
		{"after end", game, nil, "a1 end b1", 2, "b1", nil, match.ErrTurnOver, ""},
		{"a second end", game, nil, "a1 end end", 2, "end", nil, match.ErrTurnOver, ""},
		{"a third taking", game, nil, "a1 b1 a1", 2, "a1", &illegal, nil, ""},
		{"a third taking that is not an action", game, nil, "a1 b1 zz", 2, "zz", &notation, nil, ""},
		{"the turn of the next seat", game, nil, "a1 b1 end a1", 3, "a1", nil, match.ErrTurnOver, ""},
		{"in an open turn", game, []string{"1: a1"}, "b9", 0, "b9", &illegal, nil, "b1"},
		{"after a forced action left out", opening(), nil, "11", 0, "11", &illegal, nil, "1"},
		{"not an action where one is left out", opening(), nil, "?", 0, "?", &notation, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := act(t, start(t, tt.game, 2, ""), tt.before...)
			entries, err := m.Act(1, tt.text, moment(1))
			if entries != nil {
				t.Errorf("entries: %s", format(entries))
			}
			var refused *match.TokenError
			if !errors.As(err, &refused) {
				t.Fatalf("error is %v, want a *TokenError", err)
			}
			if refused.Index != tt.index || refused.Token != tt.token || len(refused.Before) != tt.index {
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

// A game that never ends does not hang its host.
func TestEndlessForcedActions(t *testing.T) {
	endless := &toy{
		least: 2, most: 2,
		legal: func(toyState) []string { return []string{engine.Pass} },
		apply: func(s toyState, _ string) toyState { return s.next() },
	}
	if entries, err := start(t, endless, 2, "").Act(1, "pass", moment(1)); err == nil {
		t.Errorf("%d entries and no error", len(entries))
	}
}
