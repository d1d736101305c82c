package sandbox

import (
	"regexp"
	"slices"
	"strings"
)

var (
	userMention = regexp.MustCompile(`<@!?(\d{1,20})>`)
	everyone    = regexp.MustCompile(`@(everyone|here)\b`)
	codeBlock   = regexp.MustCompile("(?s)```.*?```")
	codeSpan    = regexp.MustCompile("(?s)``.+?``|`[^`]+`")
)

// allowedMentions is who of those named in a message may be notified
// ("Allowed Mentions Object" on the page "Message Resource").
type allowedMentions struct {
	parseUsers  bool
	everyone    bool
	users       []string
	repliedUser bool
}

// readAllowedMentions validates the object. A missing one allows everything;
// an empty one allows nobody.
func readAllowedMentions(n node) allowedMentions {
	if !n.isSet() {
		return allowedMentions{parseUsers: true, everyone: true, repliedUser: true}
	}
	if !n.isObject() {
		return allowedMentions{}
	}
	var a allowedMentions
	parse := map[string]bool{}
	for _, p := range n.field("parse").items(0, 3) {
		s := p.text(0, 20)
		if s != "users" && s != "roles" && s != "everyone" {
			p.addError("BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').")
		}
		parse[s] = true
	}
	a.parseUsers, a.everyone = parse["users"], parse["everyone"]
	a.users = readIDs(n.field("users"))
	roles := readIDs(n.field("roles"))
	a.repliedUser = n.field("replied_user").boolean()
	// Naming a kind in parse and ids of it as well is refused.
	if a.parseUsers && len(a.users) > 0 {
		n.addError("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", `parse:["users"] and users: [ids...] are mutually exclusive.`)
	}
	if parse["roles"] && len(roles) > 0 {
		n.addError("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", `parse:["roles"] and roles: [ids...] are mutually exclusive.`)
	}
	return a
}

func readIDs(n node) []string {
	var out []string
	for _, id := range n.items(0, 100) {
		if s := id.snowflake(); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

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
func mentionText(m *Message) string {
	parts := []string{m.Content}
	walkAll(m.Components, func(c Component) {
		if c.Type == ComponentTextDisplay {
			parts = append(parts, c.Content)
		}
	})
	return strings.Join(parts, "\n")
}

// mark writes a message's mentions: those of its text, and the author of the
// message that it replies to, as far as they are allowed and exist. Everyone is
// mentioned by those alone who may.
func (s *Model) setMentions(m *Message, allowed allowedMentions) {
	users, all := mentionsIn(mentionText(m))
	m.Mentions = []UserObject{}
	m.MentionEveryone = all && allowed.everyone && s.may(m.ChannelID, m.Author.ID, PermissionMentionEveryone)
	for _, id := range users {
		if u, ok := s.userObject(id); ok && (allowed.parseUsers || slices.Contains(allowed.users, id)) {
			m.Mentions = append(m.Mentions, u)
		}
	}
	if ref := m.ReferencedMessage; ref != nil && m.Type == MessageReply && allowed.repliedUser && m.InteractionMetadata == nil {
		if !slices.ContainsFunc(m.Mentions, func(u UserObject) bool { return u.ID == ref.Author.ID }) {
			m.Mentions = append(m.Mentions, ref.Author)
		}
	}
}

// marks is what one user has to see in one channel.
type unreadState struct {
	notifications int  // notifications ever
	mentions      int  // notifications since the channel was last read
	unread        bool // anything new since then
}

// notify sets the marks for a message that was just created. Nothing else
// ever sets one: no edit, not the edit that ends a deferral, not the answer
// of type 7 (discord-api-docs #5497). A direct message notifies the other
// side, a message in a channel or thread those whom it mentions, and one with
// the flag SUPPRESS_NOTIFICATIONS nobody, but it counts as unread as others do;
// a thread is marked as unread for its members alone.
func (s *Model) notify(p *post) {
	at := s.channels[p.msg.ChannelID]
	if p.viewer != "" || at == nil {
		return
	}
	for _, u := range s.world.Users {
		if u.ID == p.msg.Author.ID || !s.may(at.ID, u.ID, 0) {
			continue
		}
		m := s.unreadOf(u.ID, at.ID)
		told := p.msg.MentionEveryone || slices.ContainsFunc(p.msg.Mentions, func(x UserObject) bool { return x.ID == u.ID })
		if at.thread != nil {
			if _, member := at.thread.member(u.ID); !member && !told {
				continue
			}
		}
		if told || at.Type == ChannelDM {
			m.mentions++
		}
		if (told || at.Type == ChannelDM) && p.msg.Flags&FlagSuppressNotifications == 0 {
			m.notifications++
			s.notifications = append(s.notifications, Notification{u.ID, at.ID, p.msg.ID})
			if s.keep > 0 && len(s.notifications) > 2*s.maxInteractions() {
				s.notifications = slices.Clone(s.notifications[s.maxInteractions():])
			}
		}
		m.unread = true
		s.emitUnread(u.ID, at.ID)
	}
}

func (s *Model) unreadOf(userID, channelID string) *unreadState {
	key := [2]string{userID, channelID}
	m := s.unread[key]
	if m == nil {
		m = &unreadState{}
		s.unread[key] = m
	}
	return m
}
