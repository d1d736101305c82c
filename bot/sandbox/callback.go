package sandbox

import (
	"math"
	"net/http"
	"slices"
)

// Types of an interaction's answer ("Interaction Callback Type").
const (
	CallbackMessage         = 4
	CallbackDeferMessage    = 5
	CallbackDeferUpdate     = 6
	CallbackUpdate          = 7
	CallbackAutocomplete    = 8
	CallbackModal           = 9
	interactionCommand      = 2
	interactionComponent    = 3
	interactionAutocomplete = 4
	interactionModal        = 5
)

// allowedCallbacks says which answers an interaction takes. A modal that a
// component has opened can change the component's message, and no modal opens
// another ("Interaction Callback Type").
func (i *interaction) allowedCallbacks() []int64 {
	switch {
	case i.interactionType == interactionCommand:
		return []int64{CallbackMessage, CallbackDeferMessage, CallbackModal}
	case i.interactionType == interactionComponent:
		return []int64{CallbackMessage, CallbackDeferMessage, CallbackDeferUpdate, CallbackUpdate, CallbackModal}
	case i.interactionType == interactionModal && i.source != nil:
		return []int64{CallbackMessage, CallbackDeferMessage, CallbackDeferUpdate, CallbackUpdate}
	case i.interactionType == interactionModal:
		return []int64{CallbackMessage, CallbackDeferMessage}
	}
	return []int64{CallbackAutocomplete}
}

// callback is the first answer to an interaction.
func (s *restAPI) callback(c *call) (int, any, error) {
	i := s.interactionByID(c.param("interaction_id"))
	if i == nil || i.token != c.param("interaction_token") {
		return 0, nil, errUnknownInteraction
	}
	if len(i.Callbacks) > 0 {
		return 0, nil, errAlreadyAcknowledged
	}
	if i.State == StateFailed || s.now().Sub(i.created) > callbackDeadline {
		return 0, nil, errUnknownInteraction
	}
	if !c.form.isObject() || !c.form.field("type").required() {
		return 0, nil, c.form.err()
	}
	kind := int(c.form.field("type").integer(math.MinInt64, math.MaxInt64))
	if allowed := i.allowedCallbacks(); !slices.Contains(allowed, int64(kind)) {
		c.form.field("type").notOneOf(allowed)
	}
	if err := c.form.err(); err != nil {
		return 0, nil, err
	}
	data := c.form.field("data").objectOrEmpty()
	state, err := s.respond(i, kind, data, c.files)
	if err != nil {
		return 0, nil, err
	}
	i.Callbacks = append(i.Callbacks, kind)
	s.setState(i, state)
	if c.query("with_response") != "true" {
		return http.StatusNoContent, nil, nil
	}
	return http.StatusOK, s.callbackResponse(i, kind), nil
}

// respond does what an answer of an allowed type asks for.
func (s *restAPI) respond(i *interaction, kind int, data node, files []File) (state string, err error) {
	if err := s.checkTarget(i, kind); err != nil {
		return "", err
	}
	switch kind {
	case CallbackMessage:
		p, err := s.newMessage(data, files, i.ChannelID, responseFlags)
		if err != nil {
			return "", err
		}
		if err := s.postResponse(i, p); err != nil {
			return "", err
		}
		return StateAnswered, nil
	case CallbackDeferMessage:
		if !data.isObject() {
			return "", data.err()
		}
		// Only the ephemeral flag counts: the one for components v2 comes
		// with the edit (discord-api-docs #7515).
		flags := int(data.field("flags").integer(0, 1<<31-1)) & FlagEphemeral
		if err := data.err(); err != nil {
			return "", err
		}
		p := &post{created: s.now(), deferral: true, msg: Message{
			ChannelID: i.ChannelID, Author: s.BotUser(), Flags: flags | FlagLoading, Timestamp: stamp(s.now()),
			Embeds: []Embed{}, Components: []Component{}, Mentions: []UserObject{}, MentionRoles: []string{},
		}}
		if err := s.postResponse(i, p); err != nil {
			return "", err
		}
		return StateDeferred, nil
	case CallbackModal:
		m, err := readModal(data)
		if err != nil {
			return "", err
		}
		i.modal = m
		return StateAnswered, nil
	case CallbackDeferUpdate:
		i.original, i.MessageID = i.source, i.source.msg.ID
		return StateAnswered, nil
	case CallbackUpdate:
		if err := s.applyEdit(i.source, data, files, dropFiles); err != nil {
			return "", err
		}
		i.original, i.MessageID = i.source, i.source.msg.ID
		s.announceEdit(i.source)
		return StateAnswered, nil
	default: // CallbackAutocomplete
		if !data.isObject() {
			return "", data.err()
		}
		size := 0
		choices := readChoices(data.field("choices"), i.focused.Type, &size)
		if err := data.err(); err != nil {
			return "", err
		}
		i.Choices = choices
		return StateAnswered, nil
	}
}

// reachable says whether what an answer writes to is still there.
func (s *restAPI) checkTarget(i *interaction, kind int) error {
	switch {
	case kind == CallbackAutocomplete, kind == CallbackDeferUpdate, kind == CallbackModal: // these write nothing
		return nil
	case s.channels[i.ChannelID] == nil:
		return errUnknownChannel
	case kind == CallbackUpdate && s.findMessage(i.source.msg.ChannelID, i.source.msg.ID) != i.source:
		return errUnknownMessage
	}
	return nil
}

// answerWith publishes a message as the original response. The answer to a
// component replies to the message that the component is on.
func (s *restAPI) postResponse(i *interaction, p *post) error {
	s.setMetadata(i, &p.msg)
	if err := s.applyVisibility(i, p); err != nil {
		return err
	}
	switch {
	case i.commandType == CommandChatInput:
		p.msg.Type = MessageChatInputCommand
	case i.commandType != 0:
		if i.target != nil {
			s.replyTo(&p.msg, i.target)
		}
		p.msg.Type = MessageContextMenuCommand
	case i.source != nil:
		s.replyTo(&p.msg, i.source)
	}
	i.original = p
	s.publish(p)
	i.MessageID = p.msg.ID
	return nil
}

// address makes an answer private if it is to be, and wakes the thread that
// it goes to otherwise.
func (s *restAPI) applyVisibility(i *interaction, p *post) error {
	if s.forcedEphemeral(i) {
		p.msg.Flags |= FlagEphemeral
	}
	if p.msg.Flags&FlagEphemeral != 0 {
		p.viewer = i.UserID
		return nil
	}
	if i.channel.thread != nil && i.channel.thread.locked {
		return nil // interactions are answered whatever the bot may
	}
	return s.unarchive(i.channel, s.world.Application.ID)
}

// replyTo makes a message a reply to another.
func (s *restAPI) replyTo(m *Message, to *post) {
	m.Type = MessageReply
	m.MessageReference = &MessageReference{ChannelID: to.msg.ChannelID, MessageID: to.msg.ID}
	if at := s.channels[to.msg.ChannelID]; at != nil {
		m.MessageReference.GuildID = at.guildID()
	}
	ref := to.pageView()
	ref.ReferencedMessage = nil
	m.ReferencedMessage = &ref
}

// callbackResponse is the answer to with_response=true.
func (s *restAPI) callbackResponse(i *interaction, kind int) map[string]any {
	about := map[string]any{"id": i.ID, "type": i.interactionType, "channel_id": i.ChannelID}
	if i.channel.guild != nil {
		about["guild_id"] = i.channel.guild.ID
	}
	out := map[string]any{"interaction": about}
	if i.original == nil {
		return out
	}
	about["response_message_id"] = i.original.msg.ID
	about["response_message_loading"] = i.original.deferral
	about["response_message_ephemeral"] = i.original.viewer != ""
	if kind == CallbackMessage || kind == CallbackUpdate { // "only present if" one of these two
		out["resource"] = map[string]any{"type": kind, "message": i.original.botView()}
	}
	return out
}
