package sandbox

import (
	"fmt"
	"net/http"
	"slices"
)

// direct finds or makes the direct messages of two users. Their id stays the same
// over restarts.
func (s *Model) direct(a, b string) *place {
	for _, p := range s.channels {
		if p.Type == ChannelDM && slices.Contains(p.recipients, a) && slices.Contains(p.recipients, b) {
			return p
		}
	}
	users := []string{a, b}
	slices.Sort(users)
	p := &place{ID: s.derivedID(users[0], "direct messages", users[1]), Type: ChannelDM, recipients: []string{a, b}}
	s.channels[p.ID] = p
	s.worldChanged()
	return p
}

// DirectMessages opens the person's direct messages with the bot and returns
// their channel. It fails for somebody who neither is in a server with the bot
// nor has it installed.
func (p *Person) DirectMessages() (channelID string, err error) {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.exists(); err != nil {
		return "", err
	}
	if !p.s.sharesGuild(p.id) && !p.s.installed[p.id] {
		return "", fmt.Errorf("you share no server with %s and have not installed it", p.s.world.Application.Name)
	}
	return p.s.direct(p.id, p.s.world.Application.ID).ID, nil
}

// DirectMessagesWith opens the person's direct messages with another one and
// returns their channel, which the bot cannot see.
func (p *Person) DirectMessagesWith(userID string) (channelID string, err error) {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.exists(); err != nil {
		return "", err
	}
	if _, ok := p.s.user(userID); !ok || userID == p.id {
		return "", fmt.Errorf("there is no user %q to write to", userID)
	}
	return p.s.direct(p.id, userID).ID, nil
}

// CloseMessages sets whether nobody may write to the person directly.
func (p *Person) CloseMessages(closed bool) error {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.exists(); err != nil {
		return err
	}
	p.s.dmsClosed[p.id] = closed
	p.s.worldChanged()
	return nil
}

// openDirect is POST /users/@me/channels: it makes the channel or finds it.
func (s *restAPI) openDirect(c *call) (int, any, error) {
	if !c.form.isObject() || !c.form.field("recipient_id").required() {
		return 0, nil, c.form.err()
	}
	id := c.form.field("recipient_id").snowflake()
	if err := c.form.err(); err != nil {
		return 0, nil, err
	}
	if _, ok := s.user(id); !ok {
		if id == s.world.Application.ID {
			return 0, nil, errCannotMessage
		}
		return 0, nil, errInvalidRecipient
	}
	return http.StatusOK, s.channelObject(s.direct(id, s.world.Application.ID)), nil
}

// reachesRecipient checks that the bot may write to the person of a direct
// channel: who closed theirs, or neither shares a server with the bot nor has
// it installed, is out of its reach (50007).
func (s *restAPI) checkRecipient(p *place) error {
	if p.Type != ChannelDM {
		return nil
	}
	for _, id := range p.recipients {
		if id == s.world.Application.ID {
			continue
		}
		if s.dmsClosed[id] || !s.sharesGuild(id) && !s.installed[id] {
			return errCannotMessage
		}
	}
	return nil
}
