package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"

	"castellan/bot/sandbox/api"
)

func (s *Sandbox) replyTo(m *api.Message, to *storedMessage) {
	m.Type = api.MessageReply
	s.setReference(m, to)
}

// messageNeeds returns the permissions for creating a message ("Create
// Message"): attach files for files, embed links for embeds.
func messageNeeds(form api.Node, files []api.File) int64 {
	needs := int64(api.PermissionSendMessages)
	if len(files) > 0 {
		needs |= api.PermissionAttachFiles
	}
	if embeds, ok := form.Field("embeds").Value.([]any); ok && len(embeds) > 0 {
		needs |= api.PermissionEmbedLinks
	}
	return needs
}

// nonceMemory is how long enforce_nonce remembers a nonce: "the past few
// minutes" (Create Message).
const nonceMemory = 5 * time.Minute

func (s *Sandbox) createMessage(c *call) (int, any, error) {
	channelID := c.channel.ID
	if err := s.botMay(channelID, messageNeeds(c.form, c.files)); err != nil {
		return 0, nil, err
	}
	switch c.channel.Type {
	case api.ChannelForum:
		return 0, nil, api.ErrForumChannel
	case api.ChannelCategory:
		return 0, nil, api.ErrNotText
	}
	m, err := s.readMessage(c.form, c.files, channelID, createFlags)
	if err != nil {
		return 0, nil, err
	}
	if err := s.readReference(c, m); err != nil {
		return 0, nil, err
	}
	if m.empty() {
		return 0, nil, api.ErrEmptyMessage
	}
	s.setMentions(&m.Msg, api.ReadAllowedMentions(c.form.Field("allowed_mentions"))) // again, because of the reference
	enforce := c.form.Field("enforce_nonce").Boolean()
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	if enforce {
		known, err := s.messageByNonce(m.Msg.Nonce)
		if err != nil {
			return 0, nil, err
		}
		if known != nil {
			return http.StatusOK, known.botView(), nil
		}
	}
	if err := s.checkRecipient(c.channel); err != nil {
		return 0, nil, err
	}
	if err := s.unarchive(c.channel, s.ApplicationID()); err != nil {
		return 0, nil, err
	}
	s.publish(m)
	if len(m.Msg.Nonce) > 0 {
		s.nonces[nonceKey(m.Msg.Nonce)] = m
	}
	return http.StatusOK, m.botView(), nil
}

// messageByNonce returns the bot's recent message with a nonce, nil if there is
// none. If it was deleted, Discord says that it is unknown (discord-api-docs
// #6647), and the lenient sandbox that there is none.
func (s *Sandbox) messageByNonce(nonce json.RawMessage) (*storedMessage, error) {
	maps.DeleteFunc(s.nonces, func(_ string, m *storedMessage) bool { return s.o.Now().Sub(m.Created) > nonceMemory })
	if len(nonce) == 0 {
		return nil, nil
	}
	m := s.nonces[nonceKey(nonce)]
	switch {
	case m == nil || s.findMessage(m.Msg.ChannelID, m.Msg.ID) != nil:
		return m, nil
	case s.o.Strict:
		return nil, api.ErrUnknownMessage
	}
	return nil, nil
}

// forward makes a message a copy of another one, wherever the bot can read it
// ("Message Reference Types").
func (s *Sandbox) forward(ref api.Node, m *storedMessage) error {
	from := ref.Field("channel_id").Text()
	to := s.findMessage(from, ref.Field("message_id").Text())
	switch {
	case s.botMay(from, api.PermissionReadHistory) != nil:
		return api.ErrNoHistory
	case to == nil || to.Viewer != "":
		ref.AddError("MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
		return ref.Err()
	case m.Msg.Content != "" || len(m.Msg.Embeds) > 0 || len(m.Files) > 0:
		ref.AddError("MESSAGE_FORWARD_CONTENT", "A forwarded message cannot have content of its own")
		return ref.Err()
	}
	s.setReference(&m.Msg, to)
	view := to.pageView()
	m.Msg.MessageReference.Type, m.Msg.ReferencedMessage = 1, nil
	m.Msg.Snapshots = []any{map[string]any{"message": map[string]any{
		"type": view.Type, "content": view.Content, "mentions": view.Mentions, "mention_roles": view.MentionRoles, "attachments": view.Attachments,
		"embeds": view.Embeds, "timestamp": view.Timestamp, "edited_timestamp": view.EditedTimestamp, "flags": view.Flags, "components": view.Components,
	}}}
	return nil
}

// readReference reads message_reference: a reply within the channel, or a forward.
func (s *Sandbox) readReference(c *call, m *storedMessage) error {
	ref := c.form.Field("message_reference")
	if !ref.IsSet() {
		return nil
	}
	if c.forward {
		return s.forward(ref, m)
	}
	if s.botMay(m.Msg.ChannelID, api.PermissionReadHistory) != nil {
		return api.ErrNoHistory
	}
	id := ref.Field("message_id").Text()
	if ch := ref.Field("channel_id"); ch.IsSet() && ch.Text() != m.Msg.ChannelID {
		ref.AddError("REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", "Cannot reply to a message in a different channel")
	}
	to := s.findMessage(m.Msg.ChannelID, id)
	strict := api.Default(ref.Field("fail_if_not_exists"), ref.Field("fail_if_not_exists").Boolean(), true)
	if (to == nil || to.Viewer != "") && strict {
		ref.AddError("MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
	}
	if err := c.form.Err(); err != nil {
		return err
	}
	if to != nil && to.Viewer == "" {
		s.replyTo(&m.Msg, to)
	}
	return nil
}

func (c *call) limit(def int) int {
	if n, err := strconv.Atoi(c.query("limit")); err == nil {
		return n
	}
	return def
}

func (s *Sandbox) listMessages(c *call) (int, any, error) {
	if s.unheard(c.channel) {
		return 0, nil, api.ErrMissingAccess
	}
	var list []*storedMessage
	if s.botMay(c.channel.ID, api.PermissionReadHistory) == nil {
		list = publicMessages(s.messages[c.channel.ID])
	} // without: "no messages will be returned" (Get Channel Messages)
	list = window(list, c.query("before"), c.query("after"), c.limit(50))
	out := []api.Message{}
	for _, m := range slices.Backward(list) { // newest first
		out = append(out, m.botView())
	}
	return http.StatusOK, out, nil
}

// unheard reports whether a channel is a voice channel to which the bot may not
// connect, and so cannot read back ("Get Channel Messages"). Which code says so is not
// documented.
func (s *Sandbox) unheard(ch *channelState) bool {
	return ch.Type == api.ChannelVoice && s.botMay(ch.ID, api.PermissionConnect) != nil
}

// window returns the messages before or after an id, or else the latest.
func window(list []*storedMessage, beforeID, afterID string, limit int) []*storedMessage {
	first := func(id string) int { // index of the first message that is not older than id
		return sort.Search(len(list), func(i int) bool { return api.CompareIDs(list[i].Msg.ID, id) >= 0 })
	}
	from, to := 0, len(list)
	switch {
	case beforeID != "":
		to = first(beforeID)
		from = max(0, to-limit)
	case afterID != "":
		from = first(afterID)
		if from < len(list) && list[from].Msg.ID == afterID {
			from++
		}
		to = min(len(list), from+limit)
	default:
		from = max(0, to-limit)
	}
	return list[from:to]
}

func (s *Sandbox) getMessage(c *call) (int, any, error) {
	if s.unheard(c.channel) {
		return 0, nil, api.ErrMissingAccess
	}
	return http.StatusOK, c.message.botView(), s.botMay(c.channel.ID, api.PermissionReadHistory)
}

func (s *Sandbox) editMessage(c *call) (int, any, error) {
	m := c.message
	if m.Msg.Author.ID != s.ApplicationID() {
		return 0, nil, api.ErrForeignMessage
	}
	if err := s.checkEdit(c.channel, s.ApplicationID()); err != nil {
		return 0, nil, err
	}
	if err := s.applyEdit(m, c.form, c.files, filePolicyFor(c.version)); err != nil {
		return 0, nil, err
	}
	s.announceEdit(m)
	return http.StatusOK, m.botView(), nil
}

func (s *Sandbox) deleteMessage(c *call) (int, any, error) {
	m := c.message
	if m.Msg.Author.ID != s.ApplicationID() && !s.may(m.Msg.ChannelID, s.ApplicationID(), api.PermissionManageMessages) {
		return 0, nil, api.ErrMissingPermissions
	}
	s.removeMessage(m)
	return http.StatusNoContent, nil, nil
}

func (s *Sandbox) addReaction(c *call) (int, any, error) {
	emoji := c.param("emoji_name")
	if !api.IsEmoji(emoji) {
		return 0, nil, api.ErrUnknownEmoji
	}
	if c.channel.Thread != nil && c.channel.Thread.Archived {
		return 0, nil, api.ErrThreadArchived
	}
	if err := s.botMay(c.channel.ID, api.PermissionReadHistory); err != nil {
		return 0, nil, err
	}
	return http.StatusNoContent, nil, s.react(c.message, s.ApplicationID(), emoji)
}

// triggerTyping shows nobody that the bot types, and is refused where the bot may not
// write.
func (s *Sandbox) triggerTyping(c *call) (int, any, error) {
	return http.StatusNoContent, nil, s.botMay(c.param("channel_id"), api.PermissionSendMessages)
}
