package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/world"
)

// RemoveChannel deletes a channel or thread with all its messages. It takes
// the lock.
func (s *Model) RemoveChannel(channelID string) error {
	s.Lock()
	defer s.Unlock()
	p := s.Channels[channelID]
	switch {
	case p == nil || p.Type == api.ChannelDM:
		return fmt.Errorf("there is no channel %q", channelID)
	case p.Thread != nil:
		s.RemoveThread(p)
		return nil
	}
	object := s.ChannelObject(p)
	for _, t := range s.ThreadsOf(func(t *Channel) bool { return t.Thread.Parent == p }) {
		s.dropChannel(t)
	}
	s.dropChannel(p)
	p.Guild.Channels = slices.DeleteFunc(p.Guild.Channels, func(x *Channel) bool { return x == p })
	s.dispatch(p.Guild, api.IntentGuilds, "CHANNEL_DELETE", object)
	s.worldChanged()
	return nil
}

// dropChannel removes a channel or thread with its messages.
func (s *Model) dropChannel(p *Channel) {
	for _, m := range s.Messages[p.ID] {
		s.discard(m)
	}
	delete(s.Messages, p.ID)
	delete(s.Channels, p.ID)
}

// Direct returns the direct messages of two users, and creates them if
// necessary. Their id stays the same over restarts.
func (s *Model) Direct(a, b string) *Channel {
	for _, p := range s.Channels {
		if p.Type == api.ChannelDM && slices.Contains(p.Recipients, a) && slices.Contains(p.Recipients, b) {
			return p
		}
	}
	users := []string{a, b}
	slices.Sort(users)
	p := &Channel{ID: s.derivedID(users[0], "direct messages", users[1]), Type: api.ChannelDM, Recipients: []string{a, b}}
	s.Channels[p.ID] = p
	s.worldChanged()
	return p
}

// Deny sets the permissions that a channel denies a member. It takes the lock.
func (s *Model) Deny(channelID, userID string, permissions int64) error {
	return s.SetOverwrite(channelID, world.Overwrite{ID: userID, Member: true, Deny: permissions})
}

// SetOverwrite sets or removes a channel's overwrite. It takes the lock.
func (s *Model) SetOverwrite(channelID string, o world.Overwrite) error {
	s.Lock()
	defer s.Unlock()
	p := s.Channels[channelID]
	if p == nil || p.Type != api.ChannelText {
		return fmt.Errorf("there is no channel %q", channelID)
	}
	if o.Member {
		if _, ok := s.UserByID(o.ID); !ok {
			return fmt.Errorf("there is no user %q", o.ID)
		}
	} else if _, ok := p.Guild.role(o.ID); !ok {
		return fmt.Errorf("there is no role %q in the server", o.ID)
	}
	i := slices.IndexFunc(p.overwrites, func(x world.Overwrite) bool { return x.ID == o.ID })
	switch {
	case o.Allow == 0 && o.Deny == 0 && i >= 0:
		p.overwrites = slices.Delete(p.overwrites, i, i+1)
	case o.Allow == 0 && o.Deny == 0: // there was none
	case i >= 0:
		p.overwrites[i] = o
	default:
		p.overwrites = append(p.overwrites, o)
	}
	s.dispatch(p.Guild, api.IntentGuilds, "CHANNEL_UPDATE", s.ChannelObject(p))
	s.worldChanged()
	return nil
}

// overwriteObjects returns a channel's permission_overwrites.
func overwriteObjects(list []world.Overwrite) []any {
	out := []any{}
	for _, o := range list {
		kind := 0
		if o.Member {
			kind = 1
		}
		out = append(out, map[string]any{
			"id": o.ID, "type": kind, "allow": strconv.FormatInt(o.Allow, 10), "deny": strconv.FormatInt(o.Deny, 10),
		})
	}
	return out
}

// DeniedTo returns the permissions that a channel denies a member.
func (p *Channel) DeniedTo(userID string) int64 {
	for _, o := range p.overwrites {
		if o.Member && o.ID == userID {
			return o.Deny
		}
	}
	return 0
}

// DirectOf lists a person's direct messages, those with the bot first.
func (s *Model) DirectOf(userID string) []*Channel {
	var out []*Channel
	for _, p := range s.Channels {
		if p.Type == api.ChannelDM && slices.Contains(p.Recipients, userID) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *Channel) int {
		if s.isBotDM(a) != s.isBotDM(b) {
			if s.isBotDM(a) {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// Channel is a text channel, a thread, or the direct messages of two users.
type Channel struct {
	ID         string
	Type       int
	Guild      *Guild // nil for direct messages
	Name       string
	Topic      string
	overwrites []world.Overwrite
	Recipients []string // of direct messages: both users
	Thread     *Thread  // of a thread
}

// GuildID returns the id of the guild, "" for direct messages.
func (p *Channel) GuildID() string {
	if p.Guild == nil {
		return ""
	}
	return p.Guild.ID
}

// isBotDM reports whether a channel is the bot's direct messages with a
// person.
func (s *Model) isBotDM(p *Channel) bool {
	return p.Type == api.ChannelDM && slices.Contains(p.Recipients, s.World.Application.ID)
}

// ChannelObject returns a channel in Discord's shape, as the bot gets it.
func (s *Model) ChannelObject(p *Channel) map[string]any {
	out := map[string]any{"id": p.ID, "type": p.Type, "flags": 0, "last_message_id": nil}
	for _, m := range s.Messages[p.ID] {
		if m.Viewer == "" {
			out["last_message_id"] = m.Msg.ID
		}
	}
	switch {
	case p.Type == api.ChannelDM:
		recipients := []api.User{}
		for _, id := range p.Recipients {
			if u, ok := s.UserByID(id); ok && id != s.World.Application.ID {
				recipients = append(recipients, u)
			}
		}
		out["recipients"] = recipients
		return out
	case p.Thread != nil:
		s.threadObject(p, out)
		return out
	}
	out["guild_id"], out["name"], out["topic"] = p.Guild.ID, p.Name, nil
	if p.Topic != "" {
		out["topic"] = p.Topic
	}
	out["position"] = slices.Index(p.Guild.Channels, p)
	out["nsfw"], out["parent_id"], out["rate_limit_per_user"] = false, nil, 0
	out["permission_overwrites"] = overwriteObjects(p.overwrites)
	return out
}

// threadObject adds the fields of a thread.
func (s *Model) threadObject(p *Channel, out map[string]any) {
	t := p.Thread
	out["guild_id"], out["name"], out["parent_id"], out["owner_id"] = p.Guild.ID, p.Name, t.Parent.ID, t.OwnerID
	out["rate_limit_per_user"], out["last_pin_timestamp"] = t.Slowmode, nil
	// "it stops counting at 50" (Threads, "Thread Fields").
	out["member_count"] = min(len(t.Members), 50)
	out["message_count"], out["total_message_sent"] = t.messageCount, t.totalSent
	meta := map[string]any{
		"archived": t.Archived, "locked": t.Locked, "auto_archive_duration": t.AutoArchive,
		"archive_timestamp": api.FormatTime(t.ArchivedAt), "create_timestamp": api.FormatTime(t.created),
	}
	if p.Type == api.ChannelPrivateThread {
		meta["invitable"] = t.Invitable
	}
	out["thread_metadata"] = meta
	if m, ok := t.Member(s.World.Application.ID); ok {
		out["member"] = ThreadMemberObject(p, m)
	}
}
