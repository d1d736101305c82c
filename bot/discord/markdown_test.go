package discord

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// active lists the characters with a meaning in Discord's markdown.
const active = "\\*_~`|>#[]()<:@-"

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"Anna":                  "Anna",
		"":                      "",
		"  two\n\twords ":       "two words",
		"**bold** _it_":         `\*\*bold\*\* \_it\_`,
		"@everyone":             `\@everyone`,
		"<@123>":                `\<\@123\>`,
		"[a](https://b.c)":      `\[a\]\(https\://b.c\)`,
		"https://example.org":   `https\://example.org`,
		"# big":                 `\# big`,
		"-# small":              `\-\# small`,
		"a\n> quote":            `a \> quote`,
		"||spoiler||":           `\|\|spoiler\|\|`,
		"`code`":                "\\`code\\`",
		`\`:                     `\\`,
		`\*`:                    `\\\*`,
		"<t:1:R>":               `\<t\:1\:R\>`,
		":castle:":              `\:castle\:`,
		"ÄÖ 王 🏰":                "ÄÖ 王 🏰",
		"a\xffb":                "a�b",
		"b2-b4":                 `b2\-b4`,
		"line\u2028separator\v": "line separator",
		"\u202eevil\u2066":      "evil",
		"a\x00\x1b[31mb\u0085c": `a\[31mb c`,
		"a\u200f\u061cb":        "ab",
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "Anna", active, "\\", "a\\", "\n\n", "<@1>", "**", "\xff\\\xff", "@everyone", "``` ```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := Escape(s)
		if !utf8.ValidString(out) || strings.ContainsAny(out, "\r\n\v\f\u0085\u2028\u2029\t") {
			t.Fatalf("%q", out)
		}
		// Read as Discord does: a backslash takes the meaning of the next
		// character, whatever it is.
		var text strings.Builder
		runes := []rune(out)
		for i := 0; i < len(runes); i++ {
			if runes[i] == '\\' {
				i++
				if i == len(runes) || !strings.ContainsRune(active, runes[i]) {
					t.Fatalf("%q: a backslash before nothing that needs one", out)
				}
			} else if strings.ContainsRune(active, runes[i]) {
				t.Fatalf("%q: %q is active", out, runes[i])
			}
			text.WriteRune(runes[i])
		}
		shown := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r) {
				return -1
			}
			return r
		}, s)
		if want := strings.Join(strings.Fields(shown), " "); utf8.ValidString(s) && text.String() != want {
			t.Fatalf("%q reads %q", s, text.String())
		}
	})
}

func TestLinks(t *testing.T) {
	if got := MessageLink("Go", "1", "2", "3"); got != "[Go](https://discord.com/channels/1/2/3)" {
		t.Error(got)
	}
	if got := MessageLink("Go", "", "2", "3"); got != "[Go](https://discord.com/channels/@me/2/3)" {
		t.Error(got)
	}
	if got := MentionUser("42"); got != "<@42>" {
		t.Error(got)
	}
	if got := Plain(" a \n b\t"); got != "a b" {
		t.Errorf("%q", got)
	}
}
