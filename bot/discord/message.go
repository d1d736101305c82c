package discord

import "encoding/json"

// Flags of a message.
const (
	FlagEphemeral             = 1 << 6
	FlagSuppressNotifications = 1 << 12
	FlagComponentsV2          = 1 << 15
)

// Mentions says whom a message may notify. The zero value notifies nobody:
// it is always sent, for a message without it would notify everyone it names.
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

// Attachment describes an uploaded file within a message.
type Attachment struct {
	ID          string `json:"id"` // "0" is the first file of the same request
	Filename    string `json:"filename,omitempty"`
	Description string `json:"description,omitempty"` // at most 1,024 characters
}

// File is a file to be uploaded with a message.
type File struct {
	Name        string
	ContentType string
	Description string
	Data        []byte
}

// Message is what a message is made of, whether it is created, edited or an
// answer: components of version 2 and the files that they show.
type Message struct {
	Components []Component
	Mentions   AllowedMentions
	Files      []File
	// Silent keeps a message that is posted from making a noise where every
	// message does: in direct messages, and for who wants to hear everything.
	Silent bool
}

// body is the JSON of a message in the form that a route wants.
type body struct {
	Flags      int             `json:"flags"`
	Components []Component     `json:"components"`
	Mentions   AllowedMentions `json:"allowed_mentions"`
	Attached   []Attachment    `json:"attachments"`
	Nonce      string          `json:"nonce,omitempty"`
	Enforce    bool            `json:"enforce_nonce,omitempty"`
}

// body always lists the attachments, none where there are none: an edit that
// left the list out would keep a picture that nothing shows any more.
func (m Message) body(flags int) body {
	b := body{Flags: FlagComponentsV2 | flags, Components: m.Components, Mentions: m.Mentions, Attached: []Attachment{}}
	for i, f := range m.Files {
		b.Attached = append(b.Attached, Attachment{ID: digits(i), Filename: f.Name, Description: clip(f.Description, 1024)})
	}
	return b
}

func digits(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
