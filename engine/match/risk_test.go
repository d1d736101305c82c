package match_test

import (
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/towers"
)

func TestRisk(t *testing.T) {
	always := func(engine.Position) bool { return true }
	for _, c := range []struct {
		name    string
		game    engine.Game
		options string
		before  []string
		turn    string
		canWin  func(engine.Position) bool
		want    match.Risk
	}{
		{"an open turn", sample.Game{}, "", nil, "a1", always, match.NoRisk},
		{"a turn", sample.Game{}, "", nil, "a1 end", nil, match.NoRisk},
		{"the next seat can win", sample.Game{}, "", nil, "a1 end", always, match.Exposes},
		{"a lost match", sample.Game{}, "piles=1 counters=5", []string{"1: a3 end"}, "a2", always, match.Loses},
		{"a won match", sample.Game{}, "piles=1 counters=3", nil, "a3", always, match.NoRisk},
		{"a first pass", towers.Game{}, "", nil, "end", nil, match.NoRisk},
		{"a pass that ends the match", towers.Game{}, "", []string{"1: end"}, "end", nil, match.Ends},
		{"a turn that changes nothing and ends the match", towers.Game{}, "size=8", []string{"1: end"}, "b7-b6 b6-b7 end", nil, match.Ends},
		{"a turn that changes nothing", towers.Game{}, "size=8", nil, "b2-b3 b3-b2 end", nil, match.NoRisk},
	} {
		m := act(t, start(t, c.game, 2, c.options), c.before...)
		after, tokens, err := m.Try(m.Seat(), c.turn, moment(1))
		if err != nil || len(tokens) == 0 {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := m.Risk(m.Seat(), after, c.canWin); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
