package api

import (
	"strconv"
	"strings"
)

// ParsePermissions parses a permission bit set, which is sent as text.
func ParsePermissions(text string) (int64, bool) {
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil && v >= 0
}

// Permissions as bit sets ("Permissions").
const (
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
	PermissionUseCommands     = 1 << 31
	PermissionManageThreads   = 1 << 34
	PermissionPublicThreads   = 1 << 35 // to create them
	PermissionPrivateThreads  = 1 << 36 // to create them
	PermissionSendInThreads   = 1 << 38
	PermissionUseExternalApps = 1 << 50 // user-installed applications may answer in public
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

// permissionNames are Discord's names of the permissions, by bit.
var permissionNames = strings.Fields(`CREATE_INSTANT_INVITE KICK_MEMBERS BAN_MEMBERS ADMINISTRATOR MANAGE_CHANNELS MANAGE_GUILD
	ADD_REACTIONS VIEW_AUDIT_LOG PRIORITY_SPEAKER STREAM VIEW_CHANNEL SEND_MESSAGES SEND_TTS_MESSAGES MANAGE_MESSAGES EMBED_LINKS
	ATTACH_FILES READ_MESSAGE_HISTORY MENTION_EVERYONE USE_EXTERNAL_EMOJIS VIEW_GUILD_INSIGHTS CONNECT SPEAK MUTE_MEMBERS
	DEAFEN_MEMBERS MOVE_MEMBERS USE_VAD CHANGE_NICKNAME MANAGE_NICKNAMES MANAGE_ROLES MANAGE_WEBHOOKS MANAGE_GUILD_EXPRESSIONS
	USE_APPLICATION_COMMANDS REQUEST_TO_SPEAK MANAGE_EVENTS MANAGE_THREADS CREATE_PUBLIC_THREADS CREATE_PRIVATE_THREADS
	USE_EXTERNAL_STICKERS SEND_MESSAGES_IN_THREADS USE_EMBEDDED_ACTIVITIES MODERATE_MEMBERS VIEW_CREATOR_MONETIZATION_ANALYTICS
	USE_SOUNDBOARD CREATE_GUILD_EXPRESSIONS CREATE_EVENTS USE_EXTERNAL_SOUNDS SEND_VOICE_MESSAGES 47 SET_VOICE_CHANNEL_STATUS
	SEND_POLLS USE_EXTERNAL_APPS PIN_MESSAGES BYPASS_SLOWMODE`)

// PermissionNames returns Discord's names of a set of permissions.
func PermissionNames(set int64) (names []string) {
	for bit, name := range permissionNames {
		if set&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// MissingPermissions returns error 50013 for permissions that the bot lacks.
func MissingPermissions(lacks int64) *Error {
	e := *ErrMissingPermissions
	e.Lacks = lacks
	return &e
}
