package bot

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// active is every character that means something in Discord's markdown.
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
		if got := escape(in); got != want {
			t.Errorf("escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "Anna", active, "\\", "a\\", "\n\n", "<@1>", "**", "\xff\\\xff", "@everyone", "``` ```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := escape(s)
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

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"up": "`up`", "`a`b`": "`'a'b'`", "a\n\nb": "`a b`", "<@1> **x**": "`<@1> **x**`",
		strings.Repeat("ä", 40): "`" + strings.Repeat("ä", 40) + "`",
		strings.Repeat("ä", 41): "`" + strings.Repeat("ä", 40) + "…`",
	} {
		if got := code(in); got != want {
			t.Errorf("code(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLinks(t *testing.T) {
	if got := link("Go", "1", "2", "3"); got != "[Go](https://discord.com/channels/1/2/3)" {
		t.Error(got)
	}
	if got := link("Go", "", "2", "3"); got != "[Go](https://discord.com/channels/@me/2/3)" {
		t.Error(got)
	}
	if got := mention("42"); got != "<@42>" {
		t.Error(got)
	}
	if got := plain(" a \n b\t"); got != "a b" {
		t.Errorf("%q", got)
	}
}

// Names stand in many places. One made of nothing but markup is harmless in
// all of them.
func TestNamesAreHarmlessEverywhere(t *testing.T) {
	r := newRig(t)
	const evil = "**[x](https://e.vil)** <@99> @everyone\n# `z`"
	bad := ben
	bad.Name = evil
	ask := func() []sent { // Anna challenges Ben, who has that name
		i := r.command(anna, "challenge")
		i.Data = challengeData(bad, map[string]any{"size": 5.0, "towers": 1.0, "distance": 0.0, "first": "me"})
		return r.serve(i)
	}
	all := ask()
	all = append(all, r.serve(r.click(anna, "9001", "challenge/1/accept"))...) // refused: it is for Ben
	all = append(all, r.serve(r.click(bad, "9001", "challenge/1/accept"))...)
	all = append(all, r.serve(r.command(bad, "move", "turn", "right"))...)  // refused: Anna's turn
	all = append(all, r.serve(r.command(anna, "move", "turn", "right"))...) // played
	all = append(all, r.serve(r.click(bad, "9001", "match/1/1/act/left"))...)
	all = append(all, r.serve(r.command(anna, "resign"))...)
	all = append(all, r.serve(r.click(anna, "9001", "match/1/2/resign"))...)
	texts := 0
	for _, s := range all {
		text := s.text()
		texts += strings.Count(text, "e.vil")
		for _, bad := range []string{"**[x]", "](https://e.vil", "<@99>", "\n# ", "`z`"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: %q in %q", s, bad, text)
			}
		}
		if strings.Contains(s.body, `"everyone"`) || strings.Contains(s.body, `"99"`) {
			t.Errorf("%s notifies: %s", s, s.body)
		}
	}
	if texts < 4 {
		t.Errorf("the name was seen %d times: this test looks in the wrong place", texts)
	}
	var routes []string
	for _, s := range all {
		routes = append(routes, inShort([]sent{s}))
	}
	if !slices.Contains(routes, "callback 7") || !slices.Contains(routes, "POST /channels/2/messages") {
		t.Errorf("not everything happened: %v", routes)
	}
}
