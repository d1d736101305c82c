package sandbox

import (
	"net/http"
	"slices"
)

// join makes somebody a member of a thread, if they can see it; by is who
// added them, "" when they came by themselves.
func (s *Model) addThreadMember(p *place, userID, by string) {
	if _, already := p.thread.member(userID); already {
		return
	}
	if _, exists := s.userObject(userID); !exists || !s.may(p.thread.parent.ID, userID, 0) {
		return
	}
	m := threadMember{userID, s.now()}
	p.thread.members = append(p.thread.members, m)
	s.announceThreadMembers(p, []any{threadMemberObject(p, m)}, nil, userID)
	if by != "" {
		author, _ := s.userObject(by)
		added, _ := s.userObject(userID)
		note := s.systemMessage(p.ID, MessageRecipientAdd, author, "")
		note.msg.Mentions = []UserObject{added}
		s.publish(note)
	}
	s.worldChanged()
}

// leave ends a membership.
func (s *Model) removeThreadMember(p *place, userID string) {
	n := len(p.thread.members)
	p.thread.members = slices.DeleteFunc(p.thread.members, func(m threadMember) bool { return m.userID == userID })
	if len(p.thread.members) < n {
		s.announceThreadMembers(p, nil, []string{userID}, userID)
		s.worldChanged()
	}
}

// membersChanged sends THREAD_MEMBERS_UPDATE: about the bot itself to every
// session, about others to those with the members intent ("Thread Members
// Update").
func (s *Model) announceThreadMembers(p *place, added []any, removed []string, about string) {
	intents := intentGuildMembers
	if about == s.world.Application.ID {
		intents = intentGuilds
	}
	s.dispatch(p.guild, intents, "THREAD_MEMBERS_UPDATE", map[string]any{
		"id": p.ID, "guild_id": p.guildID(), "member_count": min(len(p.thread.members), 50),
		"added_members": orEmpty(added), "removed_member_ids": orEmpty(removed),
	})
}

// threadOf finds the thread of a route.
func (s *restAPI) threadOf(c *call) (*place, error) {
	if err := s.botMay(c.param("channel_id"), 0); err != nil {
		return nil, err
	}
	p := s.channels[c.param("channel_id")]
	if p.thread == nil {
		return nil, errChannelType
	}
	return p, nil
}

func (s *restAPI) memberParam(c *call) string {
	if id := c.param("user_id"); id != "" {
		return id
	}
	return s.world.Application.ID
}

// joinThread is PUT of a member; nobody can be added to an archived thread.
func (s *restAPI) joinThread(c *call) (int, any, error) {
	p, err := s.threadOf(c)
	if err != nil {
		return 0, nil, err
	}
	if p.thread.archived {
		return 0, nil, errThreadArchived
	}
	id, by := s.memberParam(c), ""
	if id != s.world.Application.ID {
		by = s.world.Application.ID
		if err := s.botMay(p.ID, PermissionSendMessages); err != nil {
			return 0, nil, err
		}
		if !s.isMember(p.guild, id) {
			return 0, nil, errUnknownUser
		}
	}
	s.addThreadMember(p, id, by)
	return http.StatusNoContent, nil, nil
}

func (s *restAPI) leaveThread(c *call) (int, any, error) {
	p, err := s.threadOf(c)
	if err != nil {
		return 0, nil, err
	}
	if p.thread.archived {
		return 0, nil, errThreadArchived
	}
	id := s.memberParam(c)
	if id != s.world.Application.ID && !s.may(p.ID, s.world.Application.ID, PermissionManageThreads) &&
		(p.Type != ChannelPrivateThread || p.thread.ownerID != s.world.Application.ID) {
		return 0, nil, errMissingPermissions
	}
	s.removeThreadMember(p, id)
	return http.StatusNoContent, nil, nil
}

func (s *restAPI) getThreadMember(c *call) (int, any, error) {
	p, err := s.threadOf(c)
	if err != nil {
		return 0, nil, err
	}
	m, ok := p.thread.member(s.memberParam(c))
	if !ok {
		return 0, nil, errUnknownMember
	}
	return http.StatusOK, threadMemberObject(p, m), nil
}

func (s *restAPI) listThreadMembers(c *call) (int, any, error) {
	p, err := s.threadOf(c)
	if err != nil {
		return 0, nil, err
	}
	out := []any{}
	for _, m := range p.thread.members {
		out = append(out, threadMemberObject(p, m))
	}
	return http.StatusOK, out, nil
}
