package discord_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"castellan/bot/discord"
)

// Type numbers and fields as Discord documents them:
// https://docs.discord.com/developers/components/reference
func TestComponents(t *testing.T) {
	for _, c := range []struct {
		name string
		in   discord.Component
		want string
	}{
		{"button", discord.Button{Style: discord.Secondary, Label: "Up", CustomID: "match/1/2/act/up"},
			`{"type":2,"style":2,"label":"Up","custom_id":"match/1/2/act/up"}`},
		{"disabled", discord.Button{Style: discord.Success, Label: "Up", CustomID: "x", Disabled: true},
			`{"type":2,"style":3,"label":"Up","custom_id":"x","disabled":true}`},
		{"row", discord.ActionRow{Buttons: []discord.Button{{Style: discord.Primary, Label: "A", CustomID: "a"}, {Style: discord.Danger, Label: "B", CustomID: "b"}}},
			`{"type":1,"components":[{"type":2,"style":1,"label":"A","custom_id":"a"},{"type":2,"style":4,"label":"B","custom_id":"b"}]}`},
		{"text", discord.TextDisplay{Content: "**Hello**\n-# \"you\""}, `{"type":10,"content":"**Hello**\n-# \"you\""}`},
		{"empty text", discord.TextDisplay{}, `{"type":10,"content":""}`},
		{"picture", discord.MediaGallery{File: "a.png", Description: "A board"},
			`{"type":12,"items":[{"media":{"url":"attachment://a.png"},"description":"A board"}]}`},
		{"text with a small picture", discord.Section{Content: "Play?", File: "a.png", Description: "A board"},
			`{"type":9,"components":[{"type":10,"content":"Play?"}],"accessory":{"type":11,"media":{"url":"attachment://a.png"},"description":"A board"}}`},
		{"picture without description", discord.MediaGallery{File: "a.png"}, `{"type":12,"items":[{"media":{"url":"attachment://a.png"}}]}`},
		{"separator", discord.Separator{}, `{"type":14}`},
		{"container", discord.Container{AccentColor: 0x4BA3F5, Components: []discord.Component{discord.Separator{}, discord.TextDisplay{Content: "x"}}},
			`{"type":17,"accent_color":4957173,"components":[{"type":14},{"type":10,"content":"x"}]}`},
		{"black", discord.Container{Components: []discord.Component{discord.Separator{}}},
			`{"type":17,"accent_color":0,"components":[{"type":14}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := json.Marshal(c.in)
			if err != nil || string(got) != c.want {
				t.Errorf("\n%s, want\n%s (%v)", got, c.want, err)
			}
		})
	}
}

// Texts beyond Discord's limits are truncated by characters, not bytes.
func TestComponentsTruncate(t *testing.T) {
	for limit, of := range map[int]func(string) discord.Component{
		80:   func(s string) discord.Component { return discord.Button{Label: s} },
		4000: func(s string) discord.Component { return discord.TextDisplay{Content: s} },
		1024: func(s string) discord.Component { return discord.MediaGallery{Description: s} },
	} {
		for length, want := range map[int]int{limit: limit, limit + 1: limit - 1} {
			text, err := json.Marshal(of(strings.Repeat("♜", length)))
			if got := strings.Count(string(text), "♜"); err != nil || got != want || strings.Contains(string(text), "♜…") != (length > limit) {
				t.Errorf("%d of %d characters, limit %d: %v", got, length, limit, err)
			}
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"},
		{"🎲🎲", 4, "🎲🎲"}, {"🎲🎲🎲", 4, "🎲…"}, {"", 3, ""}, {"ab", 1, "…"},
	} {
		if got := discord.Truncate(c.in, c.n); got != c.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "text"), rapid.IntRange(1, 20).Draw(t, "n")
		got := discord.Truncate(s, n)
		if units := len(utf16.Encode([]rune(got))); units > n || !utf8.ValidString(got) {
			t.Fatalf("%q has %d units", got, units)
		}
		if len(utf16.Encode([]rune(s))) <= n && got != s {
			t.Fatalf("%q became %q although it fits", s, got)
		}
	})
}
