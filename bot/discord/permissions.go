package discord

// Permission bits
// (https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags).
const (
	PermissionAdministrator         int64 = 1 << 3
	PermissionViewChannel           int64 = 1 << 10
	PermissionSendMessages          int64 = 1 << 11
	PermissionAttachFiles           int64 = 1 << 15
	PermissionReadMessageHistory    int64 = 1 << 16
	PermissionCreatePublicThreads   int64 = 1 << 35
	PermissionSendMessagesInThreads int64 = 1 << 38
)
