package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// errNotInstalled is what a person meets who wants something of a bot that was
// removed.
var errNotInstalled = errors.New("the application is not in this server any more")

// worldChanged tells every page to load what it shows anew.
func (s *Model) worldChanged() {
	s.emitAll(map[string]any{"type": "world"})
	s.wake()
}

// Remove deletes a message as a moderator would. It fails if there is none.
func (s *Model) Remove(channelID, messageID string) error {
	s.Lock()
	defer s.Unlock()
	p := s.findMessage(channelID, messageID)
	if p == nil {
		return fmt.Errorf("there is no message %s in the channel", messageID)
	}
	s.removeMessage(p)
	return nil
}

// RemoveChannel deletes a channel or thread with all its messages, for good. It
// fails if there is none.
func (s *Model) RemoveChannel(channelID string) error {
	s.Lock()
	defer s.Unlock()
	p := s.channels[channelID]
	switch {
	case p == nil || p.Type == ChannelDM:
		return fmt.Errorf("there is no channel %q", channelID)
	case p.thread != nil:
		s.removeThread(p)
		return nil
	}
	object := s.channelObject(p)
	for _, t := range s.threadsOf(func(t *place) bool { return t.thread.parent == p }) {
		s.dropChannel(t)
	}
	s.dropChannel(p)
	p.guild.channels = slices.DeleteFunc(p.guild.channels, func(x *place) bool { return x == p })
	s.dispatch(p.guild, intentGuilds, "CHANNEL_DELETE", object)
	s.worldChanged()
	return nil
}

// dropPlace lets go of a channel or thread and of its messages.
func (s *Model) dropChannel(p *place) {
	for _, m := range s.messages[p.ID] {
		s.discard(m)
	}
	delete(s.messages, p.ID)
	delete(s.channels, p.ID)
}

// RemoveBotFrom removes the bot from a server, as its owner may: its commands
// are gone, and the server is out of its reach. Tokens of interactions that
// it was given before still work. It fails if the bot is not there.
func (s *Model) RemoveBotFrom(guildID string) error {
	s.Lock()
	defer s.Unlock()
	g := s.guildByID(cmp.Or(guildID, s.world.Guild.ID))
	switch {
	case g == nil:
		return fmt.Errorf("there is no server %q", guildID)
	case !g.hasBot:
		return errNotInstalled
	}
	// "If the unavailable field is not set, the user was removed from the
	// guild" (Guild Delete).
	s.dispatch(g, intentGuilds, "GUILD_DELETE", map[string]any{"id": g.ID})
	g.hasBot = false
	s.worldChanged()
	return nil
}

// AddBotTo adds the bot to a server. It fails if the bot is there.
func (s *Model) AddBotTo(guildID string) error {
	s.Lock()
	defer s.Unlock()
	g := s.guildByID(cmp.Or(guildID, s.world.Guild.ID))
	switch {
	case g == nil:
		return fmt.Errorf("there is no server %q", guildID)
	case g.hasBot:
		return errors.New("the application is in this server already")
	}
	g.hasBot = true
	s.dispatchEach(g, intentGuilds, "GUILD_CREATE", func(se *Session) any { return s.guildCreate(g, se.Intents) })
	s.worldChanged()
	return nil
}

// forget lets go of what hangs on a message that is deleted: its files, and
// the interaction that it was the thinking of.
func (s *Model) discard(p *post) {
	for _, f := range p.files {
		delete(s.files, f.ID)
	}
	if !p.deferral {
		return
	}
	for _, i := range s.interactions {
		if i.original == p && i.State == StateDeferred {
			s.setState(i, StateAnswered)
		}
	}
}

// messageNeeds is what it takes to create a message with what a request holds
// ("Create Message"): attach files for files, embed links for embeds.
func messageNeeds(form node, files []File) int64 {
	needs := int64(PermissionSendMessages)
	if len(files) > 0 {
		needs |= PermissionAttachFiles
	}
	if embeds, ok := form.field("embeds").value.([]any); ok && len(embeds) > 0 {
		needs |= PermissionEmbedLinks
	}
	return needs
}

func (s *restAPI) getChannel(c *call) (int, any, error) {
	if err := s.botMay(c.param("channel_id"), 0); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.channelObject(s.channels[c.param("channel_id")]), nil
}

// visible lists a channel's messages that everybody in it sees.
func publicMessages(list []*post) []*post {
	return slices.DeleteFunc(slices.Clone(list), func(p *post) bool { return p.viewer != "" })
}
