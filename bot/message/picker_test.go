package message

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"castellan/bot/discord"
	"castellan/engine"
)

// steps is an action that consists of its steps alone.
type steps string

func (s steps) String() string  { return strings.ReplaceAll(string(s), " ", "") }
func (s steps) Steps() []string { return strings.Split(string(s), " ") }

func actions(all ...string) []engine.Action {
	var out []engine.Action
	for _, s := range all {
		out = append(out, steps(s))
	}
	return out
}

func shown(all []choice) string {
	var words []string
	for _, p := range all {
		w := p.step
		if !strings.HasSuffix(p.path, stepEnd) {
			w += "…"
		}
		if p.action != nil {
			w += "!"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

func TestChoicesAreTheNextStepsOfLegalActions(t *testing.T) {
	legal := actions("b2 b4", "b2 c2", "c3 c4", "+ 1", "+ 2", "end", "pass", "45")
	for _, c := range []struct{ from, want string }{
		{"", "b2 c3c4! + 45!"}, // a single choice is skipped
		{"b2~", "b4! c2!"},
		{"b2~b4~", ""},
		{"+~", "1! 2!"},
		{"x", ""},
		{"b", "b2"},
		{"b2~ ", ""},
	} {
		if got := shown(choices(legal, c.from, discord.MaxSelectOptions)); got != c.want {
			t.Errorf("from %q: %s, want %s", c.from, got, c.want)
		}
	}
	if a, ok := PickedAction(legal, "b2~b4~"); !ok || a != steps("b2 b4") {
		t.Errorf("picked %v, %v", a, ok)
	}
	if _, ok := PickedAction(legal, "b2~"); ok {
		t.Error("half an action is picked")
	}
	if IsPath(legal, "x") || IsPath(legal, "b2~b4~") || !IsPath(legal, "") || !IsPath(legal, "b2~") {
		t.Error("IsPath is wrong")
	}
	if got := PickedSteps("b2~b"); len(got) != 1 || got[0] != "b2" {
		t.Errorf("whole steps %v", got)
	}
}

func TestTooManyChoicesAreGroupedByPrefix(t *testing.T) {
	var all []string
	for file := 'a'; file <= 'd'; file++ {
		for rank := 1; rank <= 10; rank++ {
			all = append(all, fmt.Sprintf("%c%d", file, rank))
		}
	}
	legal := actions(all...)
	if got := shown(choices(legal, "", 25)); got != "a… b… c… d…" {
		t.Errorf("forty squares: %s", got)
	}
	if got := shown(choices(legal, "b", 25)); !strings.HasPrefix(got, "b1! b2!") || !strings.HasSuffix(got, "b10!") {
		t.Errorf("a file: %s", got)
	}
}

// Every legal action can be reached by choosing, and there is always a choice.
func TestEveryActionCanBePicked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.StringMatching(`[a-e]?[0-9]{1,2}|[+/]`)
		legal := map[string]engine.Action{}
		for range rapid.IntRange(1, 80).Draw(t, "actions") {
			parts := rapid.SliceOfN(step, 1, 3).Draw(t, "steps")
			legal[strings.Join(parts, " ")] = steps(strings.Join(parts, " "))
		}
		var all []engine.Action
		for key, a := range legal {
			free := true
			for other := range legal {
				free = free && (other == key || !strings.HasPrefix(key+" ", other+" "))
			}
			if free { // the contract: no action's steps begin another's
				all = append(all, a)
			}
		}
		reached := map[engine.Action]bool{}
		var walk func(from string, depth int)
		walk = func(from string, depth int) {
			next := choices(all, from, discord.MaxSelectOptions)
			if len(next) == 0 || len(next) > 36 || depth > 20 {
				t.Fatalf("%d choices from %q", len(next), from)
			}
			for _, p := range next {
				if p.action != nil {
					reached[p.action] = true
					continue
				}
				if len(p.path) <= len(from) {
					t.Fatalf("%q leads back to %q", from, p.path)
				}
				walk(p.path, depth+1)
			}
		}
		walk("", 0)
		if len(reached) != len(all) {
			t.Errorf("%d of %d actions can be picked", len(reached), len(all))
		}
	})
}

// count counts components with those within them.
func count(all []discord.Component) (n int) {
	for _, c := range all {
		n++
		switch c := c.(type) {
		case discord.Container:
			n += count(c.Components)
		case discord.ActionRow:
			n += len(c.Buttons)
		}
	}
	return n
}
