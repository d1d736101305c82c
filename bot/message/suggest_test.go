package message

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
	"castellan/storage"
)

// begin returns a match of a game after some turns.
func begin(t testing.TB, g engine.Game, options map[string]string, turns ...string) (*catalogue.Printer, *match.Match) {
	t.Helper()
	texts, err := catalogue.New(g)
	hosttest.Must(t, err)
	o, err := g.Options().Options(options)
	hosttest.Must(t, err)
	m, err := match.Start(g, match.Settings{Game: g.Key(), Version: g.Version(), Options: o, Seats: 2})
	hosttest.Must(t, err)
	for _, turn := range turns {
		entries, err := m.Act(m.Seat(), turn, match.Cause{})
		hosttest.Must(t, err)
		m, err = m.With(entries...)
		hosttest.Must(t, err)
	}
	return texts.Printer("en"), m
}

func values(choices []discord.Choice) string {
	var all []string
	for _, c := range choices {
		all = append(all, c.Value.(string))
	}
	return strings.Join(all, "|")
}

func TestTurnSuggestions(t *testing.T) {
	say, m := begin(t, sample.Game{}, nil) // 2 piles of 5, at most 3 at once
	const start, second = "a1|a2|a3|b1|b2|b3", "a2|a2 a1|a2 a2|a2 a3|a2 b1|a2 b2|a2 b3|a2 end"
	for _, c := range []struct{ name, written, want string }{
		{"nothing", "", start},
		{"white space", "  ", start},
		{"a prefix", "b", "b1|b2|b3"},
		{"a prefix in capitals", "B", "b1|b2|b3"},
		{"a whole token", "a2", "a2"},
		{"a whole token and a space", "a2 ", second},
		{"several spaces", "  a2   ", second},
		{"the second token", "a2 b", "a2 b1|a2 b2|a2 b3"},
		{"in canonical form", "A2  B", "a2 b1|a2 b2|a2 b3"},
		{"a short form that is complete", "a ", "a1|a1 a1|a1 a2|a1 a3|a1 b1|a1 b2|a1 b3|a1 end"},
		{"the formality alone", "a2 b1 ", "a2 b1|a2 b1 end"},
		{"the beginning of the formality", "a2 b1 e", "a2 b1 end"},
		{"a complete turn", "a2 b1 end ", "a2 b1 end"},
		{"as a suggestion is shown", "a2 · takes 2 counters", second},
		{"as a suggestion is shown, twice", "a2 b1 · takes 1 counter · x", "a2 b1|a2 b1 end"},
		{"a remark alone", "· takes", start},
		// A turn that cannot be played is never replaced by another one.
		{"into the next turn", "a2 b1 end a", "✗ a2 b1 end a"},
		{"an illegal token", "a9", "✗ a9"},
		{"an illegal token before", "a9 b1", "✗ a9 b1"},
		{"an illegal token and a space", "A9 ", "✗ A9"},
		{"a token that is none before", "zz b", "✗ zz b"},
		{"a typo", "a2 edn", "✗ a2 edn"},
		{"nothing like it", "castle", "✗ castle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			choices := TurnSuggestions(say, &host.View{Match: m}, 1, c.written)
			got := values(choices)
			if len(choices) == 1 && strings.Contains(choices[0].Name, illegalMark) {
				got = strings.TrimSpace(illegalMark) + " " + got
			}
			if got != c.want {
				t.Errorf("%q: %s, want %s", c.written, got, c.want)
			}
		})
	}
}

// The name of a suggestion is the line and what its last action does, or why it
// cannot be played. Nothing is suggested instead of what is typed, and what is
// typed comes first.
func TestTurnSuggestionsSayWhatHappens(t *testing.T) {
	for _, c := range []struct {
		game    engine.Game
		options map[string]string
		turns   []string
		typed   string
		want    []string
	}{
		{sample.Game{}, nil, nil, "a2", []string{"a2 · takes 2 counters"}},
		{sample.Game{}, nil, nil, "a2 b", []string{"a2 b1 · takes 1 counter", "a2 b2 · takes 2 counters", "a2 b3 · takes 3 counters"}},
		{stonetowers.Game{}, nil, []string{"f6"}, "f6", []string{"f6 · ✗ "}},
		{stonetowers.Game{}, nil, nil, "f6", []string{"f6 · builds a castle"}},
		{towers.Game{}, map[string]string{"size": "8"}, nil, "e2-e3 e3-a7", []string{"e2-e3 e3-a7 · ✗ "}},
		{rings.Game{}, nil, []string{"M11"}, "M11", []string{"M11 · ✗ "}},
		{rings.Game{}, nil, []string{"M1"}, "m1", []string{"m1 · ✗ ", "M11 · on"}},
		{trails.Game{}, nil, nil, "left", []string{"left · ✗ "}},
		{trails.Game{}, nil, nil, "l", []string{"l · ✗ "}},
		{trails.Game{}, nil, nil, "rigth", []string{"rigth · ✗ "}},
		{trails.Game{}, nil, nil, "↓", []string{"down · "}},
	} {
		say, m := begin(t, c.game, c.options, c.turns...)
		got := TurnSuggestions(say, &host.View{Match: m}, m.Seat(), c.typed)
		if len(got) != len(c.want) && len(c.want) != 2 {
			t.Errorf("%s %q: %q", c.game.Key(), c.typed, got)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(got[i].Name, want) || strings.Contains(got[i].Name, "⟨") {
				t.Errorf("%s %q: %q, want %q", c.game.Key(), c.typed, got[i].Name, want)
			}
		}
	}
}

// An empty line offers whole turns from everywhere on the board.
func TestTurnSuggestionsAreSpread(t *testing.T) {
	for _, g := range []engine.Game{rings.Game{}, stonetowers.Game{}} {
		say, m := begin(t, g, nil)
		columns := map[string]bool{}
		all := TurnSuggestions(say, &host.View{Match: m}, 1, "")
		for _, c := range all {
			a, err := m.Position().Parse(c.Value.(string))
			hosttest.Must(t, err)
			columns[a.Steps()[0]] = true
		}
		if len(all) != discord.MaxChoices || len(columns) < 8 {
			t.Errorf("%s: %d suggestions in %d columns", g.Key(), len(all), len(columns))
		}
	}
}

// Whatever is typed: the suggestions keep to Discord's limits, each value occurs
// once, and is a legal turn so far unless it is what was typed and says that it
// is not; the name can be sent back instead of the value.
func TestTurnSuggestionsAreLegal(t *testing.T) {
	say, m := begin(t, sample.Game{}, map[string]string{"piles": "4", "counters": "20", "most": "5"})
	rapid.Check(t, func(t *rapid.T) {
		written := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-e][0-6]? ?){0,3}(end)?[ ·]{0,2}`)).Draw(t, "written")
		choices := TurnSuggestions(say, &host.View{Match: m}, 1, written)
		if len(choices) > discord.MaxChoices {
			t.Fatalf("%d choices", len(choices))
		}
		seen := map[string]bool{}
		for _, c := range choices {
			value := c.Value.(string)
			if seen[value] || value == "" || utf8.RuneCountInString(value) > discord.MaxChoiceValue || c.Name == "" {
				t.Fatalf("%+v", c)
			}
			seen[value] = true
			if value == strings.TrimSpace(descriptionMark) { // a notice
				continue
			}
			if shown := TrimDescription(c.Name); shown != value && utf8.RuneCountInString(shown) <= discord.MaxChoiceValue {
				t.Fatalf("%q is shown as %q", value, c.Name)
			}
			_, err := m.Act(1, value, match.Cause{})
			if illegal := strings.Contains(c.Name, illegalMark); illegal != (err != nil) {
				t.Fatalf("%q: %v", c.Name, err)
			}
		}
	})
}

// A line that is too long for a suggestion is not cut: it would be another turn.
func TestTurnTooLongToSuggest(t *testing.T) {
	say, _ := begin(t, sample.Game{}, nil)
	long := strings.Repeat("x", discord.MaxChoiceValue+1)
	got := limitChoices(say, []discord.Choice{{Name: long, Value: long}})
	if len(got) != 1 || !strings.Contains(got[0].Name, "too long") || TrimDescription(got[0].Value.(string)) != "" {
		t.Errorf("%v", got)
	}
}

func TestSetSuggestions(t *testing.T) {
	g := towers.Game{}
	texts, err := catalogue.New(g)
	hosttest.Must(t, err)
	say := texts.Printer()
	o, _ := g.Options().Lookup("rules")
	values := func(written string) string {
		var out []string
		for _, c := range SetSuggestions(say, g, o, written) {
			out = append(out, c.Value.(string))
			if len(c.Name) > 0 && !strings.HasPrefix(c.Name, c.Value.(string)) {
				t.Errorf("%q is called %q", c.Value, c.Name)
			}
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ written, want string }{
		{"", "none tower-out lock-after-move lock-split-tower import-first no-first-lock-master master-at-corner no-master-win"},
		{"no", "none no-first-lock-master no-master-win"},
		{"lock", "lock-after-move lock-split-tower"},
		{"tower-out", "tower-out tower-out+lock-after-move tower-out+lock-split-tower tower-out+import-first tower-out+no-first-lock-master tower-out+master-at-corner tower-out+no-master-win"},
		{"tower-out + lock", "tower-out+lock-after-move tower-out+lock-split-tower"},
		{"nonsense+lock", ""},
	} {
		if got := values(c.written); got != c.want {
			t.Errorf("%q: %s\nwant %s", c.written, got, c.want)
		}
	}
	if _, err := o.Canonical(values("tower-out+lock-s")); err != nil {
		t.Errorf("a suggestion is no value: %v", err)
	}
}

// The reason why a turn cannot be played names the players, not their colours.
func TestRefusedSuggestionNamesPlayers(t *testing.T) {
	say, m := begin(t, rings.Game{}, map[string]string{"side": "3"}, "F5 end")
	v := &host.View{Game: rings.Game{}, Match: m, Record: storage.Match{Seats: []storage.Person{hosttest.Anna, hosttest.Ben}}}
	got := TurnSuggestions(say, v, 2, "f5")
	if len(got) != 1 || !IsRefused(got[0]) || !strings.Contains(got[0].Name, "Anna") || strings.Contains(got[0].Name, "Blue") {
		t.Errorf("%v", got)
	}
}
