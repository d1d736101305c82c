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
func (s *Sandbox) find(channelID, messageID string) *post {
	list := s.posts[channelID]
	i, ok := slices.BinarySearchFunc(list, messageID, func(p *post, id string) int {
		switch {
		case p.msg.ID == id:
			return 0
		case before(p.msg.ID, id):
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
func (s *Sandbox) publish(p *post) {
	p.msg.ID = s.ids.next()
	s.wrote(p)
	s.posts[p.msg.ChannelID] = append(s.posts[p.msg.ChannelID], p)
	s.letGo(p.msg.ChannelID)
	s.hold(p)
	s.emitPost(p)
	s.notify(p)
	s.dispatchMessage("MESSAGE_CREATE", p)
	s.touch()
}

// postChanged tells everybody of an edit. It notifies nobody.
func (s *Sandbox) postChanged(p *post) {
	s.emitPost(p)
	s.dispatchMessage("MESSAGE_UPDATE", p)
	s.touch()
}

// hold makes a message's files available for download.
func (s *Sandbox) hold(p *post) {
	for _, f := range p.files {
		s.files[f.ID] = f
	}
}

// remove deletes a message.
func (s *Sandbox) remove(p *post) {
	list := s.posts[p.msg.ChannelID]
	s.posts[p.msg.ChannelID] = slices.DeleteFunc(slices.Clone(list), func(x *post) bool { return x == p })
	s.forget(p)
	s.emitVisible(p, map[string]any{"type": "message_delete", "channel_id": p.msg.ChannelID, "id": p.msg.ID})
	at := s.places[p.msg.ChannelID]
	if p.viewer == "" && at != nil {
		if at.thread != nil && at.thread.count > 0 {
			at.thread.count--
			s.recount(at)
		}
		data := map[string]any{"id": p.msg.ID, "channel_id": p.msg.ChannelID}
		if at.server != nil {
			data["guild_id"] = at.server.id
		}
		if s.may(at.id, s.world.Application.ID, 0) {
			s.dispatch(at.server, messageIntent(at), "MESSAGE_DELETE", data)
		}
	}
	s.touch()
}

// dispatchMessage sends a message event to the sessions that asked for such.
// Without the message content intent a bot sees the text of its own messages
// and of those that mention it ("Message Content Intent").
func (s *Sandbox) dispatchMessage(kind string, p *post) {
	if p.viewer != "" {
		return
	}
	me, at := s.world.Application.ID, s.places[p.msg.ChannelID]
	if !s.may(p.msg.ChannelID, me, 0) {
		return
	}
	s.dispatchEach(at.server, messageIntent(at), kind, func(se *session) any {
		m := p.rest()
		clear := at.server == nil || se.intents&intentMessageContent != 0 || m.Author.ID == me ||
			slices.ContainsFunc(m.Mentions, func(u UserObject) bool { return u.ID == me })
		if !clear {
			m.Content, m.Embeds, m.Attachments, m.Components = "", []Embed{}, []Attachment{}, []Component{}
		}
		out := struct {
			Message
			GuildID     string         `json:"guild_id,omitempty"`
			ChannelType int            `json:"channel_type"`
			Member      map[string]any `json:"member,omitempty"`
		}{Message: m, GuildID: at.guildID(), ChannelType: at.kind}
		if at.server != nil {
			out.Member = s.member(at.server, m.Author.ID, false)
		}
		return out
	})
}

// messageIntent is the intent of a place's messages.
func messageIntent(p *place) int {
	if p.server == nil {
		return intentDirectMessages
	}
	return intentGuildMessages
}

func (s *Sandbox) createMessage(c *call) (int, any, error) {
	channelID := c.params["channel_id"]
	if err := s.botMay(channelID, messageNeeds(c.form, c.files)); err != nil {
		return 0, nil, err
	}
	p, err := s.compose(c.form, c.files, channelID, createFlags)
	if err != nil {
		return 0, nil, err
	}
	if err := s.readReference(c.form, p); err != nil {
		return 0, nil, err
	}
	s.mark(&p.msg, readAllowedMentions(c.form.key("allowed_mentions"))) // again: the reference counts too
	enforce := c.form.key("enforce_nonce").boolean()
	if err := c.form.faults.err(); err != nil {
		return 0, nil, err
	}
	if known := s.sameNonce(p.msg.Nonce); known != nil && enforce {
		return http.StatusOK, known.rest(), nil
	}
	at := s.places[channelID]
	if err := s.reachesRecipient(at); err != nil {
		return 0, nil, err
	}
	if err := s.awake(at, s.world.Application.ID); err != nil {
		return 0, nil, err
	}
	s.publish(p)
	if len(p.msg.Nonce) > 0 {
		s.nonces[nonceKey(p.msg.Nonce)] = p
	}
	return http.StatusOK, p.rest(), nil
}

// sameNonce is the bot's message of the last minutes with a nonce, if it has
// not been deleted.
func (s *Sandbox) sameNonce(nonce json.RawMessage) *post {
	maps.DeleteFunc(s.nonces, func(_ string, p *post) bool { return s.now().Sub(p.created) > nonceMemory })
	if len(nonce) == 0 {
		return nil
	}
	p := s.nonces[nonceKey(nonce)]
	if p == nil || s.find(p.msg.ChannelID, p.msg.ID) == nil {
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
func (s *Sandbox) readReference(form node, p *post) error {
	ref := form.key("message_reference")
	if !ref.given() || !ref.object() || !ref.key("message_id").must() {
		return form.faults.err()
	}
	if t := ref.key("type"); t.given() {
		t.oneOf(0) // forwarding is not built
	}
	if s.botMay(p.msg.ChannelID, PermissionReadHistory) != nil {
		return errNoHistory
	}
	id := ref.key("message_id").snowflake()
	if ch := ref.key("channel_id"); ch.given() && ch.snowflake() != p.msg.ChannelID {
		ref.fail("REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", "Cannot reply to a message in a different channel")
	}
	to := s.find(p.msg.ChannelID, id)
	strict := !ref.key("fail_if_not_exists").given() || ref.key("fail_if_not_exists").boolean()
	if (to == nil || to.viewer != "") && strict {
		ref.fail("MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
	}
	if err := form.faults.err(); err != nil {
		return err
	}
	if to != nil && to.viewer == "" {
		s.replyTo(&p.msg, to)
	}
	return nil
}

func (s *Sandbox) listMessages(c *call) (int, any, error) {
	if err := s.botMay(c.params["channel_id"], 0); err != nil {
		return 0, nil, err
	}
	limit := 50
	if text := c.query("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			return 0, nil, formRefusal([]string{"limit"}, "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
		}
		limit = n
	}
	var ids [3]string
	for i, key := range []string{"before", "after", "around"} {
		ids[i] = c.query(key)
		if ids[i] != "" && !isSnowflake(ids[i]) {
			return 0, nil, formRefusal([]string{key}, "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", ids[i])
		}
	}
	var list []*post
	if s.botMay(c.params["channel_id"], PermissionReadHistory) == nil {
		list = visible(s.posts[c.params["channel_id"]])
	} // without: "no messages will be returned" (Get Channel Messages)
	list = window(list, ids[0], ids[1], ids[2], limit)
	out := []Message{}
	for _, p := range slices.Backward(list) { // newest first
		out = append(out, p.rest())
	}
	return http.StatusOK, out, nil
}

// window picks the messages before, after or around an id; without any, the
// newest.
func window(list []*post, beforeID, afterID, aroundID string, limit int) []*post {
	first := func(id string) int { // of the messages that are not before id
		i := slices.IndexFunc(list, func(p *post) bool { return !before(p.msg.ID, id) })
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
func (s *Sandbox) botSees(c *call) (*post, error) {
	if err := s.botMay(c.params["channel_id"], 0); err != nil {
		return nil, err
	}
	p := s.find(c.params["channel_id"], c.params["message_id"])
	if p == nil || p.viewer != "" {
		return nil, errUnknownMessage
	}
	return p, nil
}

func (s *Sandbox) getMessage(c *call) (int, any, error) {
	if err := s.botMay(c.params["channel_id"], PermissionReadHistory); err != nil {
		return 0, nil, err
	}
	p, err := s.botSees(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, p.rest(), nil
}

func (s *Sandbox) editMessage(c *call) (int, any, error) {
	p, err := s.botSees(c)
	if err != nil {
		return 0, nil, err
	}
	if p.msg.Author.ID != s.world.Application.ID {
		return 0, nil, errForeignMessage
	}
	if err := s.changeable(p.msg.ChannelID); err != nil {
		return 0, nil, err
	}
	if err := s.amend(p, c.form, c.files, ruleFor(c.version)); err != nil {
		return 0, nil, err
	}
	s.postChanged(p)
	return http.StatusOK, p.rest(), nil
}

func (s *Sandbox) deleteMessage(c *call) (int, any, error) {
	p, err := s.botSees(c)
	if err != nil {
		return 0, nil, err
	}
	if p.msg.Author.ID != s.world.Application.ID && !s.may(p.msg.ChannelID, s.world.Application.ID, PermissionManageMessages) {
		return 0, nil, errMissingPermissions
	}
	s.remove(p)
	return http.StatusNoContent, nil, nil
}
