package model

import (
	"slices"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/world"
)

// permissionsOf is what a member may in the server as a whole: what @everyone
// and the member's roles give; the owner and administrators everything
// ("Permission Hierarchy"). Who is no member may nothing.
func (s *Model) PermissionsOf(g *Guild, userID string) int64 {
	if !s.IsMember(g, userID) {
		return 0
	}
	if userID == g.OwnerID {
		return api.PermissionsAll
	}
	all := g.roles[0].Permissions
	for _, r := range s.rolesOf(g, userID) {
		all |= r.Permissions
	}
	if all&api.PermissionAdministrator != 0 {
		return api.PermissionsAll
	}
	return all
}

// permissionsIn is what somebody may in a place. A thread has its channel's
// overwrites; in direct messages there are no permissions to take, and the
// bit set is that of those who take part.
func (s *Model) permissionsIn(p *Channel, userID string) int64 {
	switch {
	case p == nil:
		return 0
	case p.Type == api.ChannelDM:
		if !slices.Contains(p.Recipients, userID) {
			return 0
		}
		return api.DefaultPermissions
	case p.Thread != nil:
		if !s.inThread(p, userID) {
			return 0
		}
		return s.permissionsIn(p.Thread.Parent, userID)
	}
	all := s.PermissionsOf(p.Guild, userID)
	if all&api.PermissionAdministrator != 0 {
		return all
	}
	return s.applyOverwrites(p, userID, all)
}

// overwritten applies a channel's overwrites in their order: @everyone, then
// what the member's roles are denied together and allowed together, then the
// member ("Permission Overwrites").
func (s *Model) applyOverwrites(p *Channel, userID string, all int64) int64 {
	if all == 0 {
		return 0
	}
	roles := s.rolesOf(p.Guild, userID)
	var everyone, member world.Overwrite
	var allow, deny int64
	for _, o := range p.overwrites {
		switch {
		case o.Member && o.ID == userID:
			member = o
		case !o.Member && o.ID == p.Guild.ID:
			everyone = o
		case !o.Member && slices.ContainsFunc(roles, func(r world.Role) bool { return r.ID == o.ID }):
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
func (s *Model) inThread(p *Channel, userID string) bool {
	if p.Type != api.ChannelPrivateThread {
		return true
	}
	_, member := p.Thread.Member(userID)
	return member || s.permissionsIn(p.Thread.Parent, userID)&api.PermissionManageThreads != 0
}

// may says whether somebody has every permission of a set in a place. Who may
// not see a channel may nothing in it ("Implicit Permissions"), and in a
// thread the right to send messages is another one ("Threads", "Permissions").
func (s *Model) May(channelID, userID string, permissions int64) bool {
	p := s.Channels[channelID]
	if p == nil {
		return false
	}
	needed := permissions | api.PermissionViewChannel
	if p.Thread != nil && needed&api.PermissionSendMessages != 0 {
		needed = needed&^api.PermissionSendMessages | api.PermissionSendInThreads
	}
	return s.permissionsIn(p, userID)&needed == needed
}

// botMay checks what the bot needs in a channel: 10003 for a channel that
// there is not, 50001 for one that it cannot see, 50013 for what else it lacks.
func (s *Model) BotMay(channelID string, permissions int64) error {
	me := s.World.Application.ID
	if s.Channels[channelID] == nil {
		return api.ErrUnknownChannel
	}
	if !s.May(channelID, me, 0) {
		return api.ErrMissingAccess
	}
	if !s.May(channelID, me, permissions) {
		return api.ErrMissingPermissions
	}
	return nil
}

// appPermissions is what an interaction says that the bot may where it
// happens. In direct messages it is a fixed set ("Interaction Object"). In a
// server that the bot is not in, where its user has it installed, what it
// says is not written down: here, what the user may.
func (s *Model) appPermissions(p *Channel, userID string) int64 {
	switch {
	case p.Guild == nil && s.isBotDM(p):
		return api.PermissionAttachFiles | api.PermissionEmbedLinks | api.PermissionMentionEveryone | api.PermissionExternalEmoji
	case p.Guild == nil:
		return api.PermissionAttachFiles | api.PermissionEmbedLinks | api.PermissionMentionEveryone
	case !p.Guild.HasBot:
		return s.permissionsIn(p, userID)
	}
	return s.permissionsIn(p, s.World.Application.ID)
}
