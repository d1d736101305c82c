package discord

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
)

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

// Bits that ChannelPermissions adds to the permissions of an interaction. Discord
// does not use them.
const (
	InThread  int64 = 1 << 62 // the channel is a thread
	NoThreads int64 = 1 << 61 // no thread can be started in the channel
)

// ChannelPermissions returns the bot's permissions in the channel of an
// interaction, with NoThreads where no thread can be started. In a thread,
// InThread is set, and PermissionSendMessages stands for the permission to send
// messages in threads
// (https://docs.discord.com/developers/topics/threads#permissions). The function
// reads the raw interaction, because discordgo drops the channel.
func ChannelPermissions(permissions int64, interaction json.RawMessage) int64 {
	var i struct {
		Channel struct {
			Type discordgo.ChannelType `json:"type"`
		} `json:"channel"`
	}
	if json.Unmarshal(interaction, &i) != nil {
		return permissions
	}
	switch i.Channel.Type {
	case discordgo.ChannelTypeGuildVoice, discordgo.ChannelTypeGuildStageVoice:
		permissions |= NoThreads
	case discordgo.ChannelTypeGuildNewsThread, discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		permissions = permissions&^PermissionSendMessages | InThread | NoThreads
		if permissions&PermissionSendMessagesInThreads != 0 {
			permissions |= PermissionSendMessages
		}
	}
	return permissions
}

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
		{PermissionReadMessageHistory, "Read Message History"},
		{PermissionConnect, "Connect"},
		{PermissionSendMessagesInThreads, "Send Messages in Threads"},
		{PermissionCreatePublicThreads, "Create Public Threads"},
	} {
		if permissions&p.bit != 0 {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ", ")
}

// invitePermissions are the permissions that the bot asks for when it is added
// to a guild: to see channels, to post boards with pictures in them and in
// threads, and to read the message history. The history shows whether a post
// arrived whose response was lost; in voice channels reading it requires
// Connect. The bot does not have the intent to read message content.
const invitePermissions = PermissionViewChannel | PermissionSendMessages |
	PermissionAttachFiles | PermissionReadMessageHistory | PermissionConnect |
	PermissionCreatePublicThreads | PermissionSendMessagesInThreads

// Invite returns the address that adds a bot to a guild, with exactly the permissions
// and scopes that it needs. Without a base it is Discord's own.
func Invite(base *url.URL, application string) string {
	if base == nil {
		base = &url.URL{Scheme: "https", Host: "discord.com"}
	}
	link := base.JoinPath("oauth2", "authorize")
	link.RawQuery = "client_id=" + url.QueryEscape(application) +
		"&scope=bot+applications.commands&permissions=" + strconv.FormatInt(invitePermissions, 10)
	return link.String()
}
