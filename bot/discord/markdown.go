package discord

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// TextMessage returns a message of one block of markdown.
func TextMessage(markdown string) Message {
	return Message{Components: []Component{TextDisplay{Content: markdown}}}
}

// Escape makes a name or other outside text safe within markdown: it is shown
// literally, forms no link and mentions nobody.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range Plain(s) {
		if strings.ContainsRune("\\*_~`|>#[]()<:@-", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Plain prepares outside text for places without markdown: on one line, without
// control characters and without the characters that reverse the direction of
// the text after them.
func Plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Bold returns safe markdown in bold.
func Bold(s string) string { return "**" + s + "**" }

// MentionUser mentions a user: clients show the name they have now.
func MentionUser(id string) string { return "<@" + id + ">" }

// MentionChannel links to a channel by its name.
func MentionChannel(id string) string { return "<#" + id + ">" }

// MessageLink returns a link to a message. guild is empty for direct messages.
func MessageLink(text, guild, channel, message string) string {
	if guild == "" {
		guild = "@me"
	}
	return "[" + text + "](https://discord.com/channels/" + guild + "/" + channel + "/" + message + ")"
}

// RelativeTime shows a time as clients count it down, or up ("in 2 hours").
func RelativeTime(t time.Time) string { return fmt.Sprintf("<t:%d:R>", t.Unix()) }

// DateTime shows a time with its date in the reader's time zone.
func DateTime(t time.Time) string { return fmt.Sprintf("<t:%d:f>", t.Unix()) }

// InlineCode returns text that people have typed as inline code.
func InlineCode(s string) string {
	s = Plain(strings.ReplaceAll(s, "`", "'"))
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return "`" + s + "`"
}
