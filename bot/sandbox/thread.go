package sandbox

import (
	"net/http"
	"slices"
	"strings"
)

// autoArchive lists how long a thread may be quiet, in minutes ("Thread
// Metadata Object").
var autoArchive = []int64{60, 1440, 4320, 10080}

// messageHasThread is the flag of a message that a thread was started from.
const messageHasThread = 1 << 5

// startFrom starts a thread from a message: both have the same id
// ("Start Thread from Message"). Its first message points at that one.
func (s *Model) startThreadFrom(starter *post, ownerID string, form threadForm) *place {
	p := s.newThread(starter.msg.ID, ChannelPublicThread, s.channels[starter.msg.ChannelID], ownerID, form)
	starter.msg.Flags |= messageHasThread
	author, _ := s.userObject(ownerID)
	first := s.systemMessage(p.ID, MessageThreadStarter, author, "")
	first.msg.MessageReference = &MessageReference{ChannelID: starter.msg.ChannelID, MessageID: starter.msg.ID, GuildID: p.guildID()}
	ref := starter.pageView()
	ref.ReferencedMessage = nil
	first.msg.ReferencedMessage = &ref
	s.announceThread(p)
	s.updateStarter(p)
	s.publish(first)
	return p
}

// start starts a thread without a message.
func (s *Model) startThreadIn(parent *place, kind int, ownerID string, form threadForm) *place {
	p := s.newThread(s.IDs.next(), kind, parent, ownerID, form)
	s.announceThread(p)
	if kind == ChannelPublicThread { // the channel is told of it
		author, _ := s.userObject(ownerID)
		m := s.systemMessage(parent.ID, MessageThreadCreated, author, form.name)
		m.msg.MessageReference = &MessageReference{ChannelID: p.ID, GuildID: p.guildID()}
		s.publish(m)
	}
	return p
}

// threadForm is what a thread is started with.
type threadForm struct {
	name        string
	autoArchive int
	slowmode    int
	invitable   bool
}

func (s *Model) newThread(id string, kind int, parent *place, ownerID string, form threadForm) *place {
	if form.autoArchive == 0 {
		form.autoArchive = 4320 // what a channel starts with
	}
	now := s.now()
	p := &place{ID: id, Type: kind, guild: parent.guild, name: form.name, thread: &thread{
		parent: parent, ownerID: ownerID, autoArchive: form.autoArchive, slowmode: form.slowmode, invitable: form.invitable,
		created: now, archivedAt: now, members: []threadMember{{ownerID, now}},
	}}
	s.channels[id] = p
	return p
}

func (s *Model) announceThread(p *place) {
	object := s.channelObject(p)
	object["newly_created"] = true
	s.dispatchThread(p, "THREAD_CREATE", object)
	s.worldChanged()
}

// dispatchThread sends an event of a thread if the bot can see it: "Clients
// will not be informed of a thread if they do not have permission to view it".
func (s *Model) dispatchThread(p *place, kind string, data any) {
	if s.may(p.ID, s.world.Application.ID, 0) {
		s.dispatch(p.guild, intentGuilds, kind, data)
	}
}

// threadChanged tells everybody of a change.
func (s *Model) announceThreadUpdate(p *place) {
	s.dispatchThread(p, "THREAD_UPDATE", s.channelObject(p))
	s.updateStarter(p)
	s.worldChanged()
}

// showThread puts a thread as it is on the message that it was started from.
func (s *Model) updateStarter(p *place) {
	if starter := s.findMessage(p.thread.parent.ID, p.ID); starter != nil {
		starter.msg.Thread = s.channelObject(p)
		s.announceEdit(starter)
	}
}

// recount shows a thread's number of messages on its starter. Bots are not
// told of it.
func (s *Model) updateThreadCount(p *place) {
	if starter := s.findMessage(p.thread.parent.ID, p.ID); starter != nil {
		starter.msg.Thread = s.channelObject(p)
		s.emitMessage(starter)
	}
}

// removeThread deletes a thread with its messages. The message that it was
// started from stays.
func (s *Model) removeThread(p *place) {
	s.dispatchThread(p, "THREAD_DELETE", map[string]any{"id": p.ID, "guild_id": p.guildID(), "parent_id": p.thread.parent.ID, "type": p.Type})
	s.dropChannel(p)
	if starter := s.findMessage(p.thread.parent.ID, p.ID); starter != nil {
		starter.msg.Thread = nil
		starter.msg.Flags &^= messageHasThread
		s.announceEdit(starter)
	}
	s.worldChanged()
}

// threadsOf lists the threads of a server or of one channel, the oldest first.
func (s *Model) threadsOf(keep func(*place) bool) []*place {
	var out []*place
	for _, p := range s.channels {
		if p.thread != nil && keep(p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *place) int {
		if n := len(a.ID) - len(b.ID); n != 0 {
			return n
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// activeThreads are those of a server that are not archived and that the bot
// can see.
func (s *Model) activeThreads(g *server) []*place {
	return s.threadsOf(func(p *place) bool {
		return p.guild == g && !p.thread.archived && s.may(p.ID, s.world.Application.ID, 0)
	})
}

// setArchived archives a thread or makes it active again.
func (s *Model) setArchived(p *place, archived bool) {
	if p.thread.archived != archived {
		p.thread.archived, p.thread.archivedAt = archived, s.now()
	}
}

// awake makes a thread ready for a message: "Sending a message will
// automatically unarchive the thread, unless the thread has been locked by a
// moderator" (Threads). In a locked one only those who manage threads write.
func (s *Model) unarchive(p *place, userID string) error {
	if p == nil || p.thread == nil {
		return nil
	}
	if p.thread.locked && !s.may(p.ID, userID, PermissionManageThreads) {
		return errThreadLocked
	}
	if p.thread.archived {
		s.setArchived(p, false)
		s.announceThreadUpdate(p)
	}
	return nil
}

// changeable refuses what cannot be done in an archived thread.
func (s *restAPI) checkNotArchived(channelID string) error {
	if p := s.channels[channelID]; p != nil && p.thread != nil && p.thread.archived {
		return errThreadArchived
	}
	return nil
}

// wrote counts a message of a thread and makes its author, and those whom it
// mentions, members. Messages of the system are not counted.
func (s *Model) countThreadMessage(m *post) {
	p := s.channels[m.msg.ChannelID]
	if p == nil || p.thread == nil || m.viewer != "" {
		return
	}
	if m.msg.Type != MessageThreadStarter {
		p.thread.messageCount++
		p.thread.totalSent++
		s.updateThreadCount(p)
	}
	s.addThreadMember(p, m.msg.Author.ID, "")
	for _, u := range m.msg.Mentions {
		s.addThreadMember(p, u.ID, "")
	}
}

// systemMessage is a message that Discord writes itself in somebody's name.
func (s *Model) systemMessage(channelID string, kind int, author UserObject, content string) *post {
	return &post{created: s.now(), msg: Message{
		ChannelID: channelID, Type: kind, Author: author, Content: content, Timestamp: stamp(s.now()),
		Embeds: []Embed{}, Components: []Component{}, Mentions: []UserObject{}, MentionRoles: []string{},
	}}
}

func (s *restAPI) startThreadFromMessage(c *call) (int, any, error) {
	starter, err := s.botMessage(c)
	if err != nil {
		return 0, nil, err
	}
	parent := s.channels[starter.msg.ChannelID]
	if parent.Type != ChannelText {
		return 0, nil, errChannelType
	}
	if err := s.botMay(parent.ID, PermissionPublicThreads); err != nil {
		return 0, nil, err
	}
	form := readThread(c.form)
	if err := c.form.err(); err != nil {
		return 0, nil, err
	}
	if s.channels[starter.msg.ID] != nil {
		return 0, nil, errThreadExists
	}
	return http.StatusCreated, s.channelObject(s.startThreadFrom(starter, s.world.Application.ID, form)), nil
}

// startThread starts a thread without a message. Without a type it is private
// ("Start Thread without Message").
func (s *restAPI) startThread(c *call) (int, any, error) {
	if err := s.botMay(c.param("channel_id"), 0); err != nil {
		return 0, nil, err
	}
	parent := s.channels[c.param("channel_id")]
	if parent.Type != ChannelText {
		return 0, nil, errChannelType
	}
	form := readThread(c.form)
	kind := ChannelPrivateThread
	if t := c.form.field("type"); t.isSet() {
		kind = int(t.oneOf(ChannelPublicThread, ChannelPrivateThread))
	}
	if err := c.form.err(); err != nil {
		return 0, nil, err
	}
	need := int64(PermissionPrivateThreads)
	if kind == ChannelPublicThread {
		need = PermissionPublicThreads
	}
	if err := s.botMay(parent.ID, need); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, s.channelObject(s.startThreadIn(parent, kind, s.world.Application.ID, form)), nil
}

func readThread(form node) threadForm {
	f := threadForm{invitable: true}
	if !form.isObject() {
		return f
	}
	if n := form.field("name"); n.required() {
		f.name = n.text(1, 100)
	}
	if n := form.field("auto_archive_duration"); n.isSet() {
		f.autoArchive = int(n.oneOf(autoArchive...))
	}
	if n := form.field("rate_limit_per_user"); n.isSet() {
		f.slowmode = int(n.integer(0, 21600))
	}
	if n := form.field("invitable"); n.isSet() {
		f.invitable = n.boolean()
	}
	return f
}
