package discord

import "strings"

// Permission bits
// (https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags).
const (
	PermissionAdministrator         int64 = 1 << 3
	PermissionManageGuild           int64 = 1 << 5
	PermissionViewChannel           int64 = 1 << 10
	PermissionSendMessages          int64 = 1 << 11
	PermissionAttachFiles           int64 = 1 << 15
	PermissionReadMessageHistory    int64 = 1 << 16
	PermissionConnect               int64 = 1 << 20
	PermissionCreatePublicThreads   int64 = 1 << 35
	PermissionSendMessagesInThreads int64 = 1 << 38
)

// Bits that package gateway adds to the permissions of an interaction. Discord
// does not use them.
const (
	InThread  int64 = 1 << 62 // the channel is a thread
	NoThreads int64 = 1 << 61 // no thread can be started in the channel
)

// permissionNames returns the names of the permissions that requests need, as
// Discord's clients show them in English.
func permissionNames(permissions int64) string {
	var names []string
	for _, p := range []struct {
		bit  int64
		name string
	}{
		{PermissionViewChannel, "View Channel"},
		{PermissionSendMessages, "Send Messages (in Threads)"},
		{PermissionAttachFiles, "Attach Files"},
		{PermissionCreatePublicThreads, "Create Public Threads"},
	} {
		if permissions&p.bit != 0 {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ", ")
}
