package catalogue_test

import (
	"strings"
	"sync"
	"testing"

	"castellan/bot/catalogue"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
)

func newCatalogue(t *testing.T, games ...engine.Game) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.New(games...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// speaker is the sample game with other texts.
type speaker struct {
	sample.Game
	texts engine.Texts
}

func (speaker) Key() string           { return "speaker" }
func (s speaker) Texts() engine.Texts { return s.texts }

func TestDuplicateKey(t *testing.T) {
	for _, c := range []struct {
		name  string
		games []engine.Game
		key   string
	}{
		{"of two games", []engine.Game{sample.Game{}, speaker{texts: engine.Texts{"sample.name": {Other: "x"}}}}, "sample.name"},
		{"the same game twice", []engine.Game{sample.Game{}, sample.Game{}}, "sample."},
		{"of the bot", []engine.Game{speaker{texts: engine.Texts{"board.turn": {Other: "x"}}}}, "board.turn"},
		{"of the engine", []engine.Game{speaker{texts: engine.Texts{"option.range": {Other: "x"}}}}, "option.range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := catalogue.New(c.games...)
			if err == nil || !strings.Contains(err.Error(), c.key) || !strings.Contains(err.Error(), "twice") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestHas(t *testing.T) {
	c := newCatalogue(t, trails.Game{})
	for key, want := range map[string]bool{
		"board.turn": true, "end.rules": true, "option.range": true, "trails.name": true,
		"sample.name": false, "": false, "end": false, "board": false, "end.rules.one": false,
	} {
		if c.Has(key) != want {
			t.Errorf("Has(%q) is %v", key, !want)
		}
	}
}

func TestPlural(t *testing.T) {
	say := newCatalogue(t, sample.Game{}, speaker{texts: engine.Texts{
		"speaker.wins":  {One: "{{.Who}} wins.", Other: "{{.Who}} share the win."},
		"speaker.gives": {Other: "{{.By}} gives up."},
	}}).Printer("en")
	for _, c := range []struct{ got, want string }{
		{say.T("speaker.wins", "Who", "A", "Count", 1), "A wins."},
		{say.T("speaker.wins", "Who", "A, B", "Count", 2), "A, B share the win."},
		{say.T("speaker.wins", "Who", "A", "Count", int64(1)), "A wins."},
		// Texts without a singular serve every number.
		{say.T("speaker.gives", "By", "B", "Count", 1), "B gives up."},
		{say.T("speaker.gives", "By", "B", "Count", 3), "B gives up."},
		{say.T("sample.describe", "Pile", "a", "Count", 1), "Pile a: 1."},
		{say.T("sample.status", "Count", 1), "1 counter left."},
		{say.T("sample.status", "Count", 0), "0 counters left."},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestSay(t *testing.T) {
	c := newCatalogue(t, sample.Game{}, speaker{texts: engine.Texts{
		"speaker.inner": {One: "one {{.What}}", Other: "{{.Count}} {{.What}}s"},
		"speaker.outer": {Other: "({{.Inner}})"},
	}})
	say := c.Printer("en")
	texts := engine.Texts{
		"speaker.inner": {Other: "English of the phrase"}, "speaker.outer": {Other: "English of the phrase"},
		"speaker.absent": {One: "{{.Count}} thing of {{.Inner}}", Other: "{{.Count}} things"},
	}
	inner := func(n int) engine.Phrase { return texts.Phrase("speaker.inner", "Count", n, "What", "tower") }
	for _, c := range []struct {
		name, got, want string
	}{
		{"by key", say.Say(inner(2)), "2 towers"},
		{"singular", say.Say(inner(1)), "one tower"},
		{"nested", say.Say(texts.Phrase("speaker.outer", "Inner", inner(1))), "(one tower)"},
		{"nested twice", say.Say(texts.Phrase("speaker.outer", "Inner", texts.Phrase("speaker.outer", "Inner", inner(3)))), "((3 towers))"},
		{"as an argument of T", say.T("board.match", "Match", inner(1)), "match one tower"},
		{"not in the catalogue", say.Say(texts.Phrase("speaker.absent", "Count", 1, "Inner", inner(2))), "1 thing of English of the phrase"},
		{"verbatim", say.Say(engine.Verbatim("a {{.X}} ⟨b⟩")), "a {{.X}} ⟨b⟩"},
		{"nothing", say.Say(engine.Phrase{}), ""},
		{"lines", say.Lines([]engine.Phrase{inner(1), engine.Verbatim(""), inner(2)}), "one tower\n\n2 towers"},
		{"no lines", say.Lines(nil), ""},
		{"a value with braces", say.T("board.match", "Match", "{{.Match}}"), "match {{.Match}}"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestMissing(t *testing.T) {
	say := newCatalogue(t).Printer("en")
	for _, c := range []struct {
		key  string
		args []any
	}{
		{"no.such.key", nil},
		{"", nil},
		{"board.match", nil},               // an argument is missing
		{"board.match", []any{"Other", 1}}, // the same
		{"end.rules", []any{"Winners", "A", "Count", 1}},  // the same
		{"board.match", []any{"Match", 1, "Count", "xy"}}, // not a number
	} {
		if got, want := say.T(c.key, c.args...), "⟨"+c.key+"⟩"; got != want {
			t.Errorf("T(%q, %v) = %q, want %q", c.key, c.args, got, want)
		}
	}
}

func TestFallback(t *testing.T) {
	c := newCatalogue(t, sample.Game{})
	for _, locales := range [][]string{nil, {""}, {"en-US"}, {"en-GB"}, {"zh-CN"}, {"xx"}, {"not a locale \xff"}, {"xx", "en-US"}, {strings.Repeat("x", 1000)}} {
		say := c.Printer(locales...)
		if got := say.T("resign.yes"); got != "Resign" {
			t.Errorf("%q: %q", locales, got)
		}
		if got := say.T("sample.status", "Count", 1); got != "1 counter left." {
			t.Errorf("%q: %q", locales, got)
		}
		if got := say.T("sample.describe", "Pile", "a", "Count", 1); got != "Pile a: 1." {
			t.Errorf("%q: %q", locales, got)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	c := newCatalogue(t, sample.Game{})
	say := c.Printer("en")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if got := say.T("board.match", "Match", 7); got != "match 7" {
					t.Error(got)
				}
				if got := c.Printer("xx").T("resign.yes"); got != "Resign" {
					t.Error(got)
				}
			}
		})
	}
	all.Wait()
}
