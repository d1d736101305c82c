package model

import (
	"slices"
	"strings"
	"time"

	"castellan/bot/sandbox/internal/api"
)

// Thread is the part of a channel that only threads have.
type Thread struct {
	Parent                  *Channel
	OwnerID                 string
	Archived                bool
	Locked                  bool
	Invitable               bool
	AutoArchive             int // minutes
	Slowmode                int // seconds
	created                 time.Time
	ArchivedAt              time.Time // when archived last changed
	Members                 []threadMember
	messageCount, totalSent int // messages without and with deleted ones
}

type threadMember struct {
	userID string
	joined time.Time
}

// Member returns the membership of a user.
func (t *Thread) Member(userID string) (threadMember, bool) {
	for _, m := range t.Members {
		if m.userID == userID {
			return m, true
		}
	}
	return threadMember{}, false
}

// ThreadMemberObject returns a membership in Discord's shape.
func ThreadMemberObject(p *Channel, m threadMember) map[string]any {
	return map[string]any{"id": p.ID, "user_id": m.userID, "join_timestamp": api.FormatTime(m.joined), "flags": 0}
}

// AutoArchive lists the values of auto_archive_duration in minutes ("Thread
// Metadata Object").
var AutoArchive = []int64{60, 1440, 4320, 10080}

// FlagHasThread is the flag of a message that a thread was started from.
const FlagHasThread = 1 << 5

// StartThreadFrom starts a thread from a message. Both have the same id
// ("Start Thread from Message"). The thread's first message refers to the
// starter.
func (s *Model) StartThreadFrom(starter *StoredMessage, ownerID string, form ThreadOptions) *Channel {
	p := s.newThread(starter.Msg.ID, api.ChannelPublicThread, s.Channels[starter.Msg.ChannelID], ownerID, form)
	starter.Msg.Flags |= FlagHasThread
	author, _ := s.UserByID(ownerID)
	first := s.NewMessage(p.ID, api.MessageThreadStarter, author, "")
	first.Msg.MessageReference = &api.MessageReference{ChannelID: starter.Msg.ChannelID, MessageID: starter.Msg.ID, GuildID: p.GuildID()}
	ref := starter.PageView()
	ref.ReferencedMessage = nil
	first.Msg.ReferencedMessage = &ref
	s.announceThread(p)
	s.updateStarter(p)
	s.Publish(first)
	return p
}

// StartThreadIn starts a thread without a message.
func (s *Model) StartThreadIn(parent *Channel, kind int, ownerID string, form ThreadOptions) *Channel {
	p := s.newThread(s.IDs.Next(), kind, parent, ownerID, form)
	s.announceThread(p)
	if kind == api.ChannelPublicThread { // a system message tells the channel
		author, _ := s.UserByID(ownerID)
		m := s.NewMessage(parent.ID, api.MessageThreadCreated, author, form.Name)
		m.Msg.MessageReference = &api.MessageReference{ChannelID: p.ID, GuildID: p.GuildID()}
		s.Publish(m)
	}
	return p
}

// ThreadOptions are the settings of a new thread.
type ThreadOptions struct {
	Name        string
	AutoArchive int
	Slowmode    int
	Invitable   bool
}

func (s *Model) newThread(id string, kind int, parent *Channel, ownerID string, form ThreadOptions) *Channel {
	if form.AutoArchive == 0 {
		form.AutoArchive = 4320 // the default of a channel
	}
	now := s.Now()
	p := &Channel{ID: id, Type: kind, Guild: parent.Guild, Name: form.Name, Thread: &Thread{
		Parent: parent, OwnerID: ownerID, AutoArchive: form.AutoArchive, Slowmode: form.Slowmode, Invitable: form.Invitable,
		created: now, ArchivedAt: now, Members: []threadMember{{ownerID, now}},
	}}
	s.Channels[id] = p
	return p
}

// announceThread sends THREAD_CREATE.
func (s *Model) announceThread(p *Channel) {
	object := s.ChannelObject(p)
	object["newly_created"] = true
	s.dispatchThread(p, "THREAD_CREATE", object)
	s.worldChanged()
}

// dispatchThread sends an event of a thread if the bot can see it: "Clients
// will not be informed of a thread if they do not have permission to view it".
func (s *Model) dispatchThread(p *Channel, kind string, data any) {
	if s.May(p.ID, s.World.Application.ID, 0) {
		s.dispatch(p.Guild, api.IntentGuilds, kind, data)
	}
}

// AnnounceThreadUpdate reports a changed thread to the bot and the pages.
func (s *Model) AnnounceThreadUpdate(p *Channel) {
	s.dispatchThread(p, "THREAD_UPDATE", s.ChannelObject(p))
	s.updateStarter(p)
	s.worldChanged()
}

// updateStarter puts the thread's current state on its starter message.
func (s *Model) updateStarter(p *Channel) {
	if starter := s.FindMessage(p.Thread.Parent.ID, p.ID); starter != nil {
		starter.Msg.Thread = s.ChannelObject(p)
		s.AnnounceEdit(starter)
	}
}

// updateThreadCount puts the thread's number of messages on its starter. Bots
// get no event.
func (s *Model) updateThreadCount(p *Channel) {
	if starter := s.FindMessage(p.Thread.Parent.ID, p.ID); starter != nil {
		starter.Msg.Thread = s.ChannelObject(p)
		s.emitMessage(starter)
	}
}

// RemoveThread deletes a thread with its messages. The starter message stays.
func (s *Model) RemoveThread(p *Channel) {
	s.dispatchThread(p, "THREAD_DELETE", map[string]any{"id": p.ID, "guild_id": p.GuildID(), "parent_id": p.Thread.Parent.ID, "type": p.Type})
	s.dropChannel(p)
	if starter := s.FindMessage(p.Thread.Parent.ID, p.ID); starter != nil {
		starter.Msg.Thread = nil
		starter.Msg.Flags &^= FlagHasThread
		s.AnnounceEdit(starter)
	}
	s.worldChanged()
}

// ThreadsOf lists the threads that keep accepts, oldest first.
func (s *Model) ThreadsOf(keep func(*Channel) bool) []*Channel {
	var out []*Channel
	for _, p := range s.Channels {
		if p.Thread != nil && keep(p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *Channel) int {
		if n := len(a.ID) - len(b.ID); n != 0 {
			return n
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// ActiveThreads lists the threads of a guild that are not archived and that
// the bot can see.
func (s *Model) ActiveThreads(g *Guild) []*Channel {
	return s.ThreadsOf(func(p *Channel) bool {
		return p.Guild == g && !p.Thread.Archived && s.May(p.ID, s.World.Application.ID, 0)
	})
}

// SetArchived archives or unarchives a thread.
func (s *Model) SetArchived(p *Channel, archived bool) {
	if p.Thread.Archived != archived {
		p.Thread.Archived, p.Thread.ArchivedAt = archived, s.Now()
	}
}

// Unarchive prepares a thread for a new message: "Sending a message will
// automatically unarchive the thread, unless the thread has been locked by a
// moderator" (Threads). In a locked thread only those who manage threads may
// write.
func (s *Model) Unarchive(p *Channel, userID string) error {
	if p == nil || p.Thread == nil {
		return nil
	}
	if p.Thread.Locked && !s.May(p.ID, userID, api.PermissionManageThreads) {
		return api.ErrThreadLocked
	}
	if p.Thread.Archived {
		s.SetArchived(p, false)
		s.AnnounceThreadUpdate(p)
	}
	return nil
}

// countThreadMessage counts a message of a thread and makes its author and the
// users it mentions members. System messages are not counted.
func (s *Model) countThreadMessage(m *StoredMessage) {
	p := s.Channels[m.Msg.ChannelID]
	if p == nil || p.Thread == nil || m.Viewer != "" {
		return
	}
	if m.Msg.Type != api.MessageThreadStarter {
		p.Thread.messageCount++
		p.Thread.totalSent++
		s.updateThreadCount(p)
	}
	s.AddThreadMember(p, m.Msg.Author.ID, "")
	for _, u := range m.Msg.Mentions {
		s.AddThreadMember(p, u.ID, "")
	}
}

// NewMessage returns a message of a type, for Publish.
func (s *Model) NewMessage(channelID string, kind int, author api.User, content string) *StoredMessage {
	return &StoredMessage{Created: s.Now(), Msg: api.Message{
		ChannelID: channelID, Type: kind, Author: author, Content: content, Timestamp: api.FormatTime(s.Now()),
		Embeds: []api.Embed{}, Components: []api.Component{}, Mentions: []api.User{}, MentionRoles: []string{},
	}}
}

// AddThreadMember makes a user a member of a thread if they can see it. by is
// the user who added them, "" if they joined themselves.
func (s *Model) AddThreadMember(p *Channel, userID, by string) {
	if _, already := p.Thread.Member(userID); already {
		return
	}
	if _, exists := s.UserByID(userID); !exists || !s.May(p.Thread.Parent.ID, userID, 0) {
		return
	}
	m := threadMember{userID, s.Now()}
	p.Thread.Members = append(p.Thread.Members, m)
	s.announceThreadMembers(p, []any{ThreadMemberObject(p, m)}, nil, userID)
	if by != "" {
		author, _ := s.UserByID(by)
		added, _ := s.UserByID(userID)
		note := s.NewMessage(p.ID, api.MessageRecipientAdd, author, "")
		note.Msg.Mentions = []api.User{added}
		s.Publish(note)
	}
	s.worldChanged()
}

// RemoveThreadMember ends a membership.
func (s *Model) RemoveThreadMember(p *Channel, userID string) {
	n := len(p.Thread.Members)
	p.Thread.Members = slices.DeleteFunc(p.Thread.Members, func(m threadMember) bool { return m.userID == userID })
	if len(p.Thread.Members) < n {
		s.announceThreadMembers(p, nil, []string{userID}, userID)
		s.worldChanged()
	}
}

// announceThreadMembers sends THREAD_MEMBERS_UPDATE: to every session if it is
// about the bot, otherwise to those with the members intent ("Thread Members
// Update").
func (s *Model) announceThreadMembers(p *Channel, added []any, removed []string, about string) {
	intents := api.IntentGuildMembers
	if about == s.World.Application.ID {
		intents = api.IntentGuilds
	}
	s.dispatch(p.Guild, intents, "THREAD_MEMBERS_UPDATE", map[string]any{
		"id": p.ID, "guild_id": p.GuildID(), "member_count": min(len(p.Thread.Members), 50),
		"added_members": api.OrEmpty(added), "removed_member_ids": api.OrEmpty(removed),
	})
}
