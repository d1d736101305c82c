package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/sandbox/api"
)

// channelState is a channel of a guild, a thread, or the direct messages of two
// users.
type channelState struct {
	Channel
	Guild      *guildState      // nil for direct messages
	denied     map[string]int64 // permissions, by user
	Recipients []string         // of direct messages: both users
	Thread     *threadState     // of a thread
}

// RemoveChannel deletes a channel or thread with all its messages. It fails if
// there is none.
func (s *Sandbox) RemoveChannel(channelID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[channelID]
	if ch == nil || ch.Type == api.ChannelDM {
		return fmt.Errorf("there is no channel %q", channelID)
	}
	if ch.Thread != nil {
		s.removeThread(ch)
		return nil
	}
	object := s.channelObject(ch)
	for _, t := range s.threadsOf(func(t *channelState) bool { return t.Thread.Parent == ch }) {
		s.forgetChannel(t)
	}
	s.forgetChannel(ch)
	ch.Guild.Channels = slices.DeleteFunc(ch.Guild.Channels, func(x *channelState) bool { return x == ch })
	s.dispatch(ch.Guild, api.IntentGuilds, "CHANNEL_DELETE", object)
	s.worldChanged()
	return nil
}

func (s *Sandbox) forgetChannel(ch *channelState) {
	for _, m := range s.messages[ch.ID] {
		s.discard(m)
	}
	delete(s.messages, ch.ID)
	delete(s.channels, ch.ID)
}

// direct returns the direct messages of two users, and creates them if
// necessary. Their id stays the same over restarts.
func (s *Sandbox) direct(a, b string) *channelState {
	for _, ch := range s.channels {
		if ch.Type == api.ChannelDM && slices.Contains(ch.Recipients, a) && slices.Contains(ch.Recipients, b) {
			return ch
		}
	}
	users := []string{a, b}
	slices.Sort(users)
	ch := &channelState{Channel: Channel{ID: s.derivedID(users[0], "direct messages", users[1]), Type: api.ChannelDM}, Recipients: []string{a, b}}
	s.channels[ch.ID] = ch
	s.worldChanged()
	return ch
}

// Deny sets the permissions that a channel denies a user, a person or the bot;
// 0 denies nothing. It fails if there is no such channel or user.
func (s *Sandbox) Deny(channelID, userID string, permissions int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[channelID]
	if ch == nil || ch.Guild == nil || ch.Thread != nil {
		return fmt.Errorf("there is no channel %q", channelID)
	}
	if _, ok := s.userByID(userID); !ok {
		return fmt.Errorf("there is no user %q", userID)
	}
	if permissions == 0 {
		delete(ch.denied, userID)
	} else {
		ch.denied[userID] = permissions
	}
	s.dispatch(ch.Guild, api.IntentGuilds, "CHANNEL_UPDATE", s.channelObject(ch))
	s.worldChanged()
	return nil
}

// overwriteObjects lists what a channel denies in Discord's shape ("Permission
// Overwrites").
func overwriteObjects(denied map[string]int64) []any {
	out := []any{}
	for _, id := range slices.Sorted(maps.Keys(denied)) {
		out = append(out, map[string]any{"id": id, "type": 1, "allow": "0", "deny": strconv.FormatInt(denied[id], 10)})
	}
	return out
}

func (s *Sandbox) directOf(userID string) []*channelState {
	var out []*channelState
	for _, ch := range s.channels {
		if ch.Type == api.ChannelDM && slices.Contains(ch.Recipients, userID) {
			out = append(out, ch)
		}
	}
	slices.SortFunc(out, func(a, b *channelState) int {
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

func (s *Sandbox) isBotDM(ch *channelState) bool {
	return ch.Type == api.ChannelDM && slices.Contains(ch.Recipients, s.ApplicationID())
}

func (s *Sandbox) channelObject(ch *channelState) map[string]any {
	out := map[string]any{"id": ch.ID, "type": ch.Type, "flags": 0, "last_message_id": nil}
	for _, m := range s.messages[ch.ID] {
		if m.Viewer == "" {
			out["last_message_id"] = m.Msg.ID
		}
	}
	out["last_pin_timestamp"] = nil
	switch {
	case ch.Type == api.ChannelDM:
		recipients := []api.User{}
		for _, id := range ch.Recipients {
			if u, ok := s.userByID(id); ok && id != s.ApplicationID() {
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
	out["permission_overwrites"] = overwriteObjects(ch.denied)
	return out
}

func (s *Sandbox) threadObject(ch *channelState, out map[string]any) {
	t := ch.Thread
	out["guild_id"], out["name"], out["parent_id"], out["owner_id"] = ch.Guild.ID, ch.Name, t.Parent.ID, t.OwnerID
	out["rate_limit_per_user"] = ch.Slowmode
	// "it stops counting at 50" (Threads, "Thread Fields").
	out["member_count"] = min(len(t.Members), 50)
	out["message_count"], out["total_message_sent"] = t.messageCount, t.totalSent
	meta := map[string]any{
		"archived": t.Archived, "locked": t.Locked, "auto_archive_duration": t.AutoArchive,
		"archive_timestamp": api.FormatTime(t.ArchivedAt), "create_timestamp": api.FormatTime(t.created),
	}
	out["thread_metadata"] = meta
	if m, ok := t.member(s.ApplicationID()); ok {
		out["member"] = threadMemberObject(ch, m)
	}
}
