package model

import (
	"regexp"
	"slices"
	"strings"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/payload"
)

var (
	userMention = regexp.MustCompile(`<@!?(\d{1,20})>`)
	everyone    = regexp.MustCompile(`@(everyone|here)\b`)
	codeBlock   = regexp.MustCompile("(?s)```.*?```")
	codeSpan    = regexp.MustCompile("(?s)``.+?``|`[^`]+`")
)

// named lists the users whom a text mentions and whether it mentions
// everyone; what stands in code is not a mention.
func mentionsIn(text string) (users []string, all bool) {
	text = codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, " "), " ")
	for _, m := range userMention.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(users, m[1]) {
			users = append(users, m[1])
		}
	}
	return users, everyone.MatchString(text)
}

// mentionText is all text of a message in which a mention counts: its content
// and its text displays; embeds never mention.
func mentionText(m *api.Message) string {
	parts := []string{m.Content}
	api.WalkAll(m.Components, func(c api.Component) {
		if c.Type == api.ComponentTextDisplay {
			parts = append(parts, c.Content)
		}
	})
	return strings.Join(parts, "\n")
}

// mark writes a message's mentions: those of its text, and the author of the
// message that it replies to, as far as they are allowed and exist. Everyone is
// mentioned by those alone who may.
func (s *Model) SetMentions(m *api.Message, allowed payload.AllowedMentions) {
	users, all := mentionsIn(mentionText(m))
	m.Mentions = []api.User{}
	m.MentionEveryone = all && allowed.Everyone && s.May(m.ChannelID, m.Author.ID, api.PermissionMentionEveryone)
	for _, id := range users {
		if u, ok := s.UserObject(id); ok && (allowed.ParseUsers || slices.Contains(allowed.Users, id)) {
			m.Mentions = append(m.Mentions, u)
		}
	}
	if ref := m.ReferencedMessage; ref != nil && m.Type == api.MessageReply && allowed.RepliedUser && m.InteractionMetadata == nil {
		if !slices.ContainsFunc(m.Mentions, func(u api.User) bool { return u.ID == ref.Author.ID }) {
			m.Mentions = append(m.Mentions, ref.Author)
		}
	}
}

// marks is what one user has to see in one channel.
type unreadState struct {
	notifications int  // notifications ever
	Mentions      int  // notifications since the channel was last read
	Unread        bool // anything new since then
}

// notify sets the marks for a message that was just created. Nothing else
// ever sets one: no edit, not the edit that ends a deferral, not the answer
// of type 7 (discord-api-docs #5497). A direct message notifies the other
// side, a message in a channel or thread those whom it mentions, and one with
// the flag SUPPRESS_NOTIFICATIONS nobody, but it counts as unread as others do;
// a thread is marked as unread for its members alone.
func (s *Model) notify(p *StoredMessage) {
	at := s.Channels[p.Msg.ChannelID]
	if p.Viewer != "" || at == nil {
		return
	}
	for _, u := range s.World.Users {
		if u.ID == p.Msg.Author.ID || !s.May(at.ID, u.ID, 0) {
			continue
		}
		m := s.UnreadOf(u.ID, at.ID)
		told := p.Msg.MentionEveryone || slices.ContainsFunc(p.Msg.Mentions, func(x api.User) bool { return x.ID == u.ID })
		if at.Thread != nil {
			if _, member := at.Thread.Member(u.ID); !member && !told {
				continue
			}
		}
		if told || at.Type == api.ChannelDM {
			m.Mentions++
		}
		if (told || at.Type == api.ChannelDM) && p.Msg.Flags&api.FlagSuppressNotifications == 0 {
			m.notifications++
			s.notifications = append(s.notifications, Notification{u.ID, at.ID, p.Msg.ID})
			if s.keep > 0 && len(s.notifications) > 2*s.maxInteractions() {
				s.notifications = slices.Clone(s.notifications[s.maxInteractions():])
			}
		}
		m.Unread = true
		s.emitUnread(u.ID, at.ID)
	}
}

func (s *Model) UnreadOf(userID, channelID string) *unreadState {
	key := [2]string{userID, channelID}
	m := s.unread[key]
	if m == nil {
		m = &unreadState{}
		s.unread[key] = m
	}
	return m
}
