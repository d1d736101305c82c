package message

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host/hosttest"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/towers"
	"castellan/engine/trails"
)

// position returns the start of a game.
func position(t testing.TB, g engine.Game, options map[string]string) (*catalogue.Printer, engine.Position) {
	t.Helper()
	texts, err := catalogue.New(g)
	hosttest.Must(t, err)
	o, err := g.Options().Options(options)
	hosttest.Must(t, err)
	p, err := g.New(o, 2)
	hosttest.Must(t, err)
	return texts.Printer("en"), p
}

// values returns the values of choices, joined by |.
func values(choices []discord.Choice) string {
	var all []string
	for _, c := range choices {
		all = append(all, c.Value.(string))
	}
	return strings.Join(all, "|")
}

func TestTurnSuggestions(t *testing.T) {
	say, p := position(t, sample.Game{}, nil) // 2 piles of 5, at most 3 at once
	const start, second = "a1|a2|a3|b1|b2|b3", "a2 a1|a2 a2|a2 a3|a2 b1|a2 b2|a2 b3|a2 end"
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
		{"a short form that is complete", "a ", "a1 a1|a1 a2|a1 a3|a1 b1|a1 b2|a1 b3|a1 end"},
		{"the formality alone", "a2 b1 ", "a2 b1 end"},
		{"the beginning of the formality", "a2 b1 e", "a2 b1 end"},
		{"beyond the turn", "a2 b1 end ", ""},
		{"into the next turn", "a2 b1 end a", ""},
		{"an illegal token before", "a9 ", ""},
		{"a token that is none before", "zz b", ""},
		{"a typo", "a2 edn", "a2 end"},
		{"a typo with two likely meanings", "c2", "a2|b2"},
		{"nothing like it", "castle", ""},
		{"bytes", "\xff\x00", ""},
		{"as a suggestion is shown", "a2 · takes 2 counters", second},
		{"as a suggestion is shown, twice", "a2 b1 · takes 1 counter · x", "a2 b1 end"},
		{"a remark alone", "· takes", start},
		{"a first step with its dots", "a…", "a1|a2|a3"},
		{"dots alone", "…", start},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := TurnSuggestions(say, p, c.written)
			if values(got) != c.want {
				t.Errorf("%q: %s, want %s", c.written, values(got), c.want)
			}
		})
	}
}

// The name of a suggestion is the line and what its last action does.
func TestTurnSuggestionsDescribeActions(t *testing.T) {
	say, p := position(t, sample.Game{}, nil)
	for written, want := range map[string][]string{
		"a2":       {"a2 · takes 2 counters"},
		"a2 b":     {"a2 b1 · takes 1 counter", "a2 b2 · takes 2 counters", "a2 b3 · takes 3 counters"},
		"a2 b1 en": {"a2 b1 end"},
	} {
		var got []string
		for _, c := range TurnSuggestions(say, p, written) {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
}

func TestTurnSuggestionsTrails(t *testing.T) {
	say, p := position(t, trails.Game{}, nil)
	legal := len(p.Legal())
	for written, want := range map[string]string{
		"r": "right", "R": "right", "rigth": "right", "dwon": "down", "↓": "down", "up ": "", "up down": "", "x": "",
	} {
		if got := values(TurnSuggestions(say, p, written)); got != want {
			t.Errorf("%q: %s, want %s", written, got, want)
		}
	}
	all := TurnSuggestions(say, p, "")
	if len(all) != legal {
		t.Errorf("%d suggestions of %d legal moves", len(all), legal)
	}
	for _, c := range all {
		if !strings.HasPrefix(c.Name, c.Value.(string)+descriptionMark) || strings.Contains(c.Name, "⟨") {
			t.Errorf("%q for %q", c.Name, c.Value)
		}
	}
}

// wide is a position with many legal actions, each of two steps.
type wide struct {
	engine.Position
	from, to int
	long     string
}

// pair is an action of two steps: "c4-7".
type pair struct{ from, to string }

func (a pair) String() string  { return a.from + "-" + a.to }
func (a pair) Steps() []string { return []string{a.from, a.to} }

func (p wide) Legal() (out []engine.Action) {
	for f := range p.from {
		for to := range p.to {
			out = append(out, pair{fmt.Sprintf("%s%c", p.long, 'a'+f), fmt.Sprint(to)})
		}
	}
	return out
}

func (p wide) Parse(token string) (engine.Action, error) {
	for _, a := range p.Legal() {
		if a.String() == token {
			return a, nil
		}
	}
	return nil, &engine.NotationError{Token: token}
}

func TestTurnSuggestionsFirstSteps(t *testing.T) {
	say, base := position(t, sample.Game{}, nil)
	p := wide{Position: base, from: 5, to: 8}
	if got := values(TurnSuggestions(say, p, "")); got != "a|b|c|d|e" {
		t.Errorf("first steps: %s", got)
	}
	if got := TurnSuggestions(say, p, "")[2]; got.Name != "c…" || got.Value != "c" {
		t.Errorf("%+v", got)
	}
	for _, written := range []string{"c", "C", "c…"} {
		if got := values(TurnSuggestions(say, p, written)); got != "c-0|c-1|c-2|c-3|c-4|c-5|c-6|c-7" {
			t.Errorf("%q: %s", written, got)
		}
	}
	// 30 continuations of one step: the step alone would lead nowhere.
	p = wide{Position: base, from: 2, to: 30}
	got := TurnSuggestions(say, p, "b")
	if len(got) != 25 || got[0].Value != "b-0" || got[24].Value != "b-24" {
		t.Errorf("%s", values(got))
	}
	// 26 first steps are still too many.
	p = wide{Position: base, from: 26, to: 2}
	if got := TurnSuggestions(say, p, ""); len(got) != 25 || got[24].Value != "y" {
		t.Errorf("%s", values(got))
	}
	// A value has at most 100 characters; one that was cut would be another.
	p = wide{Position: base, from: 2, to: 2, long: strings.Repeat("x", 120)}
	if got := TurnSuggestions(say, p, ""); len(got) != 0 {
		t.Errorf("%s", values(got))
	}
	p = wide{Position: base, from: 5, to: 8, long: strings.Repeat("x", 120)}
	if got := TurnSuggestions(say, p, ""); len(got) != 0 {
		t.Errorf("%s", values(got))
	}
}

// Whatever is typed: the suggestions keep to Discord's limits, each value occurs
// once and is a legal turn so far, and the name can be sent back instead of it.
func TestTurnSuggestionsAreLegal(t *testing.T) {
	say, p := position(t, sample.Game{}, map[string]string{"piles": "4", "counters": "20", "most": "5"})
	rapid.Check(t, func(t *rapid.T) {
		written := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-e][0-6]? ?){0,3}(end)?[ ·]{0,2}`)).Draw(t, "written")
		choices := TurnSuggestions(say, p, written)
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
			shown, _, _ := strings.Cut(c.Name, strings.TrimSpace(descriptionMark))
			if strings.TrimSpace(shown) != value {
				t.Fatalf("%q is shown as %q", value, c.Name)
			}
			at := p
			for _, token := range strings.Fields(value) {
				a, err := at.Parse(token)
				if err == nil {
					at, err = at.Apply(a)
				}
				if err != nil {
					t.Fatalf("%q: %v", value, err)
				}
			}
		}
	})
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
