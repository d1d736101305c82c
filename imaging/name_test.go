package imaging

import (
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/engine"
	"castellan/imaging/fonts"

	"pgregory.net/rapid"
)

func newTestFace(t testing.TB) *face {
	t.Helper()
	f, err := parseTypeface(fonts.CondensedBold)
	if err != nil {
		t.Fatal(err)
	}
	return f.face(boardUnit.px(nameCapital))
}

func TestANameIsShownAsTheTypefaceCan(t *testing.T) {
	f := newTestFace(t)
	room := newPanel(boardUnit, f.typeface).nameRoom()
	for _, c := range []struct{ why, name, want string }{
		{"a plain name", "tobias_k", "tobias_k"},
		{"ten letters fit", "Margarethe", "Margarethe"},
		{"a long name is cut", "Wilhelmina von Hohenstein", "Wilhelmin…"},
		{"no space before the cut", "Wilhelmi von Orange", "Wilhelmi…"},
		{"markup is only text", "**bold**", "**bold**"},
		{"a mention is only text", "<@1234>", "<@1234>"},
		{"spaces are made one", "  a \t\n  b ", "a b"},
		{"emoji are left out", "🎲 Ann 🎲", "Ann"},
		{"of emoji alone nothing is left", "🎲🏰", "2"},
		{"nothing at all", "", "2"},
		{"spaces alone", " \u3000\u200b", "2"},
		{"no script of the typeface", "山田", "2"},
		{"letters in fancy dress", "𝓐𝓷𝓷", "Ann"},
		{"wide letters", "ＡＢ", "AB"},
		{"an accent that joins its letter", "Zoe\u0308", "Zoë"},
		{"accents piled up", "Z\u0300\u0301\u0302\u0300\u0301o", "Zo"},
		{"direction marks are left out", "\u202eevil\u202c", "evil"},
		{"a zero width joiner is left out", "a\u200db", "ab"},
		{"bytes that are no text", "a\xffb", "a\ufffdb"},
		{"Greek", "Ἀθηνᾶ", "Ἀθηνᾶ"},
		{"Cyrillic", "Борис", "Борис"},
		{"Hebrew is drawn from the right", "שלום", "םולש"},
		{"Hebrew with a number", "שלום 12", "12 םולש"},
		{"Hebrew before Latin", "דן W", "W ןד"},
		{"Latin before Hebrew", "W דן", "W ןד"},
		// Seen starts, lam and alif are one and end, meem stands alone.
		{"Arabic letters join", "سلام", "\ufee1\ufefc\ufeb3"},
		// Meem starts, hah and meem go on, dal ends.
		{"Arabic letters in the middle", "محمد", "\ufeaa\ufee4\ufea4\ufee3"},
	} {
		if got := f.seatName([]string{"x", c.name}, 2, room); got != c.want {
			t.Errorf("%s: %q becomes %q, not %q", c.why, c.name, got, c.want)
		}
	}
	if got := f.seatName(nil, 3, room); got != "3" {
		t.Errorf("a seat without a name is %q", got)
	}
}

// Whatever a name is, what is drawn of it fits, can be drawn and is not empty.
func TestANameFitsWhateverItIs(t *testing.T) {
	f := newTestFace(t)
	room := newPanel(boardUnit, f.typeface).nameRoom()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("Wim ا ب س لשם🎲́\u200d")), 0, 90, -1)).Draw(t, "name")
		got := f.seatName([]string{name}, engine.Seat(1), room)
		if got == "" || got != strings.TrimSpace(got) || !utf8.ValidString(got) {
			t.Fatalf("%q becomes %q", name, got)
		}
		if w := f.width(got); w > room {
			t.Fatalf("%q becomes %q, %.1f pixels wide of %.1f", name, got, w, room)
		}
		for _, r := range got {
			if !f.has(r) {
				t.Fatalf("%q becomes %q, whose %q the typeface lacks", name, got, r)
			}
		}
	})
}
