package sandbox

import (
	"errors"
	"slices"

	"castellan/bot/sandbox/api"
)

// maxReactions limits the emojis of a message ("JSON Error Codes").
const maxReactions = 20

// reaction is an emoji below a message, with the users who have added it.
type reaction struct {
	emoji string
	users []string
}

// reactionObjects returns the reactions in Discord's shape, as the bot sees
// them, for the page with the users.
func (m *storedMessage) reactionObjects(withUsers bool) []any {
	var out []any
	for _, r := range m.reactions {
		object := map[string]any{
			"emoji": map[string]any{"id": nil, "name": r.emoji}, "count": len(r.users), "count_details": map[string]any{"normal": len(r.users), "burst": 0},
			"burst_colors": []string{}, "me": slices.Contains(r.users, m.bot), "me_burst": false,
		}
		if withUsers {
			object["users"] = slices.Clone(r.users)
		}
		out = append(out, object)
	}
	return out
}

func (m *storedMessage) reactedBy(emoji string) []string {
	for _, r := range m.reactions {
		if r.emoji == emoji {
			return r.users
		}
	}
	return nil
}

// React adds a user's reaction. Somebody else's emoji can be used without
// permission to add reactions ("Create Reaction").
func (s *Sandbox) react(m *storedMessage, userID, emoji string) error {
	i := slices.IndexFunc(m.reactions, func(r reaction) bool { return r.emoji == emoji })
	switch {
	case i < 0 && !s.may(m.Msg.ChannelID, userID, api.PermissionAddReactions):
		return api.ErrMissingPermissions
	case i < 0 && len(m.reactions) == maxReactions:
		return api.ErrTooManyReactions
	case i < 0:
		m.reactions = append(m.reactions, reaction{emoji: emoji})
		i = len(m.reactions) - 1
	case slices.Contains(m.reactions[i].users, userID):
		return nil
	}
	m.reactions[i].users = append(m.reactions[i].users, userID)
	s.announceReaction(m, "MESSAGE_REACTION_ADD", userID, emoji)
	return nil
}

func (s *Sandbox) unreact(m *storedMessage, userID, emoji string) {
	i := slices.IndexFunc(m.reactions, func(r reaction) bool { return r.emoji == emoji })
	if i < 0 || !slices.Contains(m.reactions[i].users, userID) {
		return
	}
	m.reactions[i].users = slices.DeleteFunc(m.reactions[i].users, func(u string) bool { return u == userID })
	if len(m.reactions[i].users) == 0 {
		m.reactions = slices.Delete(m.reactions, i, i+1)
	}
	s.announceReaction(m, "MESSAGE_REACTION_REMOVE", userID, emoji)
}

// announceReaction sends a reaction's event to the bot, if it can see the channel,
// and the message to the pages.
func (s *Sandbox) announceReaction(m *storedMessage, kind, userID, emoji string) {
	s.emitMessage(m)
	ch := s.channels[m.Msg.ChannelID]
	if ch == nil || !s.may(ch.ID, s.ApplicationID(), 0) {
		return
	}
	data := map[string]any{
		"channel_id": ch.ID, "message_id": m.Msg.ID, "user_id": userID, "emoji": map[string]any{"id": nil, "name": emoji}, "burst": false, "type": 0,
	}
	intent := api.IntentDirectReactions
	if ch.Guild != nil {
		intent = api.IntentReactions
		data["guild_id"] = ch.Guild.ID
	}
	if kind == "MESSAGE_REACTION_ADD" {
		data["message_author_id"] = m.Msg.Author.ID
		if ch.Guild != nil {
			data["member"] = s.member(ch.Guild, userID, true)
		}
	}
	s.dispatch(ch.Guild, intent, kind, data)
	s.wake()
}

// React adds a reaction to a message, or removes it if the person has added it.
func (p *Person) React(channelID, messageID, emoji string) error {
	return p.do(func(s *Sandbox) error {
		m := s.findMessage(channelID, messageID)
		switch {
		case m == nil || m.Viewer != "" || !s.may(channelID, p.id, 0):
			return errGone
		case !api.IsEmoji(emoji):
			return errors.New("this is not an emoji")
		case slices.Contains(m.reactedBy(emoji), p.id):
			s.unreact(m, p.id, emoji)
			return nil
		}
		return s.react(m, p.id, emoji)
	})
}
