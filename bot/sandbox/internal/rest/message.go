package rest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/payload"
)

// replyTo makes a message a reply to another.
func (s *API) replyTo(m *api.Message, to *model.StoredMessage) {
	m.Type = api.MessageReply
	s.SetReference(m, to)
}

// messageNeeds returns the permissions for creating a message ("Create
// Message"): attach files for files, embed links for embeds.
func messageNeeds(form payload.Node, files []api.File) int64 {
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

func (s *API) createMessage(c *call) (int, any, error) {
	channelID := c.channel.ID
	if err := s.BotMay(channelID, messageNeeds(c.form, c.files)); err != nil {
		return 0, nil, err
	}
	switch c.channel.Type {
	case api.ChannelForum:
		return 0, nil, api.ErrForumChannel
	case api.ChannelCategory:
		return 0, nil, api.ErrNotText
	}
	m, err := s.newMessage(c.form, c.files, channelID, createFlags)
	if err != nil {
		return 0, nil, err
	}
	if err := s.readReference(c.form, m); err != nil {
		return 0, nil, err
	}
	s.SetMentions(&m.Msg, payload.ReadAllowedMentions(c.form.Field("allowed_mentions"))) // again, because of the reference
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
			return http.StatusOK, known.BotView(), nil
		}
	}
	if err := s.checkRecipient(c.channel); err != nil {
		return 0, nil, err
	}
	if err := s.Unarchive(c.channel, s.World.Application.ID); err != nil {
		return 0, nil, err
	}
	s.Publish(m)
	if len(m.Msg.Nonce) > 0 {
		s.Nonces[model.NonceKey(m.Msg.Nonce)] = m
	}
	return http.StatusOK, m.BotView(), nil
}

// messageByNonce returns the bot's recent message with a nonce, nil if there is
// none. If it was deleted, Discord says that it is unknown (discord-api-docs
// #6647), and the lenient sandbox that there is none.
func (s *API) messageByNonce(nonce json.RawMessage) (*model.StoredMessage, error) {
	maps.DeleteFunc(s.Nonces, func(_ string, m *model.StoredMessage) bool { return s.Now().Sub(m.Created) > nonceMemory })
	if len(nonce) == 0 {
		return nil, nil
	}
	m := s.Nonces[model.NonceKey(nonce)]
	switch {
	case m == nil || s.FindMessage(m.Msg.ChannelID, m.Msg.ID) != nil:
		return m, nil
	case s.Strict:
		return nil, api.ErrUnknownMessage
	}
	return nil, nil
}

// readReference reads message_reference: a reply within the channel.
func (s *API) readReference(form payload.Node, m *model.StoredMessage) error {
	ref := form.Field("message_reference")
	if !ref.IsSet() {
		return nil
	}
	if ref.Field("type").Integer() != 0 {
		return api.NotBuilt("forwarded messages")
	}
	if s.BotMay(m.Msg.ChannelID, api.PermissionReadHistory) != nil {
		return api.ErrNoHistory
	}
	id := ref.Field("message_id").Text()
	if ch := ref.Field("channel_id"); ch.IsSet() && ch.Text() != m.Msg.ChannelID {
		ref.AddError("REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", "Cannot reply to a message in a different channel")
	}
	to := s.FindMessage(m.Msg.ChannelID, id)
	strict := payload.Default(ref.Field("fail_if_not_exists"), ref.Field("fail_if_not_exists").Boolean(), true)
	if (to == nil || to.Viewer != "") && strict {
		ref.AddError("MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
	}
	if err := form.Err(); err != nil {
		return err
	}
	if to != nil && to.Viewer == "" {
		s.replyTo(&m.Msg, to)
	}
	return nil
}

// limit returns the limit of the query, or a default.
func (c *call) limit(def int) int {
	if n, err := strconv.Atoi(c.query("limit")); err == nil {
		return n
	}
	return def
}

func (s *API) listMessages(c *call) (int, any, error) {
	if err := s.mayRead(c.channel); err != nil {
		return 0, nil, err
	}
	var list []*model.StoredMessage
	if s.BotMay(c.channel.ID, api.PermissionReadHistory) == nil {
		list = model.PublicMessages(s.Messages[c.channel.ID])
	} // without: "no messages will be returned" (Get Channel Messages)
	list = window(list, c.query("before"), c.query("after"), c.query("around"), c.limit(50))
	out := []api.Message{}
	for _, m := range slices.Backward(list) { // newest first
		out = append(out, m.BotView())
	}
	return http.StatusOK, out, nil
}

// mayRead checks whether the bot can read a channel's messages back. In voice
// channels that needs permission to connect ("Get Channel Messages"); which
// code says so is not documented.
func (s *API) mayRead(ch *model.Channel) error {
	switch ch.Type {
	case api.ChannelVoice:
		if s.BotMay(ch.ID, api.PermissionConnect) != nil {
			return api.ErrMissingAccess
		}
	case api.ChannelForum, api.ChannelCategory:
		return api.ErrChannelType
	}
	return nil
}

// window returns the messages before, after or around an id, or else the
// latest.
func window(list []*model.StoredMessage, beforeID, afterID, aroundID string, limit int) []*model.StoredMessage {
	first := func(id string) int { // index of the first message that is not older than id
		return sort.Search(len(list), func(i int) bool { return !api.OlderThan(list[i].Msg.ID, id) })
	}
	from, to := 0, len(list)
	switch {
	case aroundID != "":
		from = max(0, first(aroundID)-limit/2)
		to = min(len(list), from+limit)
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

func (s *API) getMessage(c *call) (int, any, error) {
	if err := cmp.Or(s.mayRead(c.channel), s.BotMay(c.channel.ID, api.PermissionReadHistory)); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, c.message.BotView(), nil
}

func (s *API) editMessage(c *call) (int, any, error) {
	m := c.message
	if m.Msg.Author.ID != s.World.Application.ID {
		return 0, nil, api.ErrForeignMessage
	}
	if m.Msg.Poll != nil {
		return 0, nil, api.ErrPollEdit
	}
	if err := s.CheckEdit(c.channel, s.World.Application.ID); err != nil {
		return 0, nil, err
	}
	if err := s.applyEdit(m, c.form, c.files, filePolicyFor(c.version)); err != nil {
		return 0, nil, err
	}
	s.AnnounceEdit(m)
	return http.StatusOK, m.BotView(), nil
}

func (s *API) deleteMessage(c *call) (int, any, error) {
	m := c.message
	if m.Msg.Author.ID != s.World.Application.ID && !s.May(m.Msg.ChannelID, s.World.Application.ID, api.PermissionManageMessages) {
		return 0, nil, api.ErrMissingPermissions
	}
	s.RemoveMessage(m)
	return http.StatusNoContent, nil, nil
}
