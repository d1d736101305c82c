package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/world"
)

// Channel is a channel of a guild, a thread, or the direct messages of two
// users.
type Channel struct {
	ID         string
	Type       int
	Guild      *Guild // nil for direct messages
	Name       string
	Topic      string
	Slowmode   int // seconds
	NSFW       bool
	ParentID   string // of its category, "" if none
	overwrites []world.Overwrite
	Recipients []string // of direct messages: both users
	Thread     *Thread  // of a thread
}

// RemoveChannel deletes a channel or thread with all its messages. It takes
// the lock.
func (s *Model) RemoveChannel(channelID string) error {
	s.Lock()
	defer s.Unlock()
	ch := s.Channels[channelID]
	if ch == nil || ch.Type == api.ChannelDM {
		return fmt.Errorf("there is no channel %q", channelID)
	}
	s.DropChannel(ch)
	return nil
}

// DropChannel deletes a channel of a guild, or a thread, with all its messages.
func (s *Model) DropChannel(ch *Channel) {
	if ch.Thread != nil {
		s.RemoveThread(ch)
		return
	}
	object := s.ChannelObject(ch)
	for _, t := range s.ThreadsOf(func(t *Channel) bool { return t.Thread.Parent == ch }) {
		s.dropChannel(t)
	}
	s.dropChannel(ch)
	ch.Guild.Channels = slices.DeleteFunc(ch.Guild.Channels, func(x *Channel) bool { return x == ch })
	s.dispatch(ch.Guild, api.IntentGuilds, "CHANNEL_DELETE", object)
	s.worldChanged()
}

// dropChannel removes a channel or thread with its messages.
func (s *Model) dropChannel(ch *Channel) {
	for _, m := range s.Messages[ch.ID] {
		s.discard(m)
	}
	delete(s.Messages, ch.ID)
	delete(s.Channels, ch.ID)
}

// Direct returns the direct messages of two users, and creates them if
// necessary. Their id stays the same over restarts.
func (s *Model) Direct(a, b string) *Channel {
	for _, ch := range s.Channels {
		if ch.Type == api.ChannelDM && slices.Contains(ch.Recipients, a) && slices.Contains(ch.Recipients, b) {
			return ch
		}
	}
	users := []string{a, b}
	slices.Sort(users)
	ch := &Channel{ID: s.derivedID(users[0], "direct messages", users[1]), Type: api.ChannelDM, Recipients: []string{a, b}}
	s.Channels[ch.ID] = ch
	s.worldChanged()
	return ch
}

// Deny sets the permissions that a channel denies a member. It takes the lock.
func (s *Model) Deny(channelID, userID string, permissions int64) error {
	return s.SetOverwrite(channelID, world.Overwrite{ID: userID, Member: true, Deny: permissions})
}

// SetOverwrite sets or removes a channel's overwrite. It takes the lock.
func (s *Model) SetOverwrite(channelID string, o world.Overwrite) error {
	s.Lock()
	defer s.Unlock()
	ch := s.Channels[channelID]
	if ch == nil || ch.Guild == nil || ch.Thread != nil {
		return fmt.Errorf("there is no channel %q", channelID)
	}
	if o.Member {
		if _, ok := s.UserByID(o.ID); !ok {
			return fmt.Errorf("there is no user %q", o.ID)
		}
	} else if _, ok := ch.Guild.role(o.ID); !ok {
		return fmt.Errorf("there is no role %q in the server", o.ID)
	}
	i := slices.IndexFunc(ch.overwrites, func(x world.Overwrite) bool { return x.ID == o.ID })
	switch {
	case o.Allow == 0 && o.Deny == 0 && i >= 0:
		ch.overwrites = slices.Delete(ch.overwrites, i, i+1)
	case o.Allow == 0 && o.Deny == 0: // there was none
	case i >= 0:
		ch.overwrites[i] = o
	default:
		ch.overwrites = append(ch.overwrites, o)
	}
	s.dispatch(ch.Guild, api.IntentGuilds, "CHANNEL_UPDATE", s.ChannelObject(ch))
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
func (ch *Channel) DeniedTo(userID string) int64 {
	for _, o := range ch.overwrites {
		if o.Member && o.ID == userID {
			return o.Deny
		}
	}
	return 0
}

// DirectOf lists a person's direct messages, those with the bot first.
func (s *Model) DirectOf(userID string) []*Channel {
	var out []*Channel
	for _, ch := range s.Channels {
		if ch.Type == api.ChannelDM && slices.Contains(ch.Recipients, userID) {
			out = append(out, ch)
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

// GuildID returns the id of the guild, "" for direct messages.
func (ch *Channel) GuildID() string {
	if ch.Guild == nil {
		return ""
	}
	return ch.Guild.ID
}

// isBotDM reports whether a channel is the bot's direct messages with a
// person.
func (s *Model) isBotDM(ch *Channel) bool {
	return ch.Type == api.ChannelDM && slices.Contains(ch.Recipients, s.World.Application.ID)
}

// ChannelObject returns a channel in Discord's shape, as the bot gets it.
func (s *Model) ChannelObject(ch *Channel) map[string]any {
	out := map[string]any{"id": ch.ID, "type": ch.Type, "flags": 0, "last_message_id": nil}
	for _, m := range s.Messages[ch.ID] {
		if m.Viewer == "" {
			out["last_message_id"] = m.Msg.ID
		}
	}
	out["last_pin_timestamp"] = s.lastPin(ch.ID)
	switch {
	case ch.Type == api.ChannelDM:
		recipients := []api.User{}
		for _, id := range ch.Recipients {
			if u, ok := s.UserByID(id); ok && id != s.World.Application.ID {
				recipients = append(recipients, u)
			}
		}
		out["recipients"] = recipients
		return out
	case ch.Thread != nil:
		s.threadObject(ch, out)
		return out
	}
	out["guild_id"], out["name"], out["topic"] = ch.Guild.ID, ch.Name, nil
	if ch.Topic != "" {
		out["topic"] = ch.Topic
	}
	out["position"] = slices.Index(ch.Guild.Channels, ch)
	out["nsfw"], out["parent_id"], out["rate_limit_per_user"] = ch.NSFW, nil, ch.Slowmode
	if ch.ParentID != "" {
		out["parent_id"] = ch.ParentID
	}
	out["permission_overwrites"] = overwriteObjects(ch.overwrites)
	return out
}

// threadObject adds the fields of a thread.
func (s *Model) threadObject(ch *Channel, out map[string]any) {
	t := ch.Thread
	out["guild_id"], out["name"], out["parent_id"], out["owner_id"] = ch.Guild.ID, ch.Name, t.Parent.ID, t.OwnerID
	out["rate_limit_per_user"] = t.Slowmode
	// "it stops counting at 50" (Threads, "Thread Fields").
	out["member_count"] = min(len(t.Members), 50)
	out["message_count"], out["total_message_sent"] = t.messageCount, t.totalSent
	meta := map[string]any{
		"archived": t.Archived, "locked": t.Locked, "auto_archive_duration": t.AutoArchive,
		"archive_timestamp": api.FormatTime(t.ArchivedAt), "create_timestamp": api.FormatTime(t.created),
	}
	if ch.Type == api.ChannelPrivateThread {
		meta["invitable"] = t.Invitable
	}
	out["thread_metadata"] = meta
	if m, ok := t.Member(s.World.Application.ID); ok {
		out["member"] = ThreadMemberObject(ch, m)
	}
}
