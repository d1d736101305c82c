package sandbox

import (
	"slices"
	"time"
)

// Channel types that the sandbox has ("Channel Types").
const (
	ChannelText          = 0
	ChannelDM            = 1
	ChannelPublicThread  = 11
	ChannelPrivateThread = 12
)

// place is where messages are: a text channel, a thread, or the direct
// messages of two users.
type place struct {
	ID         string
	Type       int
	guild      *server // nil for direct messages
	name       string
	topic      string
	overwrites []Overwrite
	recipients []string // of direct messages: both users
	thread     *thread  // of a thread
}

// thread is what a thread has beyond a channel.
type thread struct {
	parent                  *place
	ownerID                 string
	archived                bool
	locked                  bool
	invitable               bool
	autoArchive             int // minutes
	slowmode                int // seconds
	created                 time.Time
	archivedAt              time.Time // when that was last changed
	members                 []threadMember
	messageCount, totalSent int // messages: not deleted ones, ever
}

type threadMember struct {
	userID string
	joined time.Time
}

func (p *place) guildID() string {
	if p.guild == nil {
		return ""
	}
	return p.guild.ID
}

// botDM says whether the place is the bot's direct messages with somebody.
func (s *Model) isBotDM(p *place) bool {
	return p.Type == ChannelDM && slices.Contains(p.recipients, s.world.Application.ID)
}

// channelObject is a channel in Discord's shape, as the bot gets it.
func (s *Model) channelObject(p *place) map[string]any {
	out := map[string]any{"id": p.ID, "type": p.Type, "flags": 0, "last_message_id": nil}
	for _, m := range s.messages[p.ID] {
		if m.viewer == "" {
			out["last_message_id"] = m.msg.ID
		}
	}
	switch {
	case p.Type == ChannelDM:
		recipients := []UserObject{}
		for _, id := range p.recipients {
			if u, ok := s.userObject(id); ok && id != s.world.Application.ID {
				recipients = append(recipients, u)
			}
		}
		out["recipients"] = recipients
		return out
	case p.thread != nil:
		s.threadObject(p, out)
		return out
	}
	out["guild_id"], out["name"], out["topic"] = p.guild.ID, p.name, nil
	if p.topic != "" {
		out["topic"] = p.topic
	}
	out["position"] = slices.Index(p.guild.channels, p)
	out["nsfw"], out["parent_id"], out["rate_limit_per_user"] = false, nil, 0
	out["permission_overwrites"] = overwriteObjects(p.overwrites)
	return out
}

// threadObject adds what a thread has.
func (s *Model) threadObject(p *place, out map[string]any) {
	t := p.thread
	out["guild_id"], out["name"], out["parent_id"], out["owner_id"] = p.guild.ID, p.name, t.parent.ID, t.ownerID
	out["rate_limit_per_user"], out["last_pin_timestamp"] = t.slowmode, nil
	// "it stops counting at 50" (Threads, "Thread Fields").
	out["member_count"] = min(len(t.members), 50)
	out["message_count"], out["total_message_sent"] = t.messageCount, t.totalSent
	meta := map[string]any{
		"archived": t.archived, "locked": t.locked, "auto_archive_duration": t.autoArchive,
		"archive_timestamp": stamp(t.archivedAt), "create_timestamp": stamp(t.created),
	}
	if p.Type == ChannelPrivateThread {
		meta["invitable"] = t.invitable
	}
	out["thread_metadata"] = meta
	if m, ok := t.member(s.world.Application.ID); ok {
		out["member"] = threadMemberObject(p, m)
	}
}

func (t *thread) member(userID string) (threadMember, bool) {
	for _, m := range t.members {
		if m.userID == userID {
			return m, true
		}
	}
	return threadMember{}, false
}

func threadMemberObject(p *place, m threadMember) map[string]any {
	return map[string]any{"id": p.ID, "user_id": m.userID, "join_timestamp": stamp(m.joined), "flags": 0}
}
