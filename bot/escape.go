package bot

import (
	"strings"
	"unicode"
)

// escape makes a name or other text from outside harmless within markdown: it
// is shown as it is written, forms no link and mentions nobody.
func escape(s string) string {
	var b strings.Builder
	for _, r := range plain(s) {
		if strings.ContainsRune("\\*_~`|>#[]()<:@-", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// plain is a text from outside for places without markdown: on one line, and
// without control characters and the signs that turn the direction of what
// follows them.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// bold is an already harmless text in bold.
func bold(s string) string { return "**" + s + "**" }

// mention names a person so that Discord shows the name they have now.
func mention(person string) string { return "<@" + person + ">" }

// link is a link to a message.
func link(words, guild, channel, message string) string {
	if guild == "" {
		guild = "@me"
	}
	return "[" + words + "](https://discord.com/channels/" + guild + "/" + channel + "/" + message + ")"
}
