package sandbox

import "slices"

// Permissions as bit sets ("Permissions").
const (
	PermissionAdministrator   = 1 << 3
	PermissionManageChannels  = 1 << 4
	PermissionManageGuild     = 1 << 5
	PermissionViewChannel     = 1 << 10
	PermissionSendMessages    = 1 << 11
	PermissionManageMessages  = 1 << 13
	PermissionEmbedLinks      = 1 << 14
	PermissionAttachFiles     = 1 << 15
	PermissionReadHistory     = 1 << 16
	PermissionMentionEveryone = 1 << 17
	PermissionExternalEmoji   = 1 << 18
	PermissionUseCommands     = 1 << 31
	PermissionManageThreads   = 1 << 34
	PermissionPublicThreads   = 1 << 35 // may create them
	PermissionPrivateThreads  = 1 << 36 // may create them
	PermissionSendInThreads   = 1 << 38
	PermissionUseExternalApps = 1 << 50 // what is installed for oneself may answer in public
	permissionsAll            = 1<<53 - 1
)

// What @everyone has in a new server, and what a bot with commands, pictures
// and threads asks for when it is invited.
const (
	DefaultPermissions = PermissionViewChannel | PermissionSendMessages | PermissionEmbedLinks | PermissionAttachFiles |
		PermissionReadHistory | PermissionMentionEveryone | PermissionExternalEmoji | PermissionUseCommands |
		PermissionPublicThreads | PermissionPrivateThreads | PermissionSendInThreads | PermissionUseExternalApps
	DefaultBotPermissions = PermissionViewChannel | PermissionSendMessages | PermissionEmbedLinks | PermissionAttachFiles |
		PermissionReadHistory | PermissionExternalEmoji | PermissionPublicThreads | PermissionSendInThreads
)

// permissionsOf is what a member may in the server as a whole: what @everyone
// and the member's roles give; the owner and administrators everything
// ("Permission Hierarchy"). Who is no member may nothing.
func (s *Model) permissionsOf(g *server, userID string) int64 {
	if !s.isMember(g, userID) {
		return 0
	}
	if userID == g.OwnerID {
		return permissionsAll
	}
	all := g.roles[0].Permissions
	for _, r := range s.rolesOf(g, userID) {
		all |= r.Permissions
	}
	if all&PermissionAdministrator != 0 {
		return permissionsAll
	}
	return all
}

// permissionsIn is what somebody may in a place. A thread has its channel's
// overwrites; in direct messages there are no permissions to take, and the
// bit set is that of those who take part.
func (s *Model) permissionsIn(p *place, userID string) int64 {
	switch {
	case p == nil:
		return 0
	case p.Type == ChannelDM:
		if !slices.Contains(p.recipients, userID) {
			return 0
		}
		return DefaultPermissions
	case p.thread != nil:
		if !s.inThread(p, userID) {
			return 0
		}
		return s.permissionsIn(p.thread.parent, userID)
	}
	all := s.permissionsOf(p.guild, userID)
	if all&PermissionAdministrator != 0 {
		return all
	}
	return s.applyOverwrites(p, userID, all)
}

// overwritten applies a channel's overwrites in their order: @everyone, then
// what the member's roles are denied together and allowed together, then the
// member ("Permission Overwrites").
func (s *Model) applyOverwrites(p *place, userID string, all int64) int64 {
	if all == 0 {
		return 0
	}
	roles := s.rolesOf(p.guild, userID)
	var everyone, member Overwrite
	var allow, deny int64
	for _, o := range p.overwrites {
		switch {
		case o.Member && o.ID == userID:
			member = o
		case !o.Member && o.ID == p.guild.ID:
			everyone = o
		case !o.Member && slices.ContainsFunc(roles, func(r Role) bool { return r.ID == o.ID }):
			allow |= o.Allow
			deny |= o.Deny
		}
	}
	all = all&^everyone.Deny | everyone.Allow
	all = all&^deny | allow
	return all&^member.Deny | member.Allow
}

// inThread says whether a thread is open to somebody: a private one is to its
// members and to those who manage threads ("Threads", "Permissions").
func (s *Model) inThread(p *place, userID string) bool {
	if p.Type != ChannelPrivateThread {
		return true
	}
	_, member := p.thread.member(userID)
	return member || s.permissionsIn(p.thread.parent, userID)&PermissionManageThreads != 0
}

// may says whether somebody has every permission of a set in a place. Who may
// not see a channel may nothing in it ("Implicit Permissions"), and in a
// thread the right to send messages is another one ("Threads", "Permissions").
func (s *Model) may(channelID, userID string, permissions int64) bool {
	p := s.channels[channelID]
	if p == nil {
		return false
	}
	needed := permissions | PermissionViewChannel
	if p.thread != nil && needed&PermissionSendMessages != 0 {
		needed = needed&^PermissionSendMessages | PermissionSendInThreads
	}
	return s.permissionsIn(p, userID)&needed == needed
}

// botMay checks what the bot needs in a channel: 10003 for a channel that
// there is not, 50001 for one that it cannot see, 50013 for what else it lacks.
func (s *Model) botMay(channelID string, permissions int64) error {
	me := s.world.Application.ID
	if s.channels[channelID] == nil {
		return errUnknownChannel
	}
	if !s.may(channelID, me, 0) {
		return errMissingAccess
	}
	if !s.may(channelID, me, permissions) {
		return errMissingPermissions
	}
	return nil
}

// appPermissions is what an interaction says that the bot may where it
// happens. In direct messages it is a fixed set ("Interaction Object"). In a
// server that the bot is not in, where its user has it installed, what it
// says is not written down: here, what the user may.
func (s *Model) appPermissions(p *place, userID string) int64 {
	switch {
	case p.guild == nil && s.isBotDM(p):
		return PermissionAttachFiles | PermissionEmbedLinks | PermissionMentionEveryone | PermissionExternalEmoji
	case p.guild == nil:
		return PermissionAttachFiles | PermissionEmbedLinks | PermissionMentionEveryone
	case !p.guild.hasBot:
		return s.permissionsIn(p, userID)
	}
	return s.permissionsIn(p, s.world.Application.ID)
}
