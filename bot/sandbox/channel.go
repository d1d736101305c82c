package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// nonceMemory is how long a nonce is remembered for enforce_nonce: "the past
// few minutes" (Create Message).
const nonceMemory = 5 * time.Minute

// find looks a message up that has not been deleted.
func (s *Model) findMessage(channelID, messageID string) *post {
	list := s.messages[channelID]
	i, ok := slices.BinarySearchFunc(list, messageID, func(p *post, id string) int {
		switch {
		case p.msg.ID == id:
			return 0
		case olderThan(p.msg.ID, id):
			return -1
		}
		return 1
	})
	if !ok {
		return nil
	}
	return list[i]
}

// publish gives a new message its id and its place at the channel's foot, and
// notifies those whom it mentions.
func (s *Model) publish(p *post) {
	p.msg.ID = s.IDs.next()
	s.countThreadMessage(p)
	s.messages[p.msg.ChannelID] = append(s.messages[p.msg.ChannelID], p)
	s.trimMessages(p.msg.ChannelID)
	s.storeFiles(p)
	s.emitMessage(p)
	s.notify(p)
	s.dispatchMessage("MESSAGE_CREATE", p)
	s.wake()
}

// postChanged tells everybody of an edit. It notifies nobody.
func (s *Model) announceEdit(p *post) {
	s.emitMessage(p)
	s.dispatchMessage("MESSAGE_UPDATE", p)
	s.wake()
}

// hold makes a message's files available for download.
func (s *Model) storeFiles(p *post) {
	for _, f := range p.files {
		s.files[f.ID] = f
	}
}

// remove deletes a message.
func (s *Model) removeMessage(p *post) {
	list := s.messages[p.msg.ChannelID]
	s.messages[p.msg.ChannelID] = slices.DeleteFunc(slices.Clone(list), func(x *post) bool { return x == p })
	s.discard(p)
	s.emitVisible(p, map[string]any{"type": "message_delete", "channel_id": p.msg.ChannelID, "id": p.msg.ID})
	at := s.channels[p.msg.ChannelID]
	if p.viewer == "" && at != nil {
		if at.thread != nil && at.thread.messageCount > 0 {
			at.thread.messageCount--
			s.updateThreadCount(at)
		}
		data := map[string]any{"id": p.msg.ID, "channel_id": p.msg.ChannelID}
		if at.guild != nil {
			data["guild_id"] = at.guild.ID
		}
		if s.may(at.ID, s.world.Application.ID, 0) {
			s.dispatch(at.guild, messageIntent(at), "MESSAGE_DELETE", data)
		}
	}
	s.wake()
}

// dispatchMessage sends a message event to the sessions that asked for such.
// Without the message content intent a bot sees the text of its own messages
// and of those that mention it ("Message Content Intent").
func (s *Model) dispatchMessage(kind string, p *post) {
	if p.viewer != "" {
		return
	}
	me, at := s.world.Application.ID, s.channels[p.msg.ChannelID]
	if !s.may(p.msg.ChannelID, me, 0) {
		return
	}
	s.dispatchEach(at.guild, messageIntent(at), kind, func(se *Session) any {
		m := p.botView()
		clear := at.guild == nil || se.Intents&intentMessageContent != 0 || m.Author.ID == me ||
			slices.ContainsFunc(m.Mentions, func(u UserObject) bool { return u.ID == me })
		if !clear {
			m.Content, m.Embeds, m.Attachments, m.Components = "", []Embed{}, []Attachment{}, []Component{}
		}
		out := struct {
			Message
			GuildID     string         `json:"guild_id,omitempty"`
			ChannelType int            `json:"channel_type"`
			Member      map[string]any `json:"member,omitempty"`
		}{Message: m, GuildID: at.guildID(), ChannelType: at.Type}
		if at.guild != nil {
			out.Member = s.member(at.guild, m.Author.ID, false)
		}
		return out
	})
}

// messageIntent is the intent of a place's messages.
func messageIntent(p *place) int {
	if p.guild == nil {
		return intentDirectMessages
	}
	return intentGuildMessages
}

func (s *restAPI) createMessage(c *call) (int, any, error) {
	channelID := c.param("channel_id")
	if err := s.botMay(channelID, messageNeeds(c.form, c.files)); err != nil {
		return 0, nil, err
	}
	p, err := s.newMessage(c.form, c.files, channelID, createFlags)
	if err != nil {
		return 0, nil, err
	}
	if err := s.readReference(c.form, p); err != nil {
		return 0, nil, err
	}
	s.setMentions(&p.msg, readAllowedMentions(c.form.field("allowed_mentions"))) // again: the reference counts too
	enforce := c.form.field("enforce_nonce").boolean()
	if err := c.form.err(); err != nil {
		return 0, nil, err
	}
	if known := s.messageByNonce(p.msg.Nonce); known != nil && enforce {
		return http.StatusOK, known.botView(), nil
	}
	at := s.channels[channelID]
	if err := s.checkRecipient(at); err != nil {
		return 0, nil, err
	}
	if err := s.unarchive(at, s.world.Application.ID); err != nil {
		return 0, nil, err
	}
	s.publish(p)
	if len(p.msg.Nonce) > 0 {
		s.nonces[nonceKey(p.msg.Nonce)] = p
	}
	return http.StatusOK, p.botView(), nil
}

// sameNonce is the bot's message of the last minutes with a nonce, if it has
// not been deleted.
func (s *restAPI) messageByNonce(nonce json.RawMessage) *post {
	maps.DeleteFunc(s.nonces, func(_ string, p *post) bool { return s.now().Sub(p.created) > nonceMemory })
	if len(nonce) == 0 {
		return nil
	}
	p := s.nonces[nonceKey(nonce)]
	if p == nil || s.findMessage(p.msg.ChannelID, p.msg.ID) == nil {
		return nil
	}
	return p
}

// nonceKey makes 7 and "7" one nonce.
func nonceKey(nonce json.RawMessage) string {
	var text string
	if json.Unmarshal(nonce, &text) == nil {
		return text
	}
	return string(nonce)
}

// readReference reads message_reference: a reply within the channel.
func (s *restAPI) readReference(form node, p *post) error {
	ref := form.field("message_reference")
	if !ref.isSet() || !ref.isObject() || !ref.field("message_id").required() {
		return form.err()
	}
	if t := ref.field("type"); t.isSet() {
		t.oneOf(0) // forwarding is not built
	}
	if s.botMay(p.msg.ChannelID, PermissionReadHistory) != nil {
		return errNoHistory
	}
	id := ref.field("message_id").snowflake()
	if ch := ref.field("channel_id"); ch.isSet() && ch.snowflake() != p.msg.ChannelID {
		ref.addError("REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", "Cannot reply to a message in a different channel")
	}
	to := s.findMessage(p.msg.ChannelID, id)
	strict := !ref.field("fail_if_not_exists").isSet() || ref.field("fail_if_not_exists").boolean()
	if (to == nil || to.viewer != "") && strict {
		ref.addError("MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
	}
	if err := form.err(); err != nil {
		return err
	}
	if to != nil && to.viewer == "" {
		s.replyTo(&p.msg, to)
	}
	return nil
}

func (s *restAPI) listMessages(c *call) (int, any, error) {
	if err := s.botMay(c.param("channel_id"), 0); err != nil {
		return 0, nil, err
	}
	limit := 50
	if text := c.query("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			return 0, nil, invalidField([]string{"limit"}, "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
		}
		limit = n
	}
	var ids [3]string
	for i, key := range []string{"before", "after", "around"} {
		ids[i] = c.query(key)
		if ids[i] != "" && !isSnowflake(ids[i]) {
			return 0, nil, invalidField([]string{key}, "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", ids[i])
		}
	}
	var list []*post
	if s.botMay(c.param("channel_id"), PermissionReadHistory) == nil {
		list = publicMessages(s.messages[c.param("channel_id")])
	} // without: "no messages will be returned" (Get Channel Messages)
	list = window(list, ids[0], ids[1], ids[2], limit)
	out := []Message{}
	for _, p := range slices.Backward(list) { // newest first
		out = append(out, p.botView())
	}
	return http.StatusOK, out, nil
}

// window picks the messages before, after or around an id; without any, the
// newest.
func window(list []*post, beforeID, afterID, aroundID string, limit int) []*post {
	first := func(id string) int { // of the messages that are not before id
		i := slices.IndexFunc(list, func(p *post) bool { return !olderThan(p.msg.ID, id) })
		if i < 0 {
			return len(list)
		}
		return i
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
		if from < len(list) && list[from].msg.ID == afterID {
			from++
		}
		to = min(len(list), from+limit)
	default:
		from = max(0, to-limit)
	}
	return list[from:to]
}

// botSees finds a message that the bot can reach through the channel: private
// answers are not among them.
func (s *restAPI) botMessage(c *call) (*post, error) {
	if err := s.botMay(c.param("channel_id"), 0); err != nil {
		return nil, err
	}
	p := s.findMessage(c.param("channel_id"), c.param("message_id"))
	if p == nil || p.viewer != "" {
		return nil, errUnknownMessage
	}
	return p, nil
}

func (s *restAPI) getMessage(c *call) (int, any, error) {
	if err := s.botMay(c.param("channel_id"), PermissionReadHistory); err != nil {
		return 0, nil, err
	}
	p, err := s.botMessage(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, p.botView(), nil
}

func (s *restAPI) editMessage(c *call) (int, any, error) {
	p, err := s.botMessage(c)
	if err != nil {
		return 0, nil, err
	}
	if p.msg.Author.ID != s.world.Application.ID {
		return 0, nil, errForeignMessage
	}
	if err := s.checkNotArchived(p.msg.ChannelID); err != nil {
		return 0, nil, err
	}
	if err := s.applyEdit(p, c.form, c.files, filePolicyFor(c.version)); err != nil {
		return 0, nil, err
	}
	s.announceEdit(p)
	return http.StatusOK, p.botView(), nil
}

func (s *restAPI) deleteMessage(c *call) (int, any, error) {
	p, err := s.botMessage(c)
	if err != nil {
		return 0, nil, err
	}
	if p.msg.Author.ID != s.world.Application.ID && !s.may(p.msg.ChannelID, s.world.Application.ID, PermissionManageMessages) {
		return 0, nil, errMissingPermissions
	}
	s.removeMessage(p)
	return http.StatusNoContent, nil, nil
}
