package discord

import (
	"encoding/json"
	"strconv"
)

// Flags of a message.
const (
	FlagEphemeral             = 1 << 6
	flagLoading               = 1 << 7 // a deferred reply: "thinking…"
	FlagSuppressNotifications = 1 << 12
	FlagComponentsV2          = 1 << 15
)

// AllowedMentions says whom a message may notify. The zero value notifies
// nobody. It is always sent: a message without it notifies everyone it mentions.
type AllowedMentions struct {
	Users []string
}

// MarshalJSON writes the allowed_mentions object.
func (m AllowedMentions) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Parse []string `json:"parse"`
		Users []string `json:"users,omitempty"`
	}{Parse: []string{}, Users: m.Users})
}

// File is a file to be uploaded with a message.
type File struct {
	Name        string
	ContentType string
	Description string // at most MaxAltText
	Data        []byte
}

// Message is the content of a message, whether it is posted, edited or an
// answer: components of version 2 and the files that they show.
type Message struct {
	Components []Component
	Mentions   AllowedMentions
	Files      []File
	// Silent suppresses the push notification that a posted message causes in
	// direct messages, and for people who are notified of every message.
	Silent bool
}

// body is the JSON of a message.
type body struct {
	Flags        int             `json:"flags"`
	Components   []Component     `json:"components"`
	Mentions     AllowedMentions `json:"allowed_mentions"`
	Attachments  []attachment    `json:"attachments"`
	Nonce        string          `json:"nonce,omitempty"`
	EnforceNonce bool            `json:"enforce_nonce,omitempty"`
}

// attachment describes an uploaded file within a message.
type attachment struct {
	ID          string `json:"id"` // the index of the file in the same request
	Filename    string `json:"filename,omitempty"`
	Description string `json:"description,omitempty"`
}

// body always lists the attachments, even if there are none: an edit without
// the list keeps a picture that nothing shows any more.
func (m Message) body(flags int) body {
	b := body{Flags: FlagComponentsV2 | flags, Components: m.Components, Mentions: m.Mentions, Attachments: []attachment{}}
	for i, f := range m.Files {
		b.Attachments = append(b.Attachments, attachment{strconv.Itoa(i), f.Name, Truncate(f.Description, MaxAltText)})
	}
	return b
}
