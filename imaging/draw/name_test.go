package draw

import (
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/engine"

	"pgregory.net/rapid"
)

func TestFitName(t *testing.T) {
	panel := NewPanel(testStyle(t).Font)
	f, room := panel.Names, panel.nameRoom()
	for _, c := range []struct{ why, name, want string }{
		{"a plain name", "tobias_k", "tobias_k"},
		{"ten letters fit", "Margarethe", "Margarethe"},
		{"a longer name gets smaller letters", "Wilhelmina W", "Wilhelmina W"},
		{"a long name is cut", "Wilhelmina von Hohenstein", "Wilhelmina…"},
		{"no space before the cut", "Wilhelmi vo Orange", "Wilhelmi vo…"},
		{"markup is only text", "**bold**", "**bold**"},
		{"a mention is only text", "<@1234>", "<@1234>"},
		{"spaces are made one", "  a \t\n  b ", "a b"},
		{"emoji are left out", "🎲 Ann 🎲", "Ann"},
		{"emoji alone", "🎲🏰", "2"},
		{"nothing at all", "", "2"},
		{"spaces alone", " \u3000\u200b", "2"},
		{"a script that the font lacks", "山田", "2"},
		{"mathematical letters", "𝓐𝓷𝓷", "Ann"},
		{"wide letters", "ＡＢ", "AB"},
		{"an accent that joins its letter", "Zoe\u0308", "Zoë"},
		{"accents piled up", "Z\u0300\u0301\u0302\u0300\u0301o", "Zo"},
		{"direction marks are left out", "\u202eevil\u202c", "evil"},
		{"a zero width joiner is left out", "a\u200db", "ab"},
		{"invalid UTF-8", "a\xffb", "a\ufffdb"},
		{"Greek", "Ἀθηνᾶ", "Ἀθηνᾶ"},
		{"Cyrillic", "Борис", "Борис"},
		{"Hebrew", "שלום", "םולש"},
		{"Hebrew with a number", "שלום 12", "12 םולש"},
		{"Hebrew before Latin", "דן W", "W ןד"},
		{"Latin before Hebrew", "W דן", "W ןד"},
		// Seen is initial, lam and alif are a final ligature, meem is isolated.
		{"Arabic letters join", "سلام", "\ufee1\ufefc\ufeb3"},
		// Meem is initial, hah and meem are medial, dal is final.
		{"Arabic letters in the middle", "محمد", "\ufeaa\ufee4\ufea4\ufee3"},
	} {
		if _, got := f.FitName([]string{"x", c.name}, 2, room); got != c.want {
			t.Errorf("%s: %q becomes %q, not %q", c.why, c.name, got, c.want)
		}
	}
	if _, got := f.FitName(nil, 3, room); got != "3" {
		t.Errorf("a seat without a name is %q", got)
	}
}

// Whatever the name, the result fits, can be written and is not empty.
func TestFitNameRandom(t *testing.T) {
	panel := NewPanel(testStyle(t).Font)
	f, room := panel.Names, panel.nameRoom()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("Wim ا ب س لשם🎲́\u200d")), 0, 90, -1)).Draw(t, "name")
		f, got := f.FitName([]string{name}, engine.Seat(1), room)
		if got == "" || got != strings.TrimSpace(got) || !utf8.ValidString(got) {
			t.Fatalf("%q becomes %q", name, got)
		}
		if w := f.Width(got); w > room {
			t.Fatalf("%q becomes %q, %.1f pixels wide of %.1f", name, got, w, room)
		}
		for _, r := range got {
			if !f.has(r) {
				t.Fatalf("%q becomes %q, whose %q the font lacks", name, got, r)
			}
		}
	})
}
