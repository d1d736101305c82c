package message

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/storage"
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

// The fullest board and panel, with 24 columns, keep to Discord's limits.
func TestFullBoardAndPanel(t *testing.T) {
	for _, c := range []struct {
		game    engine.Game
		options map[string]string
	}{
		{rings.Game{}, nil},
		{towers.Game{}, map[string]string{"size": "10"}},
		{stonetowers.Game{}, map[string]string{"width": "16", "height": "16"}},
	} {
		texts, err := catalogue.New(c.game)
		hosttest.Must(t, err)
		o, err := c.game.Options().Options(c.options)
		hosttest.Must(t, err)
		m, err := match.Start(c.game, match.Settings{Game: c.game.Key(), Version: c.game.Version(), Options: o, Seats: 2})
		hosttest.Must(t, err)
		say := texts.Printer()
		v := &host.View{Game: c.game, Match: m, Record: storage.Match{ID: 1 << 40, Seats: []storage.Person{{ID: "1", Name: "Anna"}, {ID: "2", Name: "Ben"}}}}
		paths := []string{""}
		for _, first := range choices(m.Position().Legal(), "", maxPickerButtons) {
			paths = append(paths, first.path)
		}
		picture := discord.File{Name: "board.png"}
		messages := []discord.Message{Board(say, v, m, picture, nil)}
		for _, path := range paths {
			messages = append(messages, Panel(say, PanelState{View: v, Person: "1", Path: path, Note: "note", Salt: "123456"}, picture))
		}
		for i, got := range messages {
			// A board can have a row of its own for Claim as well.
			if n := count(got.Components); n > discord.MaxComponents-2 && i == 0 || n > discord.MaxComponents {
				t.Errorf("%s: message %d has %d components", c.game.Key(), i, n)
			}
		}
	}
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
