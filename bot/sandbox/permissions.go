package sandbox

import (
	"fmt"
	"strconv"
)

// Permissions as bit sets ("Permissions").
const (
	PermissionAdministrator   = 1 << 3
	PermissionViewChannel     = 1 << 10
	PermissionSendMessages    = 1 << 11
	PermissionManageMessages  = 1 << 13
	PermissionEmbedLinks      = 1 << 14
	PermissionAttachFiles     = 1 << 15
	PermissionReadHistory     = 1 << 16
	PermissionMentionEveryone = 1 << 17
	PermissionExternalEmoji   = 1 << 18
	PermissionUseCommands     = 1 << 31
)

// Members have what Discord gives @everyone in a new server; the bot what such
// a bot asks for; the owner all.
const (
	memberPermissions = PermissionViewChannel | PermissionSendMessages | PermissionEmbedLinks | PermissionAttachFiles |
		PermissionReadHistory | PermissionMentionEveryone | PermissionExternalEmoji | PermissionUseCommands
	botPermissions = PermissionViewChannel | PermissionSendMessages | PermissionEmbedLinks | PermissionAttachFiles |
		PermissionReadHistory | PermissionExternalEmoji
	ownerPermissions = 1<<53 - 1
)

// permissionsOf is what a user may in the server as a whole.
func (s *Sandbox) permissionsOf(userID string) int64 {
	switch userID {
	case s.world.Guild.OwnerID:
		return ownerPermissions
	case s.world.Application.ID:
		if s.removed {
			return 0
		}
		return botPermissions
	}
	return memberPermissions
}

// permissionsIn is what a user may in a channel: what the server gives,
// without what the channel's overwrites take ("Permission Overwrites").
// Administrators, and the owner among them, are denied nothing.
func (s *Sandbox) permissionsIn(channelID, userID string) int64 {
	all := s.permissionsOf(userID)
	if all&PermissionAdministrator != 0 {
		return all
	}
	return all &^ s.denied[[2]string{channelID, userID}]
}

// may says whether a user has every permission of a set in a channel. Who may
// not see a channel may nothing in it ("Implicit Permissions").
func (s *Sandbox) may(channelID, userID string, permissions int64) bool {
	needed := permissions | PermissionViewChannel
	return s.permissionsIn(channelID, userID)&needed == needed
}

// botMay checks what the bot needs in a channel: 10003 for a channel that
// there is not, 50001 for one that it cannot see, 50013 for what else it lacks.
func (s *Sandbox) botMay(channelID string, permissions int64) error {
	me := s.world.Application.ID
	if _, _, ok := s.channel(channelID); !ok {
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

// Deny sets what a channel takes from a user, the bot or a person: a set of
// permissions, 0 for nothing. It is an overwrite for a member, in place of
// whatever was denied before. The error says that there is no such channel or
// user.
func (s *Sandbox) Deny(channelID, userID string, permissions int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, _, ok := s.channel(channelID); !ok {
		return fmt.Errorf("there is no channel %q", channelID)
	}
	if _, ok := s.userObject(userID); !ok {
		return fmt.Errorf("there is no user %q", userID)
	}
	key := [2]string{channelID, userID}
	if permissions == 0 {
		delete(s.denied, key)
	} else {
		s.denied[key] = permissions
	}
	object, _ := s.channelObject(channelID)
	s.dispatch(intentGuilds, "CHANNEL_UPDATE", object)
	s.worldChanged()
	return nil
}

// overwrites is a channel's permission_overwrites: what it takes from members,
// in the order of the world's list.
func (s *Sandbox) overwrites(channelID string) []any {
	out := []any{}
	ids := []string{s.world.Application.ID}
	for _, u := range s.world.Users {
		ids = append(ids, u.ID)
	}
	for _, id := range ids {
		if deny := s.denied[[2]string{channelID, id}]; deny != 0 {
			out = append(out, map[string]any{"id": id, "type": 1, "allow": "0", "deny": strconv.FormatInt(deny, 10)})
		}
	}
	return out
}
