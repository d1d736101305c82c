package engine_test

import (
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	directions := []string{"up", "down", "left", "right"}
	towers := []string{"b2-b3", "b2-b4", "b2-c2", "e1/f1", "+1", "+2", "end"}
	rings := []string{"A1", "A10", "M12", "M2", "pass"}
	for _, c := range []struct {
		legal []string
		text  string
		n     int
		want  string
	}{
		{directions, "rigth", 3, "right"},
		{directions, "dwon", 3, "down"},
		{directions, " Lfet ", 3, "left"},
		{directions, "ríght", 3, "right"},
		{directions, "u", 3, "up"},
		{directions, "RI", 3, "right"},
		{directions, "upp", 3, "up"},
		{directions, "upwards", 3, "up"},
		{directions, "down please", 3, "down"},
		{directions, "right", 3, "right"},
		{directions, "castle", 3, ""},
		{directions, "x", 3, ""},
		{directions, "", 3, ""},
		{directions, "   ", 3, ""},
		{directions, "rigth", 0, ""},
		{directions, "rigth", -1, ""},
		{nil, "up", 3, ""},
		{towers, "b2", 5, "b2-b3 b2-b4 b2-c2 +2"},
		{towers, "b2", 2, "b2-b3 b2-b4"},
		{towers, "b2b4", 1, "b2-b4"},
		{towers, "b2 - b4", 1, "b2-b4"},
		{towers, "b2-b5", 9, "b2-b3 b2-b4 b2-c2"},
		{towers, "e1f1", 5, "e1/f1"},
		{towers, "edn", 5, "end"},
		{rings, "a1", 5, "A1 A10"},
		{rings, "a10", 5, "A10 A1"},
		{rings, "m21", 5, "M12 M2"},
		{rings, "psas", 5, "pass"},
		{rings, "\xff\xfe", 5, ""},
	} {
		got := strings.Join(engine.Nearest(c.legal, c.text, c.n), " ")
		if got != c.want {
			t.Errorf("Nearest(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// A very long text takes no longer than a line.
func TestNearestIsBounded(t *testing.T) {
	legal := slices.Repeat([]string{"b2-b4"}, 1000)
	if got := engine.Nearest(legal, strings.Repeat("b2-b4 ", 1<<20), 3); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

// Nearest returns at most n legal tokens, none twice, and an exact match first.
func TestNearestReturnsLegalTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-h][1-8](-[a-h][1-8])?`), 1, 20, rapid.ID[string]).Draw(t, "tokens")
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-h1-8-]{0,6}`), rapid.SampledFrom(tokens)).Draw(t, "text")
		n := rapid.IntRange(0, 25).Draw(t, "n")
		got := engine.Nearest(tokens, text, n)
		if len(got) > n {
			t.Fatalf("%d tokens, at most %d asked for", len(got), n)
		}
		for i, g := range got {
			if !slices.Contains(tokens, g) || slices.Contains(got[:i], g) {
				t.Fatalf("%q is not legal, or there twice: %v", g, got)
			}
		}
		if n > 0 && slices.Contains(tokens, text) && (len(got) == 0 || got[0] != text) {
			t.Fatalf("%q is legal but not first of %v", text, got)
		}
	})
}

// Near means near on the board, not in spelling; a spread covers the board.
func TestSurveyor(t *testing.T) {
	for _, c := range []struct {
		game        engine.Game
		play, token string
		near        string
	}{
		{rings.Game{}, "M11 end", "M11", "L11 M9 M13"},
		{stonetowers.Game{}, "d4", "d4", "b4 c3 c5"},
		{towers.Game{}, "", "b2-d5", "b2-c2 b2-b3 c2-d2"},
	} {
		options, err := c.game.Options().Options(nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.game.New(options, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range strings.Fields(c.play) {
			a, err := p.Parse(token)
			if err == nil {
				p, err = p.Apply(a)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		a, err := p.Parse(c.token)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(engine.NearestOnBoard(p, a, 3), " "); got != c.near {
			t.Errorf("%s: near %s are %s, want %s", c.game.Key(), c.token, got, c.near)
		}
		legal := p.Legal()
		few := engine.Spread(p, legal, 5)
		if len(few) != min(5, len(legal)) || !slices.IsSortedFunc(few, func(a, b engine.Action) int { return slices.Index(legal, a) - slices.Index(legal, b) }) {
			t.Errorf("%s: %v", c.game.Key(), few)
		}
	}
}
