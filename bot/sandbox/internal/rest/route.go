package rest

import (
	"regexp"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/fault"
)

// route is a route of the REST API. Its template names it in faults and rate
// limit buckets.
type route struct {
	method   string
	template string // Discord's: "/channels/{channel_id}/messages"
	public   bool   // needs no bot token: the interaction's token is in the path
	handler  func(s *API, c *call) (status int, body any, err error)
}

// idParameter matches the parameters of a template that are ids.
var idParameter = regexp.MustCompile(`\{(\w+_id)\}`)

const (
	globalCommands = "/applications/{application_id}/commands"
	guildCommands  = "/applications/{application_id}/guilds/{guild_id}/commands"
	guildPath      = "/guilds/{guild_id}"
	channelPath    = "/channels/{channel_id}"
	messagePath    = channelPath + "/messages/{message_id}"
	memberPath     = channelPath + "/thread-members"
	webhookPath    = "/webhooks/{webhook_id}/{webhook_token}"
	originalPath   = webhookPath + "/messages/@original"
	responsePath   = webhookPath + "/messages/{message_id}"
	ownWebhook     = "/webhooks/{webhook_id}"
	reactionsPath  = messagePath + "/reactions"
	reactionPath   = reactionsPath + "/{emoji_name}"
	rolePath       = guildPath + "/roles/{role_id}"
	pinPath        = channelPath + "/messages/pins"
	oldPinPath     = channelPath + "/pins"
)

// routes are the routes of Discord's REST API that the sandbox has. A handler
// returns a value to be sent as JSON, or an error of Discord's. A nil value
// sends no body.
var routes = []route{
	{"GET", "/gateway", true, (*API).getGateway},
	{"GET", "/gateway/bot", false, (*API).getGatewayBot},
	{"GET", "/users/@me", false, (*API).getMe},
	{"PATCH", "/users/@me", false, (*API).editMe},
	{"GET", "/users/@me/guilds", false, (*API).listGuilds},
	{"DELETE", "/users/@me/guilds/{guild_id}", false, (*API).leaveGuild},
	{"POST", "/users/@me/channels", false, (*API).openDirect},
	{"GET", "/users/{user_id}", false, (*API).getUser},
	{"GET", "/applications/@me", false, (*API).getApplication},
	{"PATCH", "/applications/@me", false, (*API).editApplication},
	{"GET", "/oauth2/applications/@me", false, (*API).getApplication},

	{"GET", globalCommands, false, (*API).listCommands},
	{"PUT", globalCommands, false, (*API).overwriteCommands},
	{"POST", globalCommands, false, (*API).createCommand},
	{"GET", globalCommands + "/{command_id}", false, (*API).getCommand},
	{"PATCH", globalCommands + "/{command_id}", false, (*API).editCommand},
	{"DELETE", globalCommands + "/{command_id}", false, (*API).deleteCommand},
	{"GET", guildCommands, false, (*API).listCommands},
	{"PUT", guildCommands, false, (*API).overwriteCommands},
	{"POST", guildCommands, false, (*API).createCommand},
	{"GET", guildCommands + "/{command_id}", false, (*API).getCommand},
	{"PATCH", guildCommands + "/{command_id}", false, (*API).editCommand},
	{"DELETE", guildCommands + "/{command_id}", false, (*API).deleteCommand},

	{"GET", guildPath, false, (*API).getGuild},
	{"GET", guildPath + "/channels", false, (*API).listGuildChannels},
	{"GET", guildPath + "/roles", false, (*API).listRoles},
	{"POST", guildPath + "/channels", false, (*API).createChannel},
	{"POST", guildPath + "/roles", false, (*API).createRole},
	{"PATCH", guildPath + "/roles", false, (*API).moveRoles},
	{"GET", guildPath + "/roles/member-counts", false, (*API).countRoleMembers},
	{"GET", rolePath, false, (*API).getRole},
	{"PATCH", rolePath, false, (*API).editRole},
	{"DELETE", rolePath, false, (*API).deleteRole},
	{"GET", guildPath + "/members", false, (*API).listMembers},
	{"GET", guildPath + "/members/search", false, (*API).searchMembers},
	{"GET", guildPath + "/members/{user_id}", false, (*API).getMember},
	{"PATCH", guildPath + "/members/{user_id}", false, (*API).editMember},
	{"PATCH", guildPath + "/members/@me", false, (*API).editMember},
	{"DELETE", guildPath + "/members/{user_id}", false, (*API).kick},
	{"PUT", guildPath + "/members/{user_id}/roles/{role_id}", false, (*API).addMemberRole},
	{"DELETE", guildPath + "/members/{user_id}/roles/{role_id}", false, (*API).removeMemberRole},
	{"GET", guildPath + "/webhooks", false, (*API).listWebhooks},
	{"GET", guildPath + "/threads/active", false, (*API).listActiveThreads},

	{"GET", channelPath, false, (*API).getChannel},
	{"PATCH", channelPath, false, (*API).editChannel},
	{"DELETE", channelPath, false, (*API).deleteChannel},
	{"POST", messagePath + "/threads", false, (*API).startThreadFromMessage},
	{"POST", channelPath + "/threads", false, (*API).startThread},
	{"GET", channelPath + "/threads/archived/public", false, listArchived(api.ChannelPublicThread, false)},
	{"GET", channelPath + "/threads/archived/private", false, listArchived(api.ChannelPrivateThread, false)},
	{"GET", channelPath + "/users/@me/threads/archived/private", false, listArchived(api.ChannelPrivateThread, true)},
	{"GET", memberPath, false, (*API).listThreadMembers},
	{"PUT", memberPath + "/@me", false, (*API).joinThread},
	{"DELETE", memberPath + "/@me", false, (*API).leaveThread},
	{"GET", memberPath + "/{user_id}", false, (*API).getThreadMember},
	{"PUT", memberPath + "/{user_id}", false, (*API).joinThread},
	{"DELETE", memberPath + "/{user_id}", false, (*API).leaveThread},
	{"GET", channelPath + "/messages", false, (*API).listMessages},
	{"POST", channelPath + "/messages", false, (*API).createMessage},
	{"GET", messagePath, false, (*API).getMessage},
	{"PATCH", messagePath, false, (*API).editMessage},
	{"DELETE", messagePath, false, (*API).deleteMessage},
	{"POST", channelPath + "/messages/bulk-delete", false, (*API).bulkDelete},
	{"POST", messagePath + "/crosspost", false, (*API).crosspost},
	{"POST", channelPath + "/typing", false, (*API).triggerTyping},
	{"PUT", channelPath + "/permissions/{overwrite_id}", false, (*API).setOverwrite},
	{"DELETE", channelPath + "/permissions/{overwrite_id}", false, (*API).deleteOverwrite},

	{"PUT", reactionPath + "/@me", false, (*API).addReaction},
	{"DELETE", reactionPath + "/@me", false, (*API).removeReaction},
	{"DELETE", reactionPath + "/{user_id}", false, (*API).removeReaction},
	{"GET", reactionPath, false, (*API).listReactions},
	{"DELETE", reactionPath, false, (*API).clearReactions},
	{"DELETE", reactionsPath, false, (*API).clearReactions},
	{"GET", pinPath, false, (*API).listPins},
	{"PUT", pinPath + "/{message_id}", false, setPinned(true)},
	{"DELETE", pinPath + "/{message_id}", false, setPinned(false)},
	{"GET", oldPinPath, false, (*API).listPinsOld},
	{"PUT", oldPinPath + "/{message_id}", false, setPinned(true)},
	{"DELETE", oldPinPath + "/{message_id}", false, setPinned(false)},
	{"GET", channelPath + "/polls/{message_id}/answers/{answer_id}", false, (*API).listVoters},
	{"POST", channelPath + "/polls/{message_id}/expire", false, (*API).endPoll},

	{"POST", channelPath + "/webhooks", false, (*API).createWebhook},
	{"GET", channelPath + "/webhooks", false, (*API).listWebhooks},
	{"GET", ownWebhook, false, (*API).getWebhook},
	{"PATCH", ownWebhook, false, (*API).editWebhook},
	{"DELETE", ownWebhook, false, (*API).deleteWebhook},
	{"GET", webhookPath, true, (*API).getWebhook},
	{"PATCH", webhookPath, true, (*API).editWebhook},
	{"DELETE", webhookPath, true, (*API).deleteWebhook},

	{"POST", "/interactions/{interaction_id}/{interaction_token}/callback", true, (*API).callback},
	{"POST", webhookPath, true, (*API).executeWebhook},
	{"GET", originalPath, true, (*API).getResponse},
	{"PATCH", originalPath, true, (*API).editResponse},
	{"DELETE", originalPath, true, (*API).deleteResponse},
	{"GET", responsePath, true, (*API).getResponse},
	{"PATCH", responsePath, true, (*API).editResponse},
	{"DELETE", responsePath, true, (*API).deleteResponse},
}

// Routes lists the routes for the plan of faults.
func Routes() []fault.Route {
	var out []fault.Route
	for _, rt := range routes {
		out = append(out, fault.Route{Method: rt.method, Template: rt.template})
	}
	return out
}
