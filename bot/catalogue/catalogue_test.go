package catalogue_test

import (
	"strings"
	"testing"

	"castellan/bot/catalogue"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
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

func TestText(t *testing.T) {
	c := newCatalogue(t, sample.Game{}, speaker{texts: engine.Texts{
		"speaker.inner": {One: "one {{.What}}", Other: "{{.Count}} {{.What}}s"},
		"speaker.outer": {Other: "({{.Inner}})"},
		"speaker.gives": {Other: "{{.By}} gives up."},
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
		{"by key", say.Text(inner(2)), "2 towers"},
		{"singular", say.Text(inner(1)), "one tower"},
		{"another type", say.T("sample.status", "Count", int64(1)), "1 counter left."},
		{"zero", say.T("sample.status", "Count", 0), "0 counters left."},
		{"without a singular", say.T("speaker.gives", "By", "B", "Count", 1), "B gives up."},
		{"nested", say.Text(texts.Phrase("speaker.outer", "Inner", inner(1))), "(one tower)"},
		{"nested twice", say.Text(texts.Phrase("speaker.outer", "Inner", texts.Phrase("speaker.outer", "Inner", inner(3)))), "((3 towers))"},
		{"as an argument of T", say.T("board.match", "Match", inner(1)), "match one tower"},
		{"not in the catalogue", say.Text(texts.Phrase("speaker.absent", "Count", 1, "Inner", inner(2))), "1 thing of English of the phrase"},
		{"verbatim", say.Text(engine.Verbatim("a {{.X}} ⟨b⟩")), "a {{.X}} ⟨b⟩"},
		{"nothing", say.Text(engine.Phrase{}), ""},
		{"lines", say.Lines([]engine.Phrase{inner(1), engine.Verbatim(""), inner(2)}), "one tower\n\n2 towers"},
		{"no lines", say.Lines(nil), ""},
		{"a value with braces", say.T("board.match", "Match", "{{.Match}}"), "match {{.Match}}"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

// Faults in the code are reported. People read a text all the same, and what they
// have typed is never taken for a fault.
func TestMissing(t *testing.T) {
	reports := 0
	say := newCatalogue(t).Reporting(func(string, error) { reports++ }).Printer("en")
	for _, c := range []struct {
		key  string
		args []any
		want string
		odd  bool
	}{
		{"no.such.key", nil, "(a text is missing here)", true},
		{"", nil, "(a text is missing here)", true},
		{"board.match", nil, "match …", true},
		{"board.match", []any{"Other", 1}, "match …", true},
		{"board.match", []any{"Match", 1, "Count", "xy"}, "match 1", true}, // not a number
		{"challenge.begins", []any{"Who", "Anna"}, "Anna moves first", false},
		{"challenge.begins", []any{"Who", "<no value>"}, "<no value> moves first", false},
		{"challenge.begins", []any{"Who", ""}, " moves first", false},
	} {
		reports = 0
		if got := say.T(c.key, c.args...); got != c.want || (reports > 0) != c.odd {
			t.Errorf("T(%q, %v) = %q with %d reports, want %q", c.key, c.args, got, reports, c.want)
		}
	}
}

func TestList(t *testing.T) {
	c := newCatalogue(t)
	for _, tt := range []struct {
		language   string
		list, join string
		words      []string
	}{
		{"en", "", "", nil},
		{"en", "Anna", "Anna", []string{"Anna"}},
		{"en", "Anna and Ben", "Anna Ben", []string{"Anna", "Ben"}},
		{"en", "A, B, C and D", "A B C D", []string{"A", "B", "C", "D"}},
		{"de", "A, B und C", "A B C", []string{"A", "B", "C"}},
		{"ja", "甲、乙と丙", "甲乙丙", []string{"甲", "乙", "丙"}},
	} {
		say := c.Printer(tt.language)
		if got := say.List(tt.words...); got != tt.list {
			t.Errorf("%s: the list is %q, want %q", tt.language, got, tt.list)
		}
		if want := strings.NewReplacer(" and ", " or ", " und ", " oder ", "と", "か").Replace(tt.list); say.Choice(tt.words...) != want {
			t.Errorf("%s: the choice is %q, want %q", tt.language, say.Choice(tt.words...), want)
		}
		if got := say.Join(append([]string{""}, append(tt.words, "")...)...); got != tt.join {
			t.Errorf("%s: joined %q, want %q", tt.language, got, tt.join)
		}
	}
}

func TestFallback(t *testing.T) {
	c := newCatalogue(t, sample.Game{})
	for _, locales := range [][]string{nil, {""}, {"en-US"}, {"en-GB"}, {"zh-CN"}, {"xx"}, {"not a locale \xff"}, {"xx", "en-US"}, {strings.Repeat("x", 1000)}} {
		say := c.Printer(locales...)
		if got := say.T("resign.yes") + say.T("sample.status", "Count", 1); got != "Resign1 counter left." {
			t.Errorf("%q: %q", locales, got)
		}
	}
}
