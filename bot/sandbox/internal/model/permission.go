package model

import (
	"slices"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/world"
)

// PermissionsOf returns a member's permissions in the guild: those of
// @everyone and of the member's roles; all for the owner and administrators
// ("Permission Hierarchy"). Others have none.
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

// permissionsIn returns a user's permissions in a channel. A thread has its
// parent's overwrites. In direct messages the recipients have the default
// permissions.
func (s *Model) permissionsIn(ch *Channel, userID string) int64 {
	switch {
	case ch == nil:
		return 0
	case ch.Type == api.ChannelDM:
		if !slices.Contains(ch.Recipients, userID) {
			return 0
		}
		return api.DefaultPermissions
	case ch.Thread != nil:
		if !s.inThread(ch, userID) {
			return 0
		}
		return s.permissionsIn(ch.Thread.Parent, userID)
	}
	all := s.PermissionsOf(ch.Guild, userID)
	if all&api.PermissionAdministrator != 0 {
		return all
	}
	return s.applyOverwrites(ch, userID, all)
}

// applyOverwrites applies a channel's overwrites in order: @everyone, then all
// denials and all allowances of the member's roles, then the member
// ("Permission Overwrites").
func (s *Model) applyOverwrites(ch *Channel, userID string, all int64) int64 {
	if all == 0 {
		return 0
	}
	roles := s.rolesOf(ch.Guild, userID)
	var everyone, member world.Overwrite
	var allow, deny int64
	for _, o := range ch.overwrites {
		switch {
		case o.Member && o.ID == userID:
			member = o
		case !o.Member && o.ID == ch.Guild.ID:
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

// inThread reports whether a user has access to a thread: a private one is for
// its members and for those who manage threads ("Threads", "Permissions").
func (s *Model) inThread(ch *Channel, userID string) bool {
	if ch.Type != api.ChannelPrivateThread {
		return true
	}
	_, member := ch.Thread.Member(userID)
	return member || s.permissionsIn(ch.Thread.Parent, userID)&api.PermissionManageThreads != 0
}

// May reports whether a user has every permission of a set in a channel.
// Without access to a channel a user has no permissions in it ("Implicit
// Permissions"). In threads, sending messages is a permission of its own
// ("Threads", "Permissions").
func (s *Model) May(channelID, userID string, permissions int64) bool {
	ch := s.Channels[channelID]
	if ch == nil {
		return false
	}
	needed := permissions | api.PermissionViewChannel
	if ch.Thread != nil && needed&api.PermissionSendMessages != 0 {
		needed = needed&^api.PermissionSendMessages | api.PermissionSendInThreads
	}
	return s.permissionsIn(ch, userID)&needed == needed
}

// BotMay checks the bot's permissions in a channel: 10003 for an unknown
// channel, 50001 for one that the bot cannot see, 50013 if it lacks another
// permission.
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

// appPermissions returns the app_permissions of an interaction. In direct
// messages they are a fixed set ("Interaction Object"). Discord does not
// document them for a guild without the bot; here they are the user's.
func (s *Model) appPermissions(ch *Channel, userID string) int64 {
	switch {
	case ch.Guild == nil && s.isBotDM(ch):
		return api.PermissionAttachFiles | api.PermissionEmbedLinks | api.PermissionMentionEveryone | api.PermissionExternalEmoji
	case ch.Guild == nil:
		return api.PermissionAttachFiles | api.PermissionEmbedLinks | api.PermissionMentionEveryone
	case !ch.Guild.HasBot:
		return s.permissionsIn(ch, userID)
	}
	return s.permissionsIn(ch, s.World.Application.ID)
}
