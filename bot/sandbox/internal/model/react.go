package model

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"castellan/bot/sandbox/internal/api"
)

// Limits of a message's reactions and of a channel's pins ("JSON Error Codes").
const (
	maxReactions = 20
	maxPins      = 250
)

// reaction is an emoji below a message, with the users who have added it.
type reaction struct {
	emoji string
	users []string
}

// IsEmoji reports whether a reaction can be made with a text: a Unicode emoji.
// The sandbox has no custom ones.
func IsEmoji(text string) bool {
	return len(text) <= 64 && strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f }) && !strings.Contains(text, ":")
}

// reactionObjects returns the reactions in Discord's shape, as the bot sees
// them, for the page with the users.
func (m *StoredMessage) reactionObjects(withUsers bool) []any {
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

// ReactedBy lists the users who have reacted with an emoji.
func (m *StoredMessage) ReactedBy(emoji string) []string {
	for _, r := range m.reactions {
		if r.emoji == emoji {
			return r.users
		}
	}
	return nil
}

// React adds a user's reaction. Somebody else's emoji can be used without
// permission to add reactions ("Create Reaction").
func (s *Model) React(m *StoredMessage, userID, emoji string) error {
	i := slices.IndexFunc(m.reactions, func(r reaction) bool { return r.emoji == emoji })
	switch {
	case i < 0 && !s.May(m.Msg.ChannelID, userID, api.PermissionAddReactions):
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

// Unreact removes a user's reaction, if there is one.
func (s *Model) Unreact(m *StoredMessage, userID, emoji string) {
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

// ClearReactions removes all reactions with an emoji; "" is any.
func (s *Model) ClearReactions(m *StoredMessage, emoji string) {
	m.reactions = slices.DeleteFunc(m.reactions, func(r reaction) bool { return emoji == "" || r.emoji == emoji })
	kind := "MESSAGE_REACTION_REMOVE_EMOJI"
	if emoji == "" {
		kind = "MESSAGE_REACTION_REMOVE_ALL"
	}
	s.announceReaction(m, kind, "", emoji)
}

// announceReaction sends a reaction's event to the bot, and the message to the
// pages.
func (s *Model) announceReaction(m *StoredMessage, kind, userID, emoji string) {
	data := map[string]any{"message_author_id": m.Msg.Author.ID, "burst": false, "type": 0}
	if kind == "MESSAGE_REACTION_ADD" {
		if ch := s.Channels[m.Msg.ChannelID]; ch != nil && ch.Guild != nil {
			data["member"] = s.Member(ch.Guild, userID, true)
		}
	} else {
		delete(data, "message_author_id")
	}
	if userID == "" {
		data = map[string]any{}
	}
	if emoji != "" {
		data["emoji"] = map[string]any{"id": nil, "name": emoji}
	}
	s.dispatchAbout(m, kind, userID, api.IntentReactions, api.IntentDirectReactions, data)
	s.emitMessage(m)
}

// dispatchAbout sends an event about a message and a user, "" for none, to the
// bot if it can see the channel.
func (s *Model) dispatchAbout(m *StoredMessage, kind, userID string, guildIntent, directIntent int, data map[string]any) {
	ch := s.Channels[m.Msg.ChannelID]
	if ch == nil || m.Viewer != "" || !s.May(ch.ID, s.World.Application.ID, 0) {
		return
	}
	maps.Copy(data, map[string]any{"channel_id": ch.ID, "message_id": m.Msg.ID})
	if userID != "" {
		data["user_id"] = userID
	}
	intent := directIntent
	if ch.Guild != nil {
		intent = guildIntent
		data["guild_id"] = ch.Guild.ID
	}
	s.dispatch(ch.Guild, intent, kind, data)
	s.wake()
}

// Pins lists a channel's pinned messages, the latest pinned first.
func (s *Model) Pins(channelID string) []*StoredMessage {
	pins := slices.DeleteFunc(slices.Clone(s.Messages[channelID]), func(m *StoredMessage) bool { return !m.Msg.Pinned })
	slices.SortStableFunc(pins, func(a, b *StoredMessage) int { return b.PinnedAt.Compare(a.PinnedAt) })
	return pins
}

// SetPinned pins or unpins a message. A system message tells the channel of a
// pin ("Pin Message").
func (s *Model) SetPinned(m *StoredMessage, pinned bool, by string) error {
	if m.Msg.Pinned == pinned {
		return nil
	}
	if pinned && len(s.Pins(m.Msg.ChannelID)) >= maxPins {
		return api.ErrTooManyPins
	}
	m.Msg.Pinned, m.PinnedAt = pinned, s.Now()
	s.AnnounceEdit(m)
	ch := s.Channels[m.Msg.ChannelID]
	data := map[string]any{"channel_id": ch.ID, "last_pin_timestamp": s.lastPin(ch.ID)}
	intent := api.IntentDirectMessages
	if ch.Guild != nil {
		intent = api.IntentGuilds
		data["guild_id"] = ch.Guild.ID
	}
	s.dispatch(ch.Guild, intent, "CHANNEL_PINS_UPDATE", data)
	if pinned {
		author, _ := s.UserByID(by)
		note := s.NewMessage(ch.ID, api.MessagePinned, author, "")
		s.SetReference(&note.Msg, m)
		note.Msg.ReferencedMessage = nil
		s.Publish(note)
	}
	return nil
}

// lastPin returns when the latest pin was made, nil if there is none.
func (s *Model) lastPin(channelID string) any {
	if pins := s.Pins(channelID); len(pins) > 0 {
		return api.FormatTime(pins[0].PinnedAt)
	}
	return nil
}

// pollView returns a poll with its results.
func (m *StoredMessage) pollView(me string, now time.Time) *api.Poll {
	if m.Msg.Poll == nil {
		return nil
	}
	p := *m.Msg.Poll
	p.Results = api.PollResults{Finalized: m.pollEnded(now), Counts: []api.PollCount{}}
	for _, a := range p.Answers {
		if voters := m.Votes[a.ID]; len(voters) > 0 {
			p.Results.Counts = append(p.Results.Counts, api.PollCount{ID: a.ID, Count: len(voters), Me: slices.Contains(voters, me)})
		}
	}
	return &p
}

func (m *StoredMessage) pollEnded(now time.Time) bool {
	end, err := time.Parse(time.RFC3339, m.Msg.Poll.Expiry)
	return err != nil || !now.Before(end)
}

// EndPoll ends a poll at once ("End Poll").
func (s *Model) EndPoll(m *StoredMessage) {
	p := *m.Msg.Poll
	p.Expiry = api.FormatTime(s.Now())
	m.Msg.Poll = &p
	s.AnnounceEdit(m)
}

// vote sets a user's answers to a poll.
func (s *Model) vote(m *StoredMessage, userID string, answers []int) error {
	switch {
	case m.Msg.Poll == nil:
		return errors.New("this message has no poll")
	case m.pollEnded(s.Now()):
		return errors.New("this poll has ended")
	case len(answers) > 1 && !m.Msg.Poll.Multiple:
		return errors.New("this poll takes one answer")
	}
	for _, id := range answers {
		if !slices.ContainsFunc(m.Msg.Poll.Answers, func(a api.PollAnswer) bool { return a.ID == id }) {
			return errors.New("the poll has no such answer")
		}
	}
	if m.Votes == nil {
		m.Votes = map[int][]string{}
	}
	for _, a := range m.Msg.Poll.Answers {
		had, has := slices.Contains(m.Votes[a.ID], userID), slices.Contains(answers, a.ID)
		switch {
		case had == has:
			continue
		case has:
			m.Votes[a.ID] = append(slices.Clone(m.Votes[a.ID]), userID)
			s.dispatchAbout(m, "MESSAGE_POLL_VOTE_ADD", userID, api.IntentPolls, api.IntentDirectPolls, map[string]any{"answer_id": a.ID})
		default:
			m.Votes[a.ID] = slices.DeleteFunc(slices.Clone(m.Votes[a.ID]), func(u string) bool { return u == userID })
			s.dispatchAbout(m, "MESSAGE_POLL_VOTE_REMOVE", userID, api.IntentPolls, api.IntentDirectPolls, map[string]any{"answer_id": a.ID})
		}
	}
	s.emitMessage(m)
	return nil
}

// message finds a message that the person sees and calls f with it.
func (p *Person) message(channelID, messageID string, f func(*StoredMessage) error) error {
	s := p.s
	s.Lock()
	defer s.Unlock()
	if err := p.Exists(); err != nil {
		return err
	}
	m := s.FindMessage(channelID, messageID)
	if m == nil || m.Viewer != "" || !s.May(channelID, p.id, 0) {
		return errors.New("this message is gone")
	}
	return f(m)
}

// React adds a reaction to a message, or removes it if the person has added it.
func (p *Person) React(channelID, messageID, emoji string) error {
	return p.message(channelID, messageID, func(m *StoredMessage) error {
		if !IsEmoji(emoji) {
			return errors.New("this is not an emoji")
		}
		if slices.Contains(m.ReactedBy(emoji), p.id) {
			p.s.Unreact(m, p.id, emoji)
			return nil
		}
		return p.s.React(m, p.id, emoji)
	})
}

// Vote sets the person's answers to a poll, by their ids; none takes them back.
func (p *Person) Vote(channelID, messageID string, answers ...int) error {
	return p.message(channelID, messageID, func(m *StoredMessage) error { return p.s.vote(m, p.id, answers) })
}
