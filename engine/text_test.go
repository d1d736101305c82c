package engine_test

import (
	"strings"
	"testing"

	"castellan/engine"
)

var texts = engine.MustTexts(`
plain = "Nothing to fill in."
towers.one = "{{.Count}} tower"
towers.other = "{{.Count}} towers"
other = "{{.Count}} sheep"
nested = "{{.Who}} has {{.What}}."
broken = "{{.Who"
`)

func TestMustTextsPanics(t *testing.T) {
	for _, bad := range []string{`a = `, `a = 1`, `a.few = "2 towers"`, `a.other = 2`} {
		mustPanic(t, bad, func() { engine.MustTexts(bad) })
	}
}

func TestPhraseString(t *testing.T) {
	for _, c := range []struct {
		phrase engine.Phrase
		want   string
	}{
		{engine.Phrase{}, ""},
		{texts.Phrase("plain"), "Nothing to fill in."},
		{texts.Phrase("towers", "Count", 0), "0 towers"},
		{texts.Phrase("towers", "Count", 1), "1 tower"},
		{texts.Phrase("towers", "Count", 2), "2 towers"},
		{texts.Phrase("towers", "Count", "1"), "1 towers"}, // not a number
		{texts.Phrase("other", "Count", 1), "1 sheep"},     // no form for one
		{texts.Phrase("nested", "Who", "Blue", "What", texts.Phrase("towers", "Count", 1)), "Blue has 1 tower."},
	} {
		if got := c.phrase.String(); got != c.want {
			t.Errorf("%s %v = %q, want %q", c.phrase.ID, c.phrase.Args, got, c.want)
		}
	}
}

func TestNamed(t *testing.T) {
	p := texts.Phrase("nested", "Who", texts.Player("plain", 2), "What", texts.Phrase("towers", "Count", 2))
	if got := p.Named([]string{"Anna", "{{Ben}}"}).String(); got != "{{Ben}} has 2 towers." {
		t.Errorf("%q", got)
	}
	for _, names := range [][]string{nil, {"Anna"}} { // nobody in seat 2
		if got := p.Named(names).String(); got != "Nothing to fill in. has 2 towers." {
			t.Errorf("%q", got)
		}
	}
}

// A bad template gives no error for people to read, and no panic.
func TestPhraseStringOfBadTemplate(t *testing.T) {
	for _, p := range []engine.Phrase{texts.Phrase("broken"), texts.Phrase("nested", "Who", "Blue")} {
		if got := p.String(); got != "…" {
			t.Errorf("%s: %q", p.ID, got)
		}
	}
}

func TestPhrasePanics(t *testing.T) {
	odd := []any{"Count"} // in a variable, to hide the mistake from the linter
	mustPanic(t, "an unknown key", func() { texts.Phrase("unknown") })
	mustPanic(t, "an argument missing", func() { texts.Phrase("towers", odd...) })
}

func TestVerbatim(t *testing.T) {
	for _, s := range []string{"", "11 . . T", "{{.Count}}", "{{", "}}", "{{{", "a{{b}}c{{", `{{"{{"}}`, "\x00 {{"} {
		if got := engine.Verbatim(s).String(); got != s {
			t.Errorf("Verbatim(%q) reads %q", s, got)
		}
	}
}

func TestPhraseIsZero(t *testing.T) {
	if !(engine.Phrase{}).IsZero() || !engine.Verbatim("").IsZero() {
		t.Error("a phrase that says nothing is not zero")
	}
	if texts.Phrase("plain").IsZero() || engine.Verbatim(" ").IsZero() {
		t.Error("a phrase that says something is zero")
	}
}

// Every colour has its own mark and name.
func TestColours(t *testing.T) {
	seen := map[string]bool{}
	for c := engine.Blue; c <= engine.Wedge; c++ {
		for _, s := range []string{c.Mark(), c.String()} {
			if seen[s] || s == "" || s == "?" {
				t.Errorf("%v: %q is not its own", c, s)
			}
			seen[s] = true
		}
	}
	for _, c := range []engine.Colour{0, engine.Wedge + 1} {
		if c.Mark() != "?" || !strings.HasPrefix(c.String(), "Colour(") {
			t.Errorf("%d is no colour, but reads %s %s", uint8(c), c.Mark(), c)
		}
	}
}
