package sandbox

import (
	"cmp"
	"net/http"

	"castellan/bot/sandbox/api"
)

func (s *Sandbox) startThreadFromMessage(c *call) (int, any, error) {
	starter, parent := c.message, c.channel
	if !hasThreads(parent) {
		return 0, nil, api.ErrChannelType
	}
	if err := s.botMay(parent.ID, api.PermissionPublicThreads); err != nil {
		return 0, nil, err
	}
	var form threadOptions
	if !c.form.Decode(&form) || c.form.Err() != nil {
		return 0, nil, c.form.Err()
	}
	if s.channels[starter.Msg.ID] != nil {
		return 0, nil, api.ErrThreadExists
	}
	if err := s.roomForThread(c.channel.Guild); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, s.channelObject(s.startThreadFrom(starter, s.ApplicationID(), form)), nil
}

// hasThreads reports whether threads can be started from a channel's messages.
func hasThreads(ch *channelState) bool {
	return ch.Type == api.ChannelText || ch.Type == api.ChannelAnnouncement
}

// startPost starts a thread in a forum channel with its first message, which
// has the same id ("Start Thread in Forum or Media Channel").
func (s *Sandbox) startPost(c *call) (int, any, error) {
	if c.channel.Type != api.ChannelForum {
		return 0, nil, api.NotBuilt("threads without a message, other than posts in a forum")
	}
	var form threadOptions
	first := c.form.Field("message")
	if !first.Required() || !c.form.Decode(&form) {
		return 0, nil, c.form.Err()
	}
	if err := cmp.Or(s.botMay(c.channel.ID, messageNeeds(first, c.files)), s.roomForThread(c.channel.Guild)); err != nil {
		return 0, nil, err
	}
	m, err := s.readMessage(first, c.files, c.channel.ID, createFlags)
	if err != nil {
		return 0, nil, err
	}
	ch := s.newPost(c.channel, m, s.ApplicationID(), form)
	object := s.channelObject(ch)
	object["message"] = m.botView()
	return http.StatusCreated, object, nil
}

// editThread archives or unarchives a thread ("Editing & Deleting Threads").
// Archiving needs permission to manage threads or to have started the thread,
// unarchiving permission to write. The pages contradict each other on whether
// its creator may unarchive a locked one; here they may not.
func (s *Sandbox) editThread(c *call) (int, any, error) {
	if c.channel.Thread == nil {
		err := cmp.Or(s.botMay(c.channel.ID, api.PermissionManageChannels), api.NotBuilt("edits of channels that are no threads"))
		return 0, nil, err
	}
	for field := range c.form.Fields() {
		if field != "archived" {
			return 0, nil, api.NotBuilt("edits of a thread's " + field)
		}
	}
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	t, archived, me := c.channel.Thread, c.form.Field("archived").Boolean(), s.ApplicationID()
	manages := s.may(c.channel.ID, me, api.PermissionManageThreads)
	switch {
	case archived && !manages && (t.OwnerID != me || t.Locked):
		return 0, nil, api.ErrMissingPermissions
	case !archived && t.Archived && !manages && (t.Locked || !s.may(c.channel.ID, me, api.PermissionSendMessages)):
		return 0, nil, api.ErrMissingPermissions
	}
	if t.Archived && !archived {
		if err := s.roomForThread(c.channel.Guild); err != nil {
			return 0, nil, err
		}
	}
	s.setArchived(c.channel, archived)
	s.announceThreadUpdate(c.channel)
	return http.StatusOK, s.channelObject(c.channel), nil
}
