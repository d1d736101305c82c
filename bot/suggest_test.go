package bot

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
)

// position is a game at its start.
func position(t testing.TB, g engine.Game, options map[string]string) (*catalogue.Printer, engine.Position) {
	t.Helper()
	texts, err := catalogue.New(g)
	must(t, err)
	o, err := g.Options().Options(options)
	must(t, err)
	p, err := g.New(o, 2)
	must(t, err)
	return texts.Printer("en"), p
}

// values is the values of choices, joined by |.
func values(choices []discord.Choice) string {
	var all []string
	for _, c := range choices {
		all = append(all, c.Value.(string))
	}
	return strings.Join(all, "|")
}

func TestSuggestions(t *testing.T) {
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
			got := suggestions(say, p, c.written)
			if values(got) != c.want {
				t.Errorf("%q: %s, want %s", c.written, values(got), c.want)
			}
		})
	}
}

// What is shown is the line, and in words what its last action does.
func TestSuggestionsAreShownWithWords(t *testing.T) {
	say, p := position(t, sample.Game{}, nil)
	for written, want := range map[string][]string{
		"a2":       {"a2 · takes 2 counters"},
		"a2 b":     {"a2 b1 · takes 1 counter", "a2 b2 · takes 2 counters", "a2 b3 · takes 3 counters"},
		"a2 b1 en": {"a2 b1 end"},
	} {
		var got []string
		for _, c := range suggestions(say, p, written) {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
}

func TestSuggestionsOfTrails(t *testing.T) {
	say, p := position(t, trails.Game{}, nil)
	legal := len(p.Legal())
	for written, want := range map[string]string{
		"r": "right", "R": "right", "rigth": "right", "dwon": "down", "↓": "down", "up ": "", "up down": "", "x": "",
	} {
		if got := values(suggestions(say, p, written)); got != want {
			t.Errorf("%q: %s, want %s", written, got, want)
		}
	}
	all := suggestions(say, p, "")
	if len(all) != legal {
		t.Errorf("%d suggestions of %d legal moves", len(all), legal)
	}
	for _, c := range all {
		if !strings.HasPrefix(c.Name, c.Value.(string)+remark) || strings.Contains(c.Name, "⟨") {
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

func TestMoreSuggestionsThanDiscordShows(t *testing.T) {
	say, base := position(t, sample.Game{}, nil)
	p := wide{Position: base, from: 5, to: 8}
	if got := values(suggestions(say, p, "")); got != "a|b|c|d|e" {
		t.Errorf("first steps: %s", got)
	}
	if got := suggestions(say, p, "")[2]; got.Name != "c…" || got.Value != "c" {
		t.Errorf("%+v", got)
	}
	for _, written := range []string{"c", "C", "c…"} {
		if got := values(suggestions(say, p, written)); got != "c-0|c-1|c-2|c-3|c-4|c-5|c-6|c-7" {
			t.Errorf("%q: %s", written, got)
		}
	}
	// 30 continuations of one step: the step alone would lead nowhere.
	p = wide{Position: base, from: 2, to: 30}
	got := suggestions(say, p, "b")
	if len(got) != 25 || got[0].Value != "b-0" || got[24].Value != "b-24" {
		t.Errorf("%s", values(got))
	}
	// 26 first steps are still too many.
	p = wide{Position: base, from: 26, to: 2}
	if got := suggestions(say, p, ""); len(got) != 25 || got[24].Value != "y" {
		t.Errorf("%s", values(got))
	}
	// A value has at most 100 characters; one that was cut would be another.
	p = wide{Position: base, from: 2, to: 2, long: strings.Repeat("x", 120)}
	if got := suggestions(say, p, ""); len(got) != 0 {
		t.Errorf("%s", values(got))
	}
	p = wide{Position: base, from: 5, to: 8, long: strings.Repeat("x", 120)}
	if got := suggestions(say, p, ""); len(got) != 0 {
		t.Errorf("%s", values(got))
	}
}

// Whatever is written: at most 25 choices, each a legal turn so far, each
// value once and no longer than Discord takes; and what is shown can be sent
// back in the value's place.
func TestSuggestionsAreLegal(t *testing.T) {
	say, p := position(t, sample.Game{}, map[string]string{"piles": "4", "counters": "20", "most": "5"})
	rapid.Check(t, func(t *rapid.T) {
		written := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-e][0-6]? ?){0,3}(end)?[ ·]{0,2}`)).Draw(t, "written")
		choices := suggestions(say, p, written)
		if len(choices) > maxChoices {
			t.Fatalf("%d choices", len(choices))
		}
		seen := map[string]bool{}
		for _, c := range choices {
			value := c.Value.(string)
			if seen[value] || value == "" || utf8.RuneCountInString(value) > maxValue || c.Name == "" {
				t.Fatalf("%+v", c)
			}
			seen[value] = true
			shown, _, _ := strings.Cut(c.Name, strings.TrimSpace(remark))
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
