package sandbox

import (
	"encoding/json"
	"slices"
	"time"
)

// Message flags ("Message Flags" on the page "Message Resource").
const (
	FlagSuppressEmbeds        = 1 << 2
	FlagEphemeral             = 1 << 6
	FlagLoading               = 1 << 7 // a deferral that waits for its edit: "thinking"
	FlagSuppressNotifications = 1 << 12
	FlagComponentsV2          = 1 << 15
)

// Message types ("Message Types", same page).
const (
	MessageDefault            = 0
	MessageRecipientAdd       = 1
	MessageNameChange         = 4
	MessageThreadCreated      = 18
	MessageReply              = 19
	MessageChatInputCommand   = 20
	MessageThreadStarter      = 21
	MessageContextMenuCommand = 23
)

// Message is a message in the shape in which Discord's REST API gives it.
type Message struct {
	ID                  string               `json:"id"`
	ChannelID           string               `json:"channel_id"`
	Type                int                  `json:"type"`
	Content             string               `json:"content"`
	Author              UserObject           `json:"author"`
	Timestamp           string               `json:"timestamp"`        // RFC 3339
	EditedTimestamp     *string              `json:"edited_timestamp"` // null until edited
	TTS                 bool                 `json:"tts"`
	MentionEveryone     bool                 `json:"mention_everyone"`
	Mentions            []UserObject         `json:"mentions"` // those whom allowed_mentions lets through
	MentionRoles        []string             `json:"mention_roles"`
	Attachments         []Attachment         `json:"attachments"` // without those shown by components or embeds
	Embeds              []Embed              `json:"embeds"`
	Pinned              bool                 `json:"pinned"`
	Flags               int                  `json:"flags"`
	Components          []Component          `json:"components"`
	Nonce               json.RawMessage      `json:"nonce,omitempty"`
	WebhookID           string               `json:"webhook_id,omitempty"`
	ApplicationID       string               `json:"application_id,omitempty"`
	MessageReference    *MessageReference    `json:"message_reference,omitempty"`
	ReferencedMessage   *Message             `json:"referenced_message,omitempty"`
	InteractionMetadata *InteractionMetadata `json:"interaction_metadata,omitempty"`
	Interaction         *MessageInteraction  `json:"interaction,omitempty"` // the older form, still sent
	Thread              map[string]any       `json:"thread,omitempty"`      // that was started from the message, never changed in place
}

// MessageReference points at the message that is replied to.
type MessageReference struct {
	Type      int    `json:"type"`
	ChannelID string `json:"channel_id"`
	MessageID string `json:"message_id,omitempty"`
	GuildID   string `json:"guild_id,omitempty"`
}

// InteractionMetadata says which interaction a message answers.
type InteractionMetadata struct {
	ID                           string               `json:"id"`
	Type                         int                  `json:"type"`
	User                         UserObject           `json:"user"`
	AuthorizingIntegrationOwners map[string]string    `json:"authorizing_integration_owners"`
	OriginalResponseMessageID    string               `json:"original_response_message_id,omitempty"`
	InteractedMessageID          string               `json:"interacted_message_id,omitempty"`
	TargetUser                   *UserObject          `json:"target_user,omitempty"`                     // of a command on a user
	TargetMessageID              string               `json:"target_message_id,omitempty"`               // of a command on a message
	TriggeringInteraction        *InteractionMetadata `json:"triggering_interaction_metadata,omitempty"` // of a modal: what it was opened by
	// CommandName is not Discord's: it is what the page draws as
	// "Anna used /challenge trails", and is left out of the REST API.
	CommandName string `json:"command_name,omitempty"`
}

// MessageInteraction is the form of that before InteractionMetadata.
type MessageInteraction struct {
	ID   string     `json:"id"`
	Type int        `json:"type"`
	Name string     `json:"name"`
	User UserObject `json:"user"`
}

// UserObject is a user in Discord's shape.
type UserObject struct {
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

// post is a message as the sandbox keeps it.
type post struct {
	msg      Message
	created  time.Time
	viewer   string        // an ephemeral message's only reader; "" is everybody
	files    []*storedFile // every attachment, shown in `attachments` or not
	deferral bool          // a type 5 answer that still waits for its contents
}

func (p *post) visibleTo(userID string) bool { return p.viewer == "" || p.viewer == userID }

func (p *post) v2() bool { return p.msg.Flags&FlagComponentsV2 != 0 }

// rest is the message as a bot gets it: a copy that shares nothing that is
// changed in place (components and embeds are replaced whole, never edited).
func (p *post) botView() Message {
	m := p.pageView()
	strip := func(meta *InteractionMetadata) *InteractionMetadata {
		if meta == nil {
			return nil
		}
		c := *meta
		c.CommandName = ""
		return &c
	}
	m.InteractionMetadata = strip(m.InteractionMetadata)
	if m.ReferencedMessage != nil {
		ref := *m.ReferencedMessage
		ref.InteractionMetadata = strip(ref.InteractionMetadata)
		m.ReferencedMessage = &ref
	}
	return m
}

// page is the message as the page gets it.
func (p *post) pageView() Message {
	m := p.msg
	m.Attachments = []Attachment{}
	for _, f := range p.files {
		if !f.embedded && !p.v2() {
			m.Attachments = append(m.Attachments, f.Attachment)
		}
	}
	m.Mentions = slices.Clone(m.Mentions)
	return m
}

// stamp writes a time as Discord does: microseconds and an explicit offset.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000-07:00") }
