package api

import (
	"encoding/json"
	"time"
)

// Attachment is a file of a message in Discord's shape. Only pictures have a
// width and height, in pixels.
type Attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Size        int    `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`
	Width       int    `json:"width,omitempty"`
	Height      int    `json:"height,omitempty"`
	Ephemeral   bool   `json:"ephemeral,omitempty"`
}

// File is a file part of a multipart request.
type File struct {
	Field    string // "files[0]"
	Filename string
	Data     []byte
}

// Message is a message as Discord's REST API returns it.
type Message struct {
	ID                  string               `json:"id"`
	ChannelID           string               `json:"channel_id"`
	Type                int                  `json:"type"`
	Content             string               `json:"content"`
	Author              User                 `json:"author"`
	Timestamp           string               `json:"timestamp"`        // RFC 3339
	EditedTimestamp     *string              `json:"edited_timestamp"` // null until edited
	TTS                 bool                 `json:"tts"`
	MentionEveryone     bool                 `json:"mention_everyone"`
	Mentions            []User               `json:"mentions"` // those that allowed_mentions allows
	MentionRoles        []string             `json:"mention_roles"`
	Attachments         []Attachment         `json:"attachments"` // without those that components or embeds show
	Embeds              []Embed              `json:"embeds"`
	Pinned              bool                 `json:"pinned"`
	Flags               int                  `json:"flags"`
	Components          []Component          `json:"components"`
	Nonce               json.RawMessage      `json:"nonce,omitempty"`
	WebhookID           string               `json:"webhook_id,omitempty"`
	ApplicationID       string               `json:"application_id,omitempty"`
	MessageReference    *MessageReference    `json:"message_reference,omitempty"`
	ReferencedMessage   *Message             `json:"referenced_message,omitempty"`
	Snapshots           []any                `json:"message_snapshots,omitempty"` // of a forwarded message
	InteractionMetadata *InteractionMetadata `json:"interaction_metadata,omitempty"`
	Interaction         *MessageInteraction  `json:"interaction,omitempty"` // the older form, which Discord still sends
	Reactions           []any                `json:"reactions,omitempty"`
	Thread              map[string]any       `json:"thread,omitempty"` // started from the message; never changed in place
}

// MessageReference identifies the message that is replied to.
type MessageReference struct {
	Type      int    `json:"type"`
	ChannelID string `json:"channel_id"`
	MessageID string `json:"message_id,omitempty"`
	GuildID   string `json:"guild_id,omitempty"`
}

// InteractionMetadata identifies the interaction that a message answers.
type InteractionMetadata struct {
	ID                           string               `json:"id"`
	Type                         int                  `json:"type"`
	User                         User                 `json:"user"`
	AuthorizingIntegrationOwners map[string]string    `json:"authorizing_integration_owners"`
	OriginalResponseMessageID    string               `json:"original_response_message_id,omitempty"`
	InteractedMessageID          string               `json:"interacted_message_id,omitempty"`
	TargetUser                   *User                `json:"target_user,omitempty"`                     // of a command on a user
	TargetMessageID              string               `json:"target_message_id,omitempty"`               // of a command on a message
	TriggeringInteraction        *InteractionMetadata `json:"triggering_interaction_metadata,omitempty"` // of a modal: the interaction that opened it
}

// MessageInteraction is the older form of InteractionMetadata.
type MessageInteraction struct {
	ID   string `json:"id"`
	Type int    `json:"type"`
	Name string `json:"name"`
	User User   `json:"user"`
}

// User is a user in Discord's shape.
type User struct {
	ID            string  `json:"id"`
	Username      string  `json:"username"`
	GlobalName    *string `json:"global_name"`
	Avatar        *string `json:"avatar"`
	Discriminator string  `json:"discriminator"`
	PublicFlags   int     `json:"public_flags"`
	Flags         int     `json:"flags"`
	Bot           bool    `json:"bot,omitempty"`
	PrimaryGuild  *string `json:"primary_guild"` // always null here
}

// Modal is a dialog that a bot has answered an interaction with, for one
// person to fill in.
type Modal struct {
	CustomID   string      `json:"custom_id"`
	Title      string      `json:"title"`
	Components []Component `json:"components"` // labels, text displays, or rows with a text input each
}

// MaxUpload is the maximum size of an uploaded file in bytes
// (attachment_size_limit of an interaction in a guild without boosts).
const MaxUpload = 10 << 20

// MaxContent is the maximum length of a message's content in characters, for
// bots and people.
const MaxContent = 2000

// Message flags ("Message Flags" on the page "Message Resource").
const (
	FlagSuppressEmbeds        = 1 << 2
	FlagEphemeral             = 1 << 6
	FlagLoading               = 1 << 7 // a deferral without its edit: "thinking"
	FlagSuppressNotifications = 1 << 12
	FlagComponentsV2          = 1 << 15
)

// Message types ("Message Types", same page).
const (
	MessageDefault            = 0
	MessageReply              = 19
	MessageChatInputCommand   = 20
	MessageThreadStarter      = 21
	MessageContextMenuCommand = 23
)

// FormatTime formats a time as Discord does, with microseconds and an explicit
// offset.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000-07:00") }

// Embed is a rich embed in Discord's shape.
type Embed struct {
	Type        string       `json:"type"`
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description,omitempty"`
	URL         string       `json:"url,omitempty"`
	Timestamp   string       `json:"timestamp,omitempty"`
	Color       *int         `json:"color,omitempty"`
	Author      *EmbedAuthor `json:"author,omitempty"`
	Footer      *EmbedFooter `json:"footer,omitempty"`
	Image       *Media       `json:"image,omitempty"`
	Thumbnail   *Media       `json:"thumbnail,omitempty"`
	Fields      []EmbedField `json:"fields,omitempty"`
}

// EmbedAuthor is the line above an embed's title.
type EmbedAuthor struct {
	Name    string `json:"name"`
	URL     string `json:"url,omitempty"`
	IconURL string `json:"icon_url,omitempty"`
}

// EmbedFooter is the line below an embed.
type EmbedFooter struct {
	Text    string `json:"text"`
	IconURL string `json:"icon_url,omitempty"`
}

// EmbedField is one titled paragraph.
type EmbedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline"`
}
