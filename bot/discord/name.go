package discord

import (
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"
)

// maxMarks is the number of combining marks in a row that are kept. Living
// scripts need few; hundreds of them would hide the lines above.
const maxMarks = 4

// DisplayName returns what a user is called: the nickname in the guild, the
// display name or the user name, whichever comes first and is visible, or the
// ID if none is.
func DisplayName(u *discordgo.User, nick string) string {
	for _, n := range []string{nick, u.GlobalName, u.Username} {
		if n = BoundName(n); isVisible(n) {
			return n
		}
	}
	return u.ID
}

// BoundName returns a name as it is stored: on one line, without characters
// that reverse its direction, with few combining marks, and not too long.
func BoundName(name string) string {
	var b strings.Builder
	kept, marks := 0, 0
	for _, r := range Plain(Truncate(name, 100*MaxNickname)) {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			if marks++; marks > maxMarks {
				continue
			}
		} else {
			marks = 0
		}
		if kept++; kept > MaxNickname {
			return strings.TrimRight(firstRunes(b.String(), MaxNickname-1), " \u200d") + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isVisible(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != '\u2800' && // the empty Braille pattern
			!unicode.In(r, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point)
	})
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
