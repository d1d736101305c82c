package draw

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/engine"

	"pgregory.net/rapid"
)

func TestFitName(t *testing.T) {
	f := testStyle(t).Face(24)
	room := f.Width("Wilhelmina W") * 0.9
	for _, c := range []struct{ why, name, want string }{
		{"a plain name", "tobias_k", "tobias_k"},
		{"ten letters fit", "Margarethe", "Margarethe"},
		{"a longer name gets smaller letters", "Wilhelmina W", "Wilhelmina W"},
		{"a long name is cut", "Wilhelmina von Hohenstein", "Wilhelmina v…"},
		{"no space before the cut", "Wilhelminen Orange", "Wilhelminen…"},
		{"markup is only text", "**bold**", "**bold**"},
		{"a mention is only text", "<@1234>", "<@1234>"},
		{"spaces are made one", "  a \t\n  b ", "a b"},
		{"emoji are left out", "🎲 Ann 🎲", "Ann"},
		{"emoji alone", "🎲🏰", "☺"},
		{"nothing at all", "", "2"},
		{"spaces alone", " \u3000\u200b", "☺"},
		{"Thai", "สมชาย", "Smchaay"},
		{"Devanagari", "अर्जुन सिंह", "Arjun SiNh"},
		{"Tamil beside Latin", "Ann தமிழ்", "Ann Tmilll"},
		{"a digit of a script that the font lacks", "ไทย๗", "Aithy7"},
		{"Amharic", "ሰላም", "Salaame"},
		{"Armenian", "Հայկ", "Հայկ"},
		{"Georgian", "ნინო", "ნინო"},
		{"letters beyond the Basic Multilingual Plane", "𐌰𐌱", "☺"},
		{"kanji and kana", "山田たろう", "山田たろう"},
		{"narrow kana", "ｶﾅ", "カナ"},
		{"hanzi", "张伟", "张伟"},
		{"hangul", "김민수", "김민수"},
		{"letters of two scripts", "Ann 山", "Ann 山"},
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
	f := testStyle(t).Face(24)
	room := f.Width("Wilhelmina W") * 0.9
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

// A text is wrapped between words, or between letters where there is no space.
func TestWrap(t *testing.T) {
	f := testStyle(t).Face(20)
	for _, c := range []struct {
		text, room string // as wide as
		want       []string
	}{
		{"", "anything", nil},
		{"All turns  have been played.", "All turns have been played.", []string{"All turns have been played."}},
		{"All turns have been played.", "All turns have be", []string{"All turns have", "been played."}},
		{"All turns have been played.", "All turns", []string{"All turns", "have b…"}},
		{"全員がパスしました。", "全員がパス", []string{"全員がパス", "しました。"}},
	} {
		got := f.Wrap(c.text, f.Width(c.room)+1, 2)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
