package sandbox

import (
	"net/http"
	"slices"

	"castellan/bot/sandbox/api"
)

func (s *Sandbox) callback(c *call) (int, any, error) {
	i := s.interactions[c.param("interaction_id")]
	if i == nil || i.Token != c.param("interaction_token") {
		return 0, nil, api.ErrUnknownInteraction
	}
	if len(i.Callbacks) > 0 {
		return 0, nil, api.ErrAlreadyAcknowledged
	}
	if i.State == StateFailed || s.o.Now().Sub(i.Created) > callbackDeadline {
		return 0, nil, api.ErrUnknownInteraction
	}
	kind := c.form.Field("type").Integer()
	if allowed := i.allowedCallbacks(); !slices.Contains(allowed, int64(kind)) {
		c.form.Field("type").NotOneOf(allowed)
	}
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	data := c.form.Field("data")
	state, err := s.respond(i, kind, data, c.files)
	if err != nil {
		return 0, nil, err
	}
	i.Callbacks = append(i.Callbacks, kind)
	s.setState(i, state)
	if !c.flag("with_response") {
		return http.StatusNoContent, nil, nil
	}
	return http.StatusOK, s.callbackResponse(i, kind), nil
}

// respond performs a response of an allowed type and returns the interaction's
// new state.
func (s *Sandbox) respond(i *storedInteraction, kind int, data api.Node, files []api.File) (state string, err error) {
	if err := s.checkTarget(i, kind); err != nil {
		return "", err
	}
	state = StateAnswered
	switch kind {
	case api.CallbackMessage:
		p, err := s.readMessage(data, files, i.ChannelID, responseFlags)
		if err != nil {
			return "", err
		}
		return state, s.postResponse(i, p)
	case api.CallbackDeferMessage:
		// Only the ephemeral flag counts; the one for components v2 comes
		// with the edit (discord-api-docs #7515).
		flags := data.Field("flags").Integer() & api.FlagEphemeral
		if err := data.Err(); err != nil {
			return "", err
		}
		p := s.emptyMessage(i.ChannelID, api.MessageDefault, s.botUser(), "")
		p.Deferral, p.Msg.Flags = true, flags|api.FlagLoading
		return StateDeferred, s.postResponse(i, p)
	case api.CallbackLaunchActivity: // "Only available for apps with Activities enabled"; the sandbox has none to show
	case api.CallbackModal:
		m, err := api.ReadModal(data)
		if err != nil {
			return "", err
		}
		i.Modal = m
	case api.CallbackDeferUpdate, api.CallbackUpdate:
		if kind == api.CallbackUpdate {
			if err := s.applyEdit(i.Source, data, files, api.DropFiles); err != nil {
				return "", err
			}
			s.announceEdit(i.Source)
		}
		i.Original, i.MessageID = i.Source, i.Source.Msg.ID
	default: // api.CallbackAutocomplete
		choices := api.ReadChoices(data.Field("choices"), i.Focused.Type)
		if err := data.Err(); err != nil {
			return "", err
		}
		i.Choices = choices
	}
	return state, nil
}

func (s *Sandbox) checkTarget(i *storedInteraction, kind int) error {
	switch {
	case kind == api.CallbackAutocomplete, kind == api.CallbackDeferUpdate, kind == api.CallbackModal, kind == api.CallbackLaunchActivity: // these write no message
		return nil
	case s.channels[i.ChannelID] == nil:
		return api.ErrUnknownChannel
	case kind == api.CallbackUpdate && s.findMessage(i.Source.Msg.ChannelID, i.Source.Msg.ID) != i.Source:
		return api.ErrUnknownMessage
	}
	return nil
}

// postResponse publishes a message as the original response. The response to a
// component replies to the component's message.
func (s *Sandbox) postResponse(i *storedInteraction, m *storedMessage) error {
	s.setMetadata(i, &m.Msg)
	if err := s.applyVisibility(i, m); err != nil {
		return err
	}
	switch {
	case i.CommandType == api.CommandChatInput:
		m.Msg.Type = api.MessageChatInputCommand
	case i.CommandType != 0:
		if i.Target != nil {
			s.replyTo(&m.Msg, i.Target)
		}
		m.Msg.Type = api.MessageContextMenuCommand
	case i.Source != nil:
		s.replyTo(&m.Msg, i.Source)
	}
	i.Original = m
	s.publish(m)
	i.MessageID = m.Msg.ID
	return nil
}

// applyVisibility makes a response ephemeral if it must be, and otherwise
// unarchives its thread.
func (s *Sandbox) applyVisibility(i *storedInteraction, m *storedMessage) error {
	if s.forcedEphemeral(i) {
		m.Msg.Flags |= api.FlagEphemeral
	}
	if m.Msg.Flags&api.FlagEphemeral != 0 {
		m.Viewer = i.UserID
		return nil
	}
	if i.Channel.Thread != nil && i.Channel.Thread.Locked {
		return nil // responses need no permissions
	}
	return s.unarchive(i.Channel, s.ApplicationID())
}

func (s *Sandbox) callbackResponse(i *storedInteraction, kind int) map[string]any {
	about := map[string]any{"id": i.ID, "type": i.InteractionType, "channel_id": i.ChannelID}
	if i.Channel.Guild != nil {
		about["guild_id"] = i.Channel.Guild.ID
	}
	out := map[string]any{"interaction": about}
	if kind == api.CallbackLaunchActivity {
		about["activity_instance_id"] = "i-" + i.ID
		out["resource"] = map[string]any{"type": kind, "activity_instance": map[string]any{"id": "i-" + i.ID}}
	}
	if i.Original == nil {
		return out
	}
	about["response_message_id"] = i.Original.Msg.ID
	about["response_message_loading"] = i.Original.Deferral
	about["response_message_ephemeral"] = i.Original.Viewer != ""
	if kind == api.CallbackMessage || kind == api.CallbackUpdate { // "only present if" one of these two
		out["resource"] = map[string]any{"type": kind, "message": i.Original.botView()}
	}
	return out
}

func (s *Sandbox) byToken(c *call) (*storedInteraction, error) {
	i := s.tokens[c.param("webhook_token")]
	if c.param("webhook_id") != s.ApplicationID() || i == nil || len(i.Callbacks) == 0 || i.InteractionType == api.InteractionAutocomplete {
		return nil, api.ErrUnknownWebhook
	}
	if s.expired(i) {
		return nil, api.ErrInvalidToken
	}
	return i, nil
}

// responseMessage returns a response to an interaction: @original, for which
// the id may be "", the message whose component was used, or a follow-up. It returns
// nil if there is none.
func (s *Sandbox) responseMessage(i *storedInteraction, id string) *storedMessage {
	for _, m := range append([]*storedMessage{i.Original, i.Source}, i.FollowUps...) {
		if m != nil && (m.Msg.ID == id || id == "" && m == i.Original) && s.findMessage(m.Msg.ChannelID, m.Msg.ID) != nil {
			return m
		}
	}
	return nil
}

// followUp posts a follow-up. The first one after a deferral edits the
// deferral, whatever its flags, and notifies nobody (discord-api-docs #5497).
func (s *Sandbox) followUp(c *call) (int, any, error) {
	i, original := c.interaction, s.responseMessage(c.interaction, "")
	if original != nil && original.Deferral {
		c.message = original
		return s.editResponse(c)
	}
	if s.channels[i.ChannelID] == nil {
		return 0, nil, api.ErrUnknownChannel
	}
	if i.userInstallOnly() && i.FollowUpCount >= maxUserInstallFollowUps {
		return 0, nil, api.ErrTooManyFollowUps
	}
	m, err := s.readMessage(c.form, c.files, i.ChannelID, responseFlags)
	if err != nil {
		return 0, nil, err
	}
	s.setMetadata(i, &m.Msg)
	m.Msg.Interaction = nil
	if err := s.applyVisibility(i, m); err != nil {
		return 0, nil, err
	}
	if original != nil {
		s.replyTo(&m.Msg, original)
		m.Msg.InteractionMetadata.OriginalResponseMessageID = original.Msg.ID
	}
	s.publish(m)
	i.FollowUps = append(i.FollowUps, m)
	i.FollowUpCount++
	return http.StatusOK, m.botView(), nil
}

func (s *Sandbox) getResponse(c *call) (int, any, error) {
	return http.StatusOK, c.message.botView(), nil
}

func (s *Sandbox) editResponse(c *call) (int, any, error) {
	m, deferral := c.message, c.message.Deferral
	if ch := s.channels[m.Msg.ChannelID]; s.o.Strict && m.Viewer == "" && ch != nil && ch.Thread != nil && ch.Thread.Archived {
		return 0, nil, api.ErrThreadArchived
	}
	if err := s.applyEdit(m, c.form, c.files, filePolicyFor(c.version)); err != nil {
		return 0, nil, err
	}
	s.announceEdit(m)
	if deferral {
		s.setState(c.interaction, StateAnswered)
	}
	return http.StatusOK, m.botView(), nil
}

func (s *Sandbox) deleteResponse(c *call) (int, any, error) {
	i, m := c.interaction, c.message
	s.removeMessage(m)
	i.FollowUps = slices.DeleteFunc(i.FollowUps, func(x *storedMessage) bool { return x == m })
	if m == i.Original && i.State == StateDeferred {
		s.setState(i, StateAnswered)
	}
	return http.StatusNoContent, nil, nil
}
