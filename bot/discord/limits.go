package discord

import (
	"time"
	"unicode/utf16"
)

// Discord's limits. Lengths are in UTF-16 code units, which is never less than
// the characters that Discord counts; see Truncate.
const (
	// Application commands
	// (https://docs.discord.com/developers/interactions/application-commands).
	MaxCommandDescription = 100
	MaxChoices            = 25 // of an option, and of an autocomplete answer
	MaxChoiceName         = 100
	MaxChoiceValue        = 100

	// Components
	// (https://docs.discord.com/developers/components/reference).
	MaxComponents       = 40   // of a message, nested ones included
	MaxTextDisplay      = 4000 // all texts of a message together
	MaxRowButtons       = 5
	MaxButtonLabel      = 80
	MaxCustomID         = 100
	MaxSelectOptions    = 25
	MaxSelectOptionText = 100 // label, value and description each
	MaxPlaceholder      = 150

	// MaxAltText is the length of the description of an attachment or a
	// picture
	// (https://docs.discord.com/developers/resources/message#attachment-object).
	MaxAltText = 1024

	// MaxNonce is the length of a message's nonce
	// (https://docs.discord.com/developers/resources/message#create-message).
	MaxNonce = 25

	// MaxMessages is how many messages one request lists
	// (https://docs.discord.com/developers/resources/message#get-channel-messages).
	MaxMessages = 100

	// MaxThreadName is the length of a channel's name, threads included
	// (https://docs.discord.com/developers/resources/channel).
	MaxThreadName = 100

	// MaxNickname is the length of a nickname, and of a display name
	// (https://docs.discord.com/developers/resources/user#usernames-and-nicknames).
	MaxNickname = 32

	// AcknowledgeTimeout is how long Discord waits for the first answer to an
	// interaction
	// (https://docs.discord.com/developers/interactions/receiving-and-responding).
	AcknowledgeTimeout = 3 * time.Second

	// threadArchiveMinutes is the longest time without a message after which
	// Discord archives a thread
	// (https://docs.discord.com/developers/resources/channel#thread-metadata-object).
	threadArchiveMinutes = 7 * 24 * 60
)

// Truncate returns a text of at most n UTF-16 code units. If it has to leave
// something out, the text ends in an ellipsis. It never splits a character.
func Truncate(s string, n int) string {
	if len(s) <= n { // no character has more units than bytes
		return s
	}
	units, fits := 0, 0
	for i, r := range s {
		units += max(utf16.RuneLen(r), 1) // an invalid byte becomes one unit
		if units <= n-1 {
			fits = i + len(string(r))
		}
		if units > n {
			return s[:min(fits, len(s))] + "…"
		}
	}
	return s
}
