package sandbox

import (
	"regexp"
)

// route is a route of the REST API. Its template names it in faults and rate
// limit buckets.
type route struct {
	method   string
	template string // Discord's: "/channels/{channel_id}/messages"
	public   bool   // needs no bot token: the interaction's token is in the path
	handler  func(s *restAPI, c *call) (status int, body any, err error)
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
)

// routes are the routes of Discord's REST API that the sandbox has. A handler
// returns a value to be sent as JSON, or an error of Discord's. A nil value
// sends no body.
var routes = []route{
	{"GET", "/gateway", true, (*restAPI).getGateway},
	{"GET", "/gateway/bot", false, (*restAPI).getGatewayBot},
	{"GET", "/users/@me", false, (*restAPI).getMe},
	{"GET", "/users/@me/guilds", false, (*restAPI).listGuilds},
	{"POST", "/users/@me/channels", false, (*restAPI).openDirect},
	{"GET", "/users/{user_id}", false, (*restAPI).getUser},
	{"GET", "/applications/@me", false, (*restAPI).getApplication},
	{"GET", "/oauth2/applications/@me", false, (*restAPI).getApplication},

	{"GET", globalCommands, false, (*restAPI).listCommands},
	{"PUT", globalCommands, false, (*restAPI).overwriteCommands},
	{"POST", globalCommands, false, (*restAPI).createCommand},
	{"GET", globalCommands + "/{command_id}", false, (*restAPI).getCommand},
	{"DELETE", globalCommands + "/{command_id}", false, (*restAPI).deleteCommand},
	{"GET", guildCommands, false, (*restAPI).listCommands},
	{"PUT", guildCommands, false, (*restAPI).overwriteCommands},
	{"POST", guildCommands, false, (*restAPI).createCommand},
	{"GET", guildCommands + "/{command_id}", false, (*restAPI).getCommand},
	{"DELETE", guildCommands + "/{command_id}", false, (*restAPI).deleteCommand},

	{"GET", guildPath, false, (*restAPI).getGuild},
	{"GET", guildPath + "/channels", false, (*restAPI).listGuildChannels},
	{"GET", guildPath + "/roles", false, (*restAPI).listRoles},
	{"GET", guildPath + "/members/{user_id}", false, (*restAPI).getMember},
	{"GET", guildPath + "/threads/active", false, (*restAPI).listActiveThreads},

	{"GET", channelPath, false, (*restAPI).getChannel},
	{"PATCH", channelPath, false, (*restAPI).editChannel},
	{"DELETE", channelPath, false, (*restAPI).deleteChannel},
	{"POST", messagePath + "/threads", false, (*restAPI).startThreadFromMessage},
	{"POST", channelPath + "/threads", false, (*restAPI).startThread},
	{"GET", channelPath + "/threads/archived/public", false, listArchived(ChannelPublicThread, false)},
	{"GET", channelPath + "/threads/archived/private", false, listArchived(ChannelPrivateThread, false)},
	{"GET", channelPath + "/users/@me/threads/archived/private", false, listArchived(ChannelPrivateThread, true)},
	{"GET", memberPath, false, (*restAPI).listThreadMembers},
	{"PUT", memberPath + "/@me", false, (*restAPI).joinThread},
	{"DELETE", memberPath + "/@me", false, (*restAPI).leaveThread},
	{"GET", memberPath + "/{user_id}", false, (*restAPI).getThreadMember},
	{"PUT", memberPath + "/{user_id}", false, (*restAPI).joinThread},
	{"DELETE", memberPath + "/{user_id}", false, (*restAPI).leaveThread},
	{"GET", channelPath + "/messages", false, (*restAPI).listMessages},
	{"POST", channelPath + "/messages", false, (*restAPI).createMessage},
	{"GET", messagePath, false, (*restAPI).getMessage},
	{"PATCH", messagePath, false, (*restAPI).editMessage},
	{"DELETE", messagePath, false, (*restAPI).deleteMessage},

	{"POST", "/interactions/{interaction_id}/{interaction_token}/callback", true, (*restAPI).callback},
	{"POST", webhookPath, true, (*restAPI).followUp},
	{"GET", originalPath, true, (*restAPI).getResponse},
	{"PATCH", originalPath, true, (*restAPI).editResponse},
	{"DELETE", originalPath, true, (*restAPI).deleteResponse},
	{"GET", responsePath, true, (*restAPI).getResponse},
	{"PATCH", responsePath, true, (*restAPI).editResponse},
	{"DELETE", responsePath, true, (*restAPI).deleteResponse},
}

// restRoutes lists the routes for the plan of faults.
func restRoutes() []Route {
	var out []Route
	for _, rt := range routes {
		out = append(out, Route{rt.method, rt.template})
	}
	return out
}
