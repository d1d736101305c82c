package rest

import (
	"net/http"
	"slices"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/payload"
)

// callback handles the first response to an interaction.
func (s *API) callback(c *call) (int, any, error) {
	i := s.InteractionByID(c.param("interaction_id"))
	if i == nil || i.Token != c.param("interaction_token") {
		return 0, nil, api.ErrUnknownInteraction
	}
	if len(i.Callbacks) > 0 {
		return 0, nil, api.ErrAlreadyAcknowledged
	}
	if i.State == model.StateFailed || s.Now().Sub(i.Created) > model.CallbackDeadline {
		return 0, nil, api.ErrUnknownInteraction
	}
	kind := c.form.Field("type").Integer()
	if allowed := i.AllowedCallbacks(); !slices.Contains(allowed, int64(kind)) {
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
	s.SetState(i, state)
	if c.query("with_response") != "true" {
		return http.StatusNoContent, nil, nil
	}
	return http.StatusOK, s.callbackResponse(i, kind), nil
}

// respond performs a response of an allowed type and returns the interaction's
// new state.
func (s *API) respond(i *model.StoredInteraction, kind int, data payload.Node, files []api.File) (state string, err error) {
	if err := s.checkTarget(i, kind); err != nil {
		return "", err
	}
	state = model.StateAnswered
	switch kind {
	case api.CallbackMessage:
		p, err := s.newMessage(data, files, i.ChannelID, responseFlags)
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
		p := s.NewMessage(i.ChannelID, api.MessageDefault, s.BotUser(), "")
		p.Deferral, p.Msg.Flags = true, flags|api.FlagLoading
		return model.StateDeferred, s.postResponse(i, p)
	case api.CallbackLaunchActivity: // "Only available for apps with Activities enabled"; the sandbox has none to show
	case api.CallbackModal:
		m, err := payload.ReadModal(data)
		if err != nil {
			return "", err
		}
		i.Modal = m
	case api.CallbackDeferUpdate, api.CallbackUpdate:
		if kind == api.CallbackUpdate {
			if err := s.applyEdit(i.Source, data, files, payload.DropFiles); err != nil {
				return "", err
			}
			s.AnnounceEdit(i.Source)
		}
		i.Original, i.MessageID = i.Source, i.Source.Msg.ID
	default: // api.CallbackAutocomplete
		size := 0
		choices := payload.ReadChoices(data.Field("choices"), i.Focused.Type, &size)
		if err := data.Err(); err != nil {
			return "", err
		}
		i.Choices = choices
	}
	return state, nil
}

// checkTarget returns an error if the channel or message that a response
// writes to is gone.
func (s *API) checkTarget(i *model.StoredInteraction, kind int) error {
	switch {
	case kind == api.CallbackAutocomplete, kind == api.CallbackDeferUpdate, kind == api.CallbackModal, kind == api.CallbackLaunchActivity: // these write no message
		return nil
	case s.Channels[i.ChannelID] == nil:
		return api.ErrUnknownChannel
	case kind == api.CallbackUpdate && s.FindMessage(i.Source.Msg.ChannelID, i.Source.Msg.ID) != i.Source:
		return api.ErrUnknownMessage
	}
	return nil
}

// postResponse publishes a message as the original response. The response to a
// component replies to the component's message.
func (s *API) postResponse(i *model.StoredInteraction, m *model.StoredMessage) error {
	s.SetMetadata(i, &m.Msg)
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
	s.Publish(m)
	i.MessageID = m.Msg.ID
	return nil
}

// applyVisibility makes a response ephemeral if it must be, and otherwise
// unarchives its thread.
func (s *API) applyVisibility(i *model.StoredInteraction, m *model.StoredMessage) error {
	if s.ForcedEphemeral(i) {
		m.Msg.Flags |= api.FlagEphemeral
	}
	if m.Msg.Flags&api.FlagEphemeral != 0 {
		m.Viewer = i.UserID
		return nil
	}
	if i.Channel.Thread != nil && i.Channel.Thread.Locked {
		return nil // responses need no permissions
	}
	return s.Unarchive(i.Channel, s.World.Application.ID)
}

// callbackResponse returns the body for with_response=true.
func (s *API) callbackResponse(i *model.StoredInteraction, kind int) map[string]any {
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
		out["resource"] = map[string]any{"type": kind, "message": i.Original.BotView()}
	}
	return out
}

// byToken returns the interaction of a webhook route. Its token is valid from
// the first response on, for fifteen minutes.
func (s *API) byToken(c *call) (*model.StoredInteraction, error) {
	i := s.InteractionByToken(c.param("webhook_token"))
	if c.param("webhook_id") != s.World.Application.ID || i == nil || len(i.Callbacks) == 0 || i.InteractionType == api.InteractionAutocomplete {
		return nil, api.ErrUnknownWebhook
	}
	if s.Expired(i) {
		return nil, api.ErrInvalidToken
	}
	return i, nil
}

// responseMessage returns a response to an interaction: @original, for which
// the id may be "", or a follow-up. It returns nil if there is none.
func (s *API) responseMessage(i *model.StoredInteraction, id string) *model.StoredMessage {
	for _, m := range append([]*model.StoredMessage{i.Original}, i.FollowUps...) {
		if m != nil && (m.Msg.ID == id || id == "" && m == i.Original) && s.FindMessage(m.Msg.ChannelID, m.Msg.ID) != nil {
			return m
		}
	}
	return nil
}

// followUp posts a follow-up. The first one after a deferral edits the
// deferral, whatever its flags, and notifies nobody (discord-api-docs #5497).
func (s *API) followUp(c *call) (int, any, error) {
	i, original := c.interaction, s.responseMessage(c.interaction, "")
	if original != nil && original.Deferral {
		c.message = original
		return s.editResponse(c)
	}
	if s.Channels[i.ChannelID] == nil {
		return 0, nil, api.ErrUnknownChannel
	}
	if i.UserInstallOnly() && i.FollowUpCount >= model.MaxUserInstallFollowUps {
		return 0, nil, api.ErrTooManyFollowUps
	}
	m, err := s.newMessage(c.form, c.files, i.ChannelID, responseFlags)
	if err != nil {
		return 0, nil, err
	}
	s.SetMetadata(i, &m.Msg)
	m.Msg.Interaction = nil
	if err := s.applyVisibility(i, m); err != nil {
		return 0, nil, err
	}
	if original != nil {
		s.replyTo(&m.Msg, original)
		m.Msg.InteractionMetadata.OriginalResponseMessageID = original.Msg.ID
	}
	s.Publish(m)
	i.FollowUps = append(i.FollowUps, m)
	i.FollowUpCount++
	return http.StatusOK, m.BotView(), nil
}

func (s *API) getResponse(c *call) (int, any, error) {
	return http.StatusOK, c.message.BotView(), nil
}

func (s *API) editResponse(c *call) (int, any, error) {
	m, deferral := c.message, c.message.Deferral
	if ch := s.Channels[m.Msg.ChannelID]; s.Strict && m.Viewer == "" && ch != nil && ch.Thread != nil && ch.Thread.Archived {
		return 0, nil, api.ErrThreadArchived
	}
	if err := s.applyEdit(m, c.form, c.files, filePolicyFor(c.version)); err != nil {
		return 0, nil, err
	}
	s.AnnounceEdit(m)
	if deferral {
		s.SetState(c.interaction, model.StateAnswered)
	}
	return http.StatusOK, m.BotView(), nil
}

func (s *API) deleteResponse(c *call) (int, any, error) {
	i, m := c.interaction, c.message
	s.RemoveMessage(m)
	if i == nil { // of a webhook
		return http.StatusNoContent, nil, nil
	}
	i.FollowUps = slices.DeleteFunc(i.FollowUps, func(x *model.StoredMessage) bool { return x == m })
	if m == i.Original && i.State == model.StateDeferred {
		s.SetState(i, model.StateAnswered)
	}
	return http.StatusNoContent, nil, nil
}
