package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// errNotInstalled is what a person meets who wants something of a bot that was
// removed.
var errNotInstalled = errors.New("the application is not in this server any more")

// worldChanged tells every page to load what it shows anew.
func (s *Sandbox) worldChanged() {
	s.emitAll(map[string]any{"type": "world"})
	s.touch()
}

// Remove deletes a message as a moderator would. It fails if there is none.
func (s *Sandbox) Remove(channelID, messageID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.find(channelID, messageID)
	if p == nil {
		return fmt.Errorf("there is no message %s in the channel", messageID)
	}
	s.remove(p)
	return nil
}

// RemoveChannel deletes a channel with all its messages, for good. It fails if
// there is none.
func (s *Sandbox) RemoveChannel(channelID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	object, ok := s.channelObject(channelID)
	if !ok {
		return fmt.Errorf("there is no channel %q", channelID)
	}
	for _, p := range s.posts[channelID] {
		s.forget(p)
	}
	delete(s.posts, channelID)
	s.gone[channelID] = true
	s.dispatch(intentGuilds, "CHANNEL_DELETE", object)
	s.worldChanged()
	return nil
}

// RemoveBot removes the bot from the server, as its owner may: its commands
// are gone, and the server is out of its reach. Tokens of interactions that
// it was given before still work. It fails if the bot is not there.
func (s *Sandbox) RemoveBot() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.removed {
		return errNotInstalled
	}
	// "If the unavailable field is not set, the user was removed from the
	// guild" (Guild Delete).
	s.dispatch(intentGuilds, "GUILD_DELETE", map[string]any{"id": s.world.Guild.ID})
	s.removed = true
	s.worldChanged()
	return nil
}

// AddBot adds the bot to the server again. It fails if the bot is there.
func (s *Sandbox) AddBot() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.removed {
		return errors.New("the application is in this server already")
	}
	s.removed = false
	s.dispatchEach(intentGuilds, "GUILD_CREATE", func(se *session) any { return s.guildCreate(se.intents) })
	s.worldChanged()
	return nil
}

// forget lets go of what hangs on a message that is deleted: its files, and
// the interaction that it was the thinking of.
func (s *Sandbox) forget(p *post) {
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

// inGuild checks a route of a guild: 10004 for a guild that there is not,
// 50001 for one that the bot was removed from.
func (s *Sandbox) inGuild(guildID string) error {
	switch {
	case guildID != s.world.Guild.ID:
		return errUnknownGuild
	case s.removed:
		return errMissingAccess
	}
	return nil
}

// messageNeeds is what it takes to create a message with what a request holds
// ("Create Message"): attach files for files, embed links for embeds.
func messageNeeds(form node, files []File) int64 {
	needs := int64(PermissionSendMessages)
	if len(files) > 0 {
		needs |= PermissionAttachFiles
	}
	if embeds, ok := form.key("embeds").value.([]any); ok && len(embeds) > 0 {
		needs |= PermissionEmbedLinks
	}
	return needs
}

func (s *Sandbox) getChannel(c *call) (int, any, error) {
	if err := s.botMay(c.params["channel_id"], 0); err != nil {
		return 0, nil, err
	}
	object, _ := s.channelObject(c.params["channel_id"])
	return http.StatusOK, object, nil
}

// visible lists a channel's messages that everybody in it sees.
func visible(list []*post) []*post {
	return slices.DeleteFunc(slices.Clone(list), func(p *post) bool { return p.viewer != "" })
}
