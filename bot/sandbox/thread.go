package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"castellan/bot/sandbox/api"
)

type threadState struct {
	Parent                  *channelState
	OwnerID                 string
	Archived                bool
	Locked                  bool
	AutoArchive             int // minutes
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

type threadOptions struct {
	Name        string `json:"name"`
	AutoArchive int    `json:"auto_archive_duration"` // minutes
	Slowmode    int    `json:"rate_limit_per_user"`   // seconds
}

func (t *threadState) member(userID string) (threadMember, bool) {
	for _, m := range t.Members {
		if m.userID == userID {
			return m, true
		}
	}
	return threadMember{}, false
}

func threadMemberObject(ch *channelState, m threadMember) map[string]any {
	return map[string]any{"id": ch.ID, "user_id": m.userID, "join_timestamp": api.FormatTime(m.joined), "flags": 0}
}

// flagHasThread is the flag of a message that a thread was started from.
const flagHasThread = 1 << 5

// startThreadFrom starts a thread from a message. Both have the same id
// ("Start Thread from Message"). The thread's first message refers to the
// starter.
func (s *Sandbox) startThreadFrom(starter *storedMessage, ownerID string, form threadOptions) *channelState {
	parent, kind := s.channels[starter.Msg.ChannelID], api.ChannelPublicThread
	if parent.Type == api.ChannelAnnouncement {
		kind = api.ChannelAnnouncementThread
	}
	ch := s.newThread(starter.Msg.ID, kind, parent, ownerID, form)
	starter.Msg.Flags |= flagHasThread
	author, _ := s.userByID(ownerID)
	first := s.emptyMessage(ch.ID, api.MessageThreadStarter, author, "")
	s.setReference(&first.Msg, starter)
	s.announceThread(ch)
	s.updateStarter(ch, s.announceEdit)
	s.publish(first)
	return ch
}

func (s *Sandbox) setReference(m *api.Message, to *storedMessage) {
	m.MessageReference = &api.MessageReference{ChannelID: to.Msg.ChannelID, MessageID: to.Msg.ID}
	if ch := s.channels[to.Msg.ChannelID]; ch != nil {
		m.MessageReference.GuildID = ch.GuildID
	}
	ref := to.pageView()
	ref.ReferencedMessage = nil
	m.ReferencedMessage = &ref
}

func (s *Sandbox) newPost(parent *channelState, first *storedMessage, ownerID string, form threadOptions) *channelState {
	ch := s.newThread(s.ids.Next(), api.ChannelPublicThread, parent, ownerID, form)
	s.announceThread(ch)
	first.Msg.ID, first.Msg.ChannelID = ch.ID, ch.ID
	for _, f := range first.Files {
		f.Rename(s.url, ch.ID, f.Filename)
	}
	s.publish(first)
	return ch
}

func (s *Sandbox) newThread(id string, kind int, parent *channelState, ownerID string, form threadOptions) *channelState {
	const defaultAutoArchive = 4320 // minutes
	now := s.o.Now()
	channel := Channel{ID: id, GuildID: parent.GuildID, Type: kind, Name: form.Name, Slowmode: form.Slowmode}
	ch := &channelState{Channel: channel, Guild: parent.Guild, Thread: &threadState{
		Parent: parent, OwnerID: ownerID, AutoArchive: cmp.Or(form.AutoArchive, defaultAutoArchive),
		created: now, ArchivedAt: now, activeAt: now, Members: []threadMember{{ownerID, now}},
	}}
	s.channels[id] = ch
	s.archiveLater(ch)
	return ch
}

// archiveLater makes the next ArchiveIdle run no later than a thread is due.
func (s *Sandbox) archiveLater(ch *channelState) {
	if due := ch.Thread.due(); s.nextArchive.IsZero() || due.Before(s.nextArchive) {
		s.nextArchive = due
	}
}

func (t *threadState) due() time.Time {
	return t.activeAt.Add(time.Duration(t.AutoArchive) * time.Minute)
}

// archiveIdle archives the threads in which nothing has happened for their
// auto_archive_duration ("Active & Archived Threads").
func (s *Sandbox) archiveIdle() {
	if now := s.o.Now(); !s.o.Strict || s.nextArchive.IsZero() || now.Before(s.nextArchive) {
		return
	}
	s.nextArchive = time.Time{}
	for _, ch := range s.threadsOf(func(ch *channelState) bool { return !ch.Thread.Archived }) {
		if s.o.Now().Before(ch.Thread.due()) {
			s.archiveLater(ch)
			continue
		}
		s.setArchived(ch, true)
		s.announceThreadUpdate(ch)
	}
}

// SetThread archives or unarchives, and locks or unlocks a thread, as a
// moderator does. It fails if there is no such thread.
func (s *Sandbox) SetThread(channelID string, archived, locked bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[channelID]
	if ch == nil || ch.Thread == nil {
		return fmt.Errorf("there is no thread %q", channelID)
	}
	s.setArchived(ch, archived)
	ch.Thread.Locked = locked
	s.announceThreadUpdate(ch)
	return nil
}

// roomForThread returns 160006 if a guild has its maximum of active threads.
func (s *Sandbox) roomForThread(g *guildState) error {
	active := s.threadsOf(func(ch *channelState) bool { return ch.Guild == g && !ch.Thread.Archived })
	if s.o.Strict && len(active) >= s.o.Limits.ActiveThreads {
		return api.ErrTooManyThreads
	}
	return nil
}

var errLocked = errors.New("this thread is locked")

// closedTo reports whether a person can use nothing in a thread: it is locked
// ("Locked Threads").
func (s *Sandbox) closedTo(ch *channelState, userID string) bool {
	return s.o.Strict && s.locked(ch, userID)
}

func (s *Sandbox) locked(ch *channelState, userID string) bool {
	return ch.Thread != nil && ch.Thread.Locked && !s.may(ch.ID, userID, api.PermissionManageThreads)
}

// checkEdit returns the error for an edit of a message in a thread that is
// archived (50083) or locked (160005).
func (s *Sandbox) checkEdit(ch *channelState, userID string) error {
	switch {
	case ch != nil && ch.Thread != nil && ch.Thread.Archived:
		return api.ErrThreadArchived
	case ch != nil && s.closedTo(ch, userID):
		return api.ErrThreadLocked
	}
	return nil
}

func (s *Sandbox) announceThread(ch *channelState) {
	object := s.channelObject(ch)
	object["newly_created"] = true
	s.dispatchThread(ch, "THREAD_CREATE", object)
	s.worldChanged()
}

// dispatchThread sends an event of a thread if the bot can see it: "Clients
// will not be informed of a thread if they do not have permission to view it".
func (s *Sandbox) dispatchThread(ch *channelState, kind string, data any) {
	if s.may(ch.ID, s.ApplicationID(), 0) {
		s.dispatch(ch.Guild, api.IntentGuilds, kind, data)
	}
}

func (s *Sandbox) announceThreadUpdate(ch *channelState) {
	s.dispatchThread(ch, "THREAD_UPDATE", s.channelObject(ch))
	s.updateStarter(ch, s.announceEdit)
	s.worldChanged()
}

func (s *Sandbox) updateStarter(ch *channelState, announce func(*storedMessage)) {
	if starter := s.findMessage(ch.Thread.Parent.ID, ch.ID); starter != nil {
		starter.Msg.Thread = s.channelObject(ch)
		announce(starter)
	}
}

// removeThread deletes a thread with its messages. The starter message stays.
func (s *Sandbox) removeThread(ch *channelState) {
	s.dispatchThread(ch, "THREAD_DELETE", map[string]any{"id": ch.ID, "guild_id": ch.GuildID, "parent_id": ch.Thread.Parent.ID, "type": ch.Type})
	s.forgetChannel(ch)
	if starter := s.findMessage(ch.Thread.Parent.ID, ch.ID); starter != nil {
		starter.Msg.Thread = nil
		starter.Msg.Flags &^= flagHasThread
		s.announceEdit(starter)
	}
	s.worldChanged()
}

// threadsOf lists the threads that keep accepts, oldest first.
func (s *Sandbox) threadsOf(keep func(*channelState) bool) []*channelState {
	var out []*channelState
	for _, ch := range s.channels {
		if ch.Thread != nil && keep(ch) {
			out = append(out, ch)
		}
	}
	slices.SortFunc(out, func(a, b *channelState) int { return api.CompareIDs(a.ID, b.ID) })
	return out
}

func (s *Sandbox) activeThreads(g *guildState) []*channelState {
	return s.threadsOf(func(ch *channelState) bool {
		return ch.Guild == g && !ch.Thread.Archived && s.may(ch.ID, s.ApplicationID(), 0)
	})
}

func (s *Sandbox) setArchived(ch *channelState, archived bool) {
	if ch.Thread.Archived != archived {
		ch.Thread.Archived, ch.Thread.ArchivedAt, ch.Thread.activeAt = archived, s.o.Now(), s.o.Now()
		s.archiveLater(ch)
	}
}

// unarchive prepares a thread for a new message: "Sending a message will
// automatically unarchive the thread, unless the thread has been locked by a
// moderator" (Threads). In a locked thread only those who manage threads may
// write.
func (s *Sandbox) unarchive(ch *channelState, userID string) error {
	if ch == nil || ch.Thread == nil {
		return nil
	}
	if s.locked(ch, userID) {
		return api.ErrThreadLocked
	}
	if ch.Thread.Archived {
		if err := s.roomForThread(ch.Guild); err != nil {
			return err
		}
		s.setArchived(ch, false)
		s.announceThreadUpdate(ch)
	}
	return nil
}

// countThreadMessage counts a message of a thread and makes its author and the
// users it mentions members. System messages are not counted.
func (s *Sandbox) countThreadMessage(m *storedMessage) {
	ch := s.channels[m.Msg.ChannelID]
	if ch == nil || ch.Thread == nil || m.Viewer != "" {
		return
	}
	ch.Thread.activeAt = s.o.Now()
	if m.Msg.Type != api.MessageThreadStarter {
		ch.Thread.messageCount++
		ch.Thread.totalSent++
		s.updateStarter(ch, s.emitMessage) // bots get no event
	}
	s.addThreadMember(ch, m.Msg.Author.ID)
	for _, u := range m.Msg.Mentions {
		s.addThreadMember(ch, u.ID)
	}
}

// emptyMessage returns a message of a type, for Publish.
func (s *Sandbox) emptyMessage(channelID string, kind int, author api.User, content string) *storedMessage {
	return &storedMessage{Created: s.o.Now(), bot: s.ApplicationID(), Msg: api.Message{
		ChannelID: channelID, Type: kind, Author: author, Content: content, Timestamp: api.FormatTime(s.o.Now()),
		Embeds: []api.Embed{}, Components: []api.Component{}, Mentions: []api.User{}, MentionRoles: []string{},
	}}
}

func (s *Sandbox) addThreadMember(ch *channelState, userID string) {
	if _, already := ch.Thread.member(userID); already {
		return
	}
	if _, exists := s.userByID(userID); !exists || !s.may(ch.Thread.Parent.ID, userID, 0) {
		return
	}
	m := threadMember{userID, s.o.Now()}
	ch.Thread.Members = append(ch.Thread.Members, m)
	// THREAD_MEMBERS_UPDATE goes to every session if it is about the bot, otherwise
	// to those with the members intent ("Thread Members Update").
	intents := api.IntentGuildMembers
	if userID == s.ApplicationID() {
		intents = api.IntentGuilds
	}
	s.dispatch(ch.Guild, intents, "THREAD_MEMBERS_UPDATE", map[string]any{
		"id": ch.ID, "guild_id": ch.GuildID, "member_count": min(len(ch.Thread.Members), 50),
		"added_members": []any{threadMemberObject(ch, m)}, "removed_member_ids": []string{},
	})
	s.worldChanged()
}
