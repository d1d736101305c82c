package api

import (
	"strconv"
)

// ParsePermissions parses a permission bit set, which is sent as text.
func ParsePermissions(text string) (int64, bool) {
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil && v >= 0
}

// Permissions as bit sets ("Permissions").
const (
	PermissionKickMembers     = 1 << 1
	PermissionAdministrator   = 1 << 3
	PermissionManageChannels  = 1 << 4
	PermissionManageGuild     = 1 << 5
	PermissionAddReactions    = 1 << 6
	PermissionViewChannel     = 1 << 10
	PermissionSendMessages    = 1 << 11
	PermissionManageMessages  = 1 << 13
	PermissionEmbedLinks      = 1 << 14
	PermissionAttachFiles     = 1 << 15
	PermissionReadHistory     = 1 << 16
	PermissionMentionEveryone = 1 << 17
	PermissionExternalEmoji   = 1 << 18
	PermissionConnect         = 1 << 20
	PermissionChangeNickname  = 1 << 26
	PermissionManageNicknames = 1 << 27
	PermissionManageRoles     = 1 << 28
	PermissionManageWebhooks  = 1 << 29
	PermissionUseCommands     = 1 << 31
	PermissionManageThreads   = 1 << 34
	PermissionPublicThreads   = 1 << 35 // to create them
	PermissionPrivateThreads  = 1 << 36 // to create them
	PermissionSendInThreads   = 1 << 38
	PermissionUseExternalApps = 1 << 50 // user-installed applications may answer in public
	PermissionPinMessages     = 1 << 51
	PermissionBypassSlowmode  = 1 << 52
	PermissionsAll            = 1<<53 - 1
)

// The permissions of @everyone in a new guild, and those that a bot with
// commands, pictures and threads asks for when it is invited.
const (
	DefaultPermissions = PermissionViewChannel | PermissionSendMessages | PermissionEmbedLinks | PermissionAttachFiles |
		PermissionReadHistory | PermissionMentionEveryone | PermissionExternalEmoji | PermissionUseCommands |
		PermissionPublicThreads | PermissionPrivateThreads | PermissionSendInThreads | PermissionUseExternalApps |
		PermissionAddReactions | PermissionConnect | PermissionChangeNickname
	DefaultBotPermissions = PermissionViewChannel | PermissionSendMessages | PermissionEmbedLinks | PermissionAttachFiles |
		PermissionReadHistory | PermissionExternalEmoji | PermissionPublicThreads | PermissionSendInThreads
)
