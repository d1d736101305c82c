package match_test

import (
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		game       engine.Game
		text, want string
	}{
		{towers.Game{}, "C2C3", "c2-c3"},
		{towers.Game{}, "c2 c3", "c2-c3"},
		{towers.Game{}, "c2 - c3", "c2-c3"},
		{towers.Game{}, "c2-c3, end", "c2-c3 end"},
		{towers.Game{}, "c2", "c2"},
		{towers.Game{}, "c2c9", "c2-c9"}, // not legal
		{towers.Game{}, "C2 c9 end", "c2-c9 end"},
		{towers.Game{}, "c2x9", "c2x9"},
		{rings.Game{}, "l 15", "L15"},
		{rings.Game{}, "M11;end", "M11 end"},
		{stonetowers.Game{}, "d 4", "d4"},
		{trails.Game{}, "Down!", "down"},
		{trails.Game{}, "castle", "castle"},
	} {
		m := start(t, c.game, 2, "")
		if got := m.Read(1, c.text); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.game.Key(), c.text, got, c.want)
		}
	}
}
