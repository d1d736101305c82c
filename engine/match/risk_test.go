package match_test

import (
	"fmt"
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

func TestPassed(t *testing.T) {
	for turn, want := range map[string]bool{"end": true, "b7-b6 b6-b7 end": false} {
		last, _ := act(t, start(t, towers.Game{}, 2, "size=8"), "1: end", "2: "+turn).Last()
		if last.Passed() != want {
			t.Errorf("%s: passed is %v", turn, !want)
		}
	}
}

// A request is overtaken by one that was sent later, unless so much later that it would
// not arrive any more.
func TestIsOvertaken(t *testing.T) {
	const millisecond = 1 << 22 // of Discord's IDs
	const other, delivery = uint64(1234567) * millisecond, uint64(15*60*1000) * millisecond
	m := counters(t, 2, "")
	cause := moment(1)
	cause.Interaction = fmt.Sprint(other)
	m = after(t, m)(m.Act(m.Seat(), "a1 end", cause))
	for sent, want := range map[string]bool{
		fmt.Sprint(other - 1): true, fmt.Sprint(other): false, fmt.Sprint(other + 1): false,
		fmt.Sprint(other - delivery + millisecond): true, fmt.Sprint(other - delivery): false, "forget-x": false,
	} {
		if got := m.IsOvertaken(sent); got != want {
			t.Errorf("%s after %d: overtaken is %v", sent, other, got)
		}
	}
}
