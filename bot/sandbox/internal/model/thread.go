package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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
	activeAt                time.Time // of the last activity
	Members                 []threadMember
	messageCount, totalSent int // messages without and with deleted ones
}

type threadMember struct {
	userID string
	joined time.Time
}

// ThreadOptions are the settings of a new thread.
type ThreadOptions struct {
	Name        string
	AutoArchive int
	Slowmode    int
	Invitable   bool
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
func ThreadMemberObject(ch *Channel, m threadMember) map[string]any {
	return map[string]any{"id": ch.ID, "user_id": m.userID, "join_timestamp": api.FormatTime(m.joined), "flags": 0}
}

// FlagHasThread is the flag of a message that a thread was started from.
const FlagHasThread = 1 << 5

// StartThreadFrom starts a thread from a message. Both have the same id
// ("Start Thread from Message"). The thread's first message refers to the
// starter.
func (s *Model) StartThreadFrom(starter *StoredMessage, ownerID string, form ThreadOptions) *Channel {
	parent, kind := s.Channels[starter.Msg.ChannelID], api.ChannelPublicThread
	if parent.Type == api.ChannelAnnouncement {
		kind = api.ChannelAnnouncementThread
	}
	ch := s.newThread(starter.Msg.ID, kind, parent, ownerID, form)
	starter.Msg.Flags |= FlagHasThread
	author, _ := s.UserByID(ownerID)
	first := s.NewMessage(ch.ID, api.MessageThreadStarter, author, "")
	s.SetReference(&first.Msg, starter)
	s.announceThread(ch)
	s.updateStarter(ch, s.AnnounceEdit)
	s.Publish(first)
	return ch
}

// SetReference makes a message refer to another.
func (s *Model) SetReference(m *api.Message, to *StoredMessage) {
	m.MessageReference = &api.MessageReference{ChannelID: to.Msg.ChannelID, MessageID: to.Msg.ID}
	if ch := s.Channels[to.Msg.ChannelID]; ch != nil {
		m.MessageReference.GuildID = ch.GuildID()
	}
	ref := to.PageView()
	ref.ReferencedMessage = nil
	m.ReferencedMessage = &ref
}

// StartThreadIn starts a thread without a message.
func (s *Model) StartThreadIn(parent *Channel, kind int, ownerID string, form ThreadOptions) *Channel {
	ch := s.newThread(s.IDs.Next(), kind, parent, ownerID, form)
	s.announceThread(ch)
	if kind == api.ChannelPublicThread { // a system message tells the channel
		author, _ := s.UserByID(ownerID)
		m := s.NewMessage(parent.ID, api.MessageThreadCreated, author, form.Name)
		m.Msg.MessageReference = &api.MessageReference{ChannelID: ch.ID, GuildID: ch.GuildID()}
		s.Publish(m)
	}
	return ch
}

// StartPost starts a thread in a forum channel with its first message.
func (s *Model) StartPost(parent *Channel, first *StoredMessage, ownerID string, form ThreadOptions) *Channel {
	ch := s.newThread(s.IDs.Next(), api.ChannelPublicThread, parent, ownerID, form)
	s.announceThread(ch)
	first.Msg.ID, first.Msg.ChannelID = ch.ID, ch.ID
	for _, f := range first.Files {
		f.Rename(s.URL, ch.ID, f.Filename)
	}
	s.Publish(first)
	return ch
}

// SetAutoArchive changes the auto_archive_duration of a thread, in minutes.
func (s *Model) SetAutoArchive(ch *Channel, minutes int) {
	t := ch.Thread
	t.AutoArchive, t.ArchivedAt, t.activeAt = minutes, s.Now(), s.Now()
	s.archiveLater(ch)
}

func (s *Model) newThread(id string, kind int, parent *Channel, ownerID string, form ThreadOptions) *Channel {
	const defaultAutoArchive = 4320 // minutes
	now := s.Now()
	ch := &Channel{ID: id, Type: kind, Guild: parent.Guild, Name: form.Name, Thread: &Thread{
		Parent: parent, OwnerID: ownerID, AutoArchive: cmp.Or(form.AutoArchive, defaultAutoArchive), Slowmode: form.Slowmode, Invitable: form.Invitable,
		created: now, ArchivedAt: now, activeAt: now, Members: []threadMember{{ownerID, now}},
	}}
	s.Channels[id] = ch
	s.archiveLater(ch)
	return ch
}

// archiveLater makes the next ArchiveIdle run no later than a thread is due.
func (s *Model) archiveLater(ch *Channel) {
	if due := ch.Thread.due(); s.nextArchive.IsZero() || due.Before(s.nextArchive) {
		s.nextArchive = due
	}
}

// due returns when a thread is archived if nothing happens in it.
func (t *Thread) due() time.Time { return t.activeAt.Add(time.Duration(t.AutoArchive) * time.Minute) }

// ArchiveIdle archives the threads in which nothing has happened for their
// auto_archive_duration ("Active & Archived Threads").
func (s *Model) ArchiveIdle() {
	if now := s.Now(); !s.Strict || s.nextArchive.IsZero() || now.Before(s.nextArchive) {
		return
	}
	s.nextArchive = time.Time{}
	for _, ch := range s.ThreadsOf(func(ch *Channel) bool { return !ch.Thread.Archived }) {
		if s.Now().Before(ch.Thread.due()) {
			s.archiveLater(ch)
			continue
		}
		s.SetArchived(ch, true)
		s.AnnounceThreadUpdate(ch)
	}
}

// SetThread archives or unarchives, and locks or unlocks a thread, as a
// moderator does. It takes the lock, and fails if there is no such thread.
func (s *Model) SetThread(channelID string, archived, locked bool) error {
	s.Lock()
	defer s.Unlock()
	ch := s.Channels[channelID]
	if ch == nil || ch.Thread == nil {
		return fmt.Errorf("there is no thread %q", channelID)
	}
	s.SetArchived(ch, archived)
	ch.Thread.Locked = locked
	s.AnnounceThreadUpdate(ch)
	return nil
}

// RoomForThread returns 160006 if a guild has its maximum of active threads.
func (s *Model) RoomForThread(g *Guild) error {
	active := s.ThreadsOf(func(ch *Channel) bool { return ch.Guild == g && !ch.Thread.Archived })
	if s.Strict && len(active) >= s.Limits.ActiveThreads {
		return api.ErrTooManyThreads
	}
	return nil
}

// errLocked is the error of an action in a locked thread.
var errLocked = errors.New("this thread is locked")

// closed reports whether a person can use nothing in a thread: it is locked
// ("Locked Threads").
func (s *Model) closed(ch *Channel, userID string) bool {
	return s.Strict && s.locked(ch, userID)
}

// locked reports whether a thread is locked for a user.
func (s *Model) locked(ch *Channel, userID string) bool {
	return ch.Thread != nil && ch.Thread.Locked && !s.May(ch.ID, userID, api.PermissionManageThreads)
}

// CheckEdit returns the error for an edit of a message in a thread that is
// archived (50083) or locked (160005).
func (s *Model) CheckEdit(ch *Channel, userID string) error {
	switch {
	case ch != nil && ch.Thread != nil && ch.Thread.Archived:
		return api.ErrThreadArchived
	case ch != nil && s.closed(ch, userID):
		return api.ErrThreadLocked
	}
	return nil
}

// announceThread sends THREAD_CREATE.
func (s *Model) announceThread(ch *Channel) {
	object := s.ChannelObject(ch)
	object["newly_created"] = true
	s.dispatchThread(ch, "THREAD_CREATE", object)
	s.worldChanged()
}

// dispatchThread sends an event of a thread if the bot can see it: "Clients
// will not be informed of a thread if they do not have permission to view it".
func (s *Model) dispatchThread(ch *Channel, kind string, data any) {
	if s.May(ch.ID, s.World.Application.ID, 0) {
		s.dispatch(ch.Guild, api.IntentGuilds, kind, data)
	}
}

// AnnounceThreadUpdate reports a changed thread to the bot and the pages.
func (s *Model) AnnounceThreadUpdate(ch *Channel) {
	s.dispatchThread(ch, "THREAD_UPDATE", s.ChannelObject(ch))
	s.updateStarter(ch, s.AnnounceEdit)
	s.worldChanged()
}

// updateStarter updates the thread object of the starter message and announces
// the message.
func (s *Model) updateStarter(ch *Channel, announce func(*StoredMessage)) {
	if starter := s.FindMessage(ch.Thread.Parent.ID, ch.ID); starter != nil {
		starter.Msg.Thread = s.ChannelObject(ch)
		announce(starter)
	}
}

// RemoveThread deletes a thread with its messages. The starter message stays.
func (s *Model) RemoveThread(ch *Channel) {
	s.dispatchThread(ch, "THREAD_DELETE", map[string]any{"id": ch.ID, "guild_id": ch.GuildID(), "parent_id": ch.Thread.Parent.ID, "type": ch.Type})
	s.dropChannel(ch)
	if starter := s.FindMessage(ch.Thread.Parent.ID, ch.ID); starter != nil {
		starter.Msg.Thread = nil
		starter.Msg.Flags &^= FlagHasThread
		s.AnnounceEdit(starter)
	}
	s.worldChanged()
}

// ThreadsOf lists the threads that keep accepts, oldest first.
func (s *Model) ThreadsOf(keep func(*Channel) bool) []*Channel {
	var out []*Channel
	for _, ch := range s.Channels {
		if ch.Thread != nil && keep(ch) {
			out = append(out, ch)
		}
	}
	slices.SortFunc(out, func(a, b *Channel) int { return api.CompareIDs(a.ID, b.ID) })
	return out
}

// ActiveThreads lists the threads of a guild that are not archived and that
// the bot can see.
func (s *Model) ActiveThreads(g *Guild) []*Channel {
	return s.ThreadsOf(func(ch *Channel) bool {
		return ch.Guild == g && !ch.Thread.Archived && s.May(ch.ID, s.World.Application.ID, 0)
	})
}

// SetArchived archives or unarchives a thread.
func (s *Model) SetArchived(ch *Channel, archived bool) {
	if ch.Thread.Archived != archived {
		ch.Thread.Archived, ch.Thread.ArchivedAt, ch.Thread.activeAt = archived, s.Now(), s.Now()
		s.archiveLater(ch)
	}
}

// Unarchive prepares a thread for a new message: "Sending a message will
// automatically unarchive the thread, unless the thread has been locked by a
// moderator" (Threads). In a locked thread only those who manage threads may
// write.
func (s *Model) Unarchive(ch *Channel, userID string) error {
	if ch == nil || ch.Thread == nil {
		return nil
	}
	if s.locked(ch, userID) {
		return api.ErrThreadLocked
	}
	if ch.Thread.Archived {
		if err := s.RoomForThread(ch.Guild); err != nil {
			return err
		}
		s.SetArchived(ch, false)
		s.AnnounceThreadUpdate(ch)
	}
	return nil
}

// countThreadMessage counts a message of a thread and makes its author and the
// users it mentions members. System messages are not counted.
func (s *Model) countThreadMessage(m *StoredMessage) {
	ch := s.Channels[m.Msg.ChannelID]
	if ch == nil || ch.Thread == nil || m.Viewer != "" {
		return
	}
	ch.Thread.activeAt = s.Now()
	if m.Msg.Type != api.MessageThreadStarter {
		ch.Thread.messageCount++
		ch.Thread.totalSent++
		s.updateStarter(ch, s.emitMessage) // bots get no event
	}
	s.AddThreadMember(ch, m.Msg.Author.ID, "")
	for _, u := range m.Msg.Mentions {
		s.AddThreadMember(ch, u.ID, "")
	}
}

// NewMessage returns a message of a type, for Publish.
func (s *Model) NewMessage(channelID string, kind int, author api.User, content string) *StoredMessage {
	return &StoredMessage{Created: s.Now(), bot: s.World.Application.ID, now: s.Now, Msg: api.Message{
		ChannelID: channelID, Type: kind, Author: author, Content: content, Timestamp: api.FormatTime(s.Now()),
		Embeds: []api.Embed{}, Components: []api.Component{}, Mentions: []api.User{}, MentionRoles: []string{},
	}}
}

// AddThreadMember makes a user a member of a thread if they can see it. by is
// the user who added them, "" if they joined themselves.
func (s *Model) AddThreadMember(ch *Channel, userID, by string) {
	if _, already := ch.Thread.Member(userID); already {
		return
	}
	if _, exists := s.UserByID(userID); !exists || !s.May(ch.Thread.Parent.ID, userID, 0) {
		return
	}
	m := threadMember{userID, s.Now()}
	ch.Thread.Members = append(ch.Thread.Members, m)
	s.announceThreadMembers(ch, []any{ThreadMemberObject(ch, m)}, nil, userID)
	if by != "" {
		author, _ := s.UserByID(by)
		added, _ := s.UserByID(userID)
		note := s.NewMessage(ch.ID, api.MessageRecipientAdd, author, "")
		note.Msg.Mentions = []api.User{added}
		s.Publish(note)
	}
	s.worldChanged()
}

// RemoveThreadMember ends a membership.
func (s *Model) RemoveThreadMember(ch *Channel, userID string) {
	n := len(ch.Thread.Members)
	ch.Thread.Members = slices.DeleteFunc(ch.Thread.Members, func(m threadMember) bool { return m.userID == userID })
	if len(ch.Thread.Members) < n {
		s.announceThreadMembers(ch, nil, []string{userID}, userID)
		s.worldChanged()
	}
}

// announceThreadMembers sends THREAD_MEMBERS_UPDATE: to every session if it is
// about the bot, otherwise to those with the members intent ("Thread Members
// Update").
func (s *Model) announceThreadMembers(ch *Channel, added []any, removed []string, about string) {
	intents := api.IntentGuildMembers
	if about == s.World.Application.ID {
		intents = api.IntentGuilds
	}
	s.dispatch(ch.Guild, intents, "THREAD_MEMBERS_UPDATE", map[string]any{
		"id": ch.ID, "guild_id": ch.GuildID(), "member_count": min(len(ch.Thread.Members), 50),
		"added_members": api.OrEmpty(added), "removed_member_ids": api.OrEmpty(removed),
	})
}
