package model

import (
	"regexp"
	"slices"
	"strings"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/payload"
)

// unreadState is what a user has not read in a channel.
type unreadState struct {
	notifications int  // in total
	Mentions      int  // notifications since the channel was last read
	Unread        bool // anything new since then
}

var (
	userMention = regexp.MustCompile(`<@!?(\d{1,20})>`)
	everyone    = regexp.MustCompile(`@(everyone|here)\b`)
	codeBlock   = regexp.MustCompile("(?s)```.*?```")
	codeSpan    = regexp.MustCompile("(?s)``.+?``|`[^`]+`")
)

// mentionsIn returns the users that a text mentions and whether it mentions
// everyone. Mentions in code do not count.
func mentionsIn(text string) (users []string, all bool) {
	text = codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, " "), " ")
	for _, m := range userMention.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(users, m[1]) {
			users = append(users, m[1])
		}
	}
	return users, everyone.MatchString(text)
}

// mentionText returns the text of a message in which mentions count: its
// content and its text displays, but not its embeds.
func mentionText(m *api.Message) string {
	parts := []string{m.Content}
	api.WalkAll(m.Components, func(c api.Component) {
		if c.Type == api.ComponentTextDisplay {
			parts = append(parts, c.Content)
		}
	})
	return strings.Join(parts, "\n")
}

// SetMentions sets a message's mentions: those in its text and the author of
// the message that it replies to, as far as they are allowed and exist.
// Mentioning everyone needs the permission.
func (s *Model) SetMentions(m *api.Message, allowed payload.AllowedMentions) {
	users, all := mentionsIn(mentionText(m))
	m.Mentions = []api.User{}
	m.MentionEveryone = all && allowed.Everyone && s.May(m.ChannelID, m.Author.ID, api.PermissionMentionEveryone)
	for _, id := range users {
		if u, ok := s.UserByID(id); ok && (allowed.ParseUsers || slices.Contains(allowed.Users, id)) {
			m.Mentions = append(m.Mentions, u)
		}
	}
	if ref := m.ReferencedMessage; ref != nil && m.Type == api.MessageReply && allowed.RepliedUser && m.InteractionMetadata == nil {
		if !slices.ContainsFunc(m.Mentions, func(u api.User) bool { return u.ID == ref.Author.ID }) {
			m.Mentions = append(m.Mentions, ref.Author)
		}
	}
}

// notify updates the unread states for a new message. Only new messages
// notify: no edit does, neither the edit of a deferral nor a response of type
// 7 (discord-api-docs #5497). A direct message notifies the other user,
// another message the users it mentions. With the flag SUPPRESS_NOTIFICATIONS
// it notifies nobody but counts as unread. A thread is unread for its members
// only.
func (s *Model) notify(p *StoredMessage) {
	ch := s.Channels[p.Msg.ChannelID]
	if p.Viewer != "" || ch == nil {
		return
	}
	for _, u := range s.World.Users {
		if u.ID == p.Msg.Author.ID || !s.May(ch.ID, u.ID, 0) {
			continue
		}
		m := s.UnreadOf(u.ID, ch.ID)
		told := p.Msg.MentionEveryone || slices.ContainsFunc(p.Msg.Mentions, func(x api.User) bool { return x.ID == u.ID })
		if ch.Thread != nil {
			if _, member := ch.Thread.Member(u.ID); !member && !told {
				continue
			}
		}
		if told || ch.Type == api.ChannelDM {
			m.Mentions++
		}
		if (told || ch.Type == api.ChannelDM) && p.Msg.Flags&api.FlagSuppressNotifications == 0 {
			m.notifications++
			s.notifications = append(s.notifications, Notification{u.ID, ch.ID, p.Msg.ID})
			if s.keep > 0 && len(s.notifications) > 2*s.maxInteractions() {
				s.notifications = slices.Clone(s.notifications[s.maxInteractions():])
			}
		}
		m.Unread = true
		s.emitUnread(u.ID, ch.ID)
	}
}

// UnreadOf returns a user's unread state of a channel.
func (s *Model) UnreadOf(userID, channelID string) *unreadState {
	key := [2]string{userID, channelID}
	m := s.unread[key]
	if m == nil {
		m = &unreadState{}
		s.unread[key] = m
	}
	return m
}
