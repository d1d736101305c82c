package discord

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
	"pgregory.net/rapid"
)

func TestDisplayName(t *testing.T) {
	for _, c := range []struct {
		name                     string
		nick, global, user, want string
	}{
		{"the nickname first", "Nick", "Global", "user", "Nick"},
		{"then the display name", "", "Global", "user", "Global"},
		{"then the user name", " ", "\u200b", "user", "user"},
		{"nothing that can be seen", "\u202e", "\u3164\u115f", "\u2800 \u0301", "42"},
		{"control characters", "A\x00\x1bnna\nB", "", "", "Anna B"},
		{"signs that turn the direction", "\u202eannA\u2066\u200f", "", "", "annA"},
		{"marks, but not towers of them", "a" + strings.Repeat("\u0301", 3_000) + "b", "", "", "a" + strings.Repeat("\u0301", 4) + "b"},
		{"ten thousand marks", "a" + strings.Repeat("\u0301", 10_000) + "b", "", "", "a" + strings.Repeat("\u0301", 4) + "…"},
		{"32 characters", strings.Repeat("ä", 32), "", "", strings.Repeat("ä", 32)},
		{"33 characters", strings.Repeat("ä", 33), "", "", strings.Repeat("ä", 31) + "…"},
		{"ten thousand", strings.Repeat("x", 10_000), "", "", strings.Repeat("x", 31) + "…"},
		{"markup stays as it is written", "**x** <@1>", "", "", "**x** <@1>"},
		{"other scripts and emoji", "王 👩‍👩‍👧 नमस्ते", "", "", "王 👩‍👩‍👧 नमस्ते"},
	} {
		u := &discordgo.User{ID: "42", GlobalName: c.global, Username: c.user}
		if got := DisplayName(u, c.nick); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBoundName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("ab \u0301\u0489\u202e\u200d\n王🎲")))).Draw(t, "name")
		got := DisplayName(&discordgo.User{ID: "42"}, s)
		if n := utf8.RuneCountInString(got); n == 0 || n > MaxNickname || strings.TrimSpace(got) != got {
			t.Fatalf("%q has %d characters", got, n)
		}
		if again := BoundName(got); again != got {
			t.Fatalf("%q becomes %q", got, again)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
			t.Fatalf("%q", got)
		}
	})
}
