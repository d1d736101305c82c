package sandbox

import (
	"net/http"
	"slices"
)

// byToken finds the interaction of a webhook route. Its token works from the
// first answer on, for fifteen minutes.
func (s *restAPI) byToken(c *call) (*interaction, error) {
	i := s.interactionByToken(c.param("webhook_token"))
	if c.param("webhook_id") != s.world.Application.ID || i == nil || len(i.Callbacks) == 0 || i.interactionType == interactionAutocomplete {
		return nil, errUnknownWebhook
	}
	if s.expired(i) {
		return nil, errInvalidToken
	}
	return i, nil
}

// responsePost finds @original or one of the interaction's follow-ups.
func (s *restAPI) responsePost(c *call) (*interaction, *post, error) {
	i, err := s.byToken(c)
	if err != nil {
		return nil, nil, err
	}
	id := c.param("message_id") // "" for @original
	if i.original != nil && (id == "" || i.original.msg.ID == id) && s.findMessage(i.original.msg.ChannelID, i.original.msg.ID) != nil {
		return i, i.original, nil
	}
	for _, p := range i.followUps {
		if p.msg.ID == id && s.findMessage(p.msg.ChannelID, id) != nil {
			return i, p, nil
		}
	}
	return nil, nil, errUnknownMessage
}

// followUp posts a further message. The first one after a deferral is the edit
// of the deferral, whatever flags it carries, and notifies nobody
// (discord-api-docs #5497).
func (s *restAPI) followUp(c *call) (int, any, error) {
	i, err := s.byToken(c)
	if err != nil {
		return 0, nil, err
	}
	if i.original != nil && i.original.deferral && s.findMessage(i.original.msg.ChannelID, i.original.msg.ID) != nil {
		return s.amendResponse(c, i, i.original)
	}
	if s.channels[i.ChannelID] == nil {
		return 0, nil, errUnknownChannel
	}
	if i.userInstallOnly() && i.followUpCount >= maxUserInstallFollowUps {
		return 0, nil, errTooManyFollowUps
	}
	p, err := s.newMessage(c.form, c.files, i.ChannelID, responseFlags)
	if err != nil {
		return 0, nil, err
	}
	s.setMetadata(i, &p.msg)
	p.msg.Interaction = nil
	if err := s.applyVisibility(i, p); err != nil {
		return 0, nil, err
	}
	if i.original != nil && s.findMessage(i.original.msg.ChannelID, i.original.msg.ID) != nil {
		s.replyTo(&p.msg, i.original)
		p.msg.InteractionMetadata.OriginalResponseMessageID = i.original.msg.ID
	}
	s.publish(p)
	i.followUps = append(i.followUps, p)
	i.followUpCount++
	return http.StatusOK, p.botView(), nil
}

func (s *restAPI) getResponse(c *call) (int, any, error) {
	_, p, err := s.responsePost(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, p.botView(), nil
}

func (s *restAPI) editResponse(c *call) (int, any, error) {
	i, p, err := s.responsePost(c)
	if err != nil {
		return 0, nil, err
	}
	return s.amendResponse(c, i, p)
}

func (s *restAPI) amendResponse(c *call, i *interaction, p *post) (int, any, error) {
	deferral := p.deferral
	if err := s.applyEdit(p, c.form, c.files, filePolicyFor(c.version)); err != nil {
		return 0, nil, err
	}
	s.announceEdit(p)
	if deferral {
		s.setState(i, StateAnswered)
	}
	return http.StatusOK, p.botView(), nil
}

func (s *restAPI) deleteResponse(c *call) (int, any, error) {
	i, p, err := s.responsePost(c)
	if err != nil {
		return 0, nil, err
	}
	s.removeMessage(p)
	i.followUps = slices.DeleteFunc(i.followUps, func(x *post) bool { return x == p })
	if p == i.original && i.State == StateDeferred {
		s.setState(i, StateAnswered)
	}
	return http.StatusNoContent, nil, nil
}

// ruleFor is what an edit does to the files that it does not name.
func filePolicyFor(version int) filePolicy {
	if version >= 10 {
		return replaceByUploads
	}
	return keepFiles
}
