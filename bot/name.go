package bot

import (
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/bwmarrin/discordgo"
)

// longestName is how many characters of a name are kept. Discord allows as
// many in a nickname and in a display name.
const longestName = 32

// longestStack is how many marks in a row may sit on one letter. Living
// scripts need no more than a few; towers of hundreds hide the lines above.
const longestStack = 4

// nameOf is what a person is called: the nickname in the server, the display
// name, the user name, whichever is the first that can be seen; the
// identifier where none can. It is bounded before it is stored.
func nameOf(u *discordgo.User, nick string) string {
	for _, n := range []string{nick, u.GlobalName, u.Username} {
		if n = bounded(n); shows(n) {
			return n
		}
	}
	return u.ID
}

// bounded is a name as it is kept: on one line, without signs that turn its
// direction, with few marks on each letter, and not too long.
func bounded(name string) string {
	var b strings.Builder
	kept, stack := 0, 0
	for _, r := range plain(cut(name, 100*longestName)) {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			if stack++; stack > longestStack {
				continue
			}
		} else {
			stack = 0
		}
		if kept++; kept > longestName {
			return strings.TrimRight(cutRunes(b.String(), longestName-1), " \u200d") + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}

// shows reports whether a name has anything that can be seen.
func shows(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != '\u2800' && // the empty Braille pattern
			!unicode.In(r, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point)
	})
}

func cutRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// cut is a text of at most n characters, as Discord counts them: units of
// UTF-16. Where something is missing it ends in an ellipsis.
func cut(s string, n int) string {
	if len(s) <= n { // no character has more units than bytes
		return s
	}
	count, fits := 0, 0
	for i, r := range s {
		count += max(utf16.RuneLen(r), 1) // what is no character becomes one unit
		if count <= n-1 {
			fits = i + len(string(r))
		}
		if count > n {
			return s[:min(fits, len(s))] + "…"
		}
	}
	return s
}
