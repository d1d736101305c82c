package sandbox

import (
	"regexp"

	"castellan/bot/sandbox/faults"
)

// route is a route of the REST API. Its template names it in faults and rate
// limit buckets.
type route struct {
	method   string
	template string // Discord's: "/channels/{channel_id}/messages"
	public   bool   // needs no bot token: the interaction's token is in the path
	handler  func(s *Sandbox, c *call) (status int, body any, err error)
}

// idParameter matches the parameters of a template that are ids.
var idParameter = regexp.MustCompile(`\{(\w+_id)\}`)

const (
	globalCommands = "/applications/{application_id}/commands"
	guildCommands  = "/applications/{application_id}/guilds/{guild_id}/commands"
	channelPath    = "/channels/{channel_id}"
	messagePath    = channelPath + "/messages/{message_id}"
	webhookPath    = "/webhooks/{webhook_id}/{webhook_token}"
	originalPath   = webhookPath + "/messages/@original"
	responsePath   = webhookPath + "/messages/{message_id}"
)

// routes are the operations of Discord's REST API that the sandbox has: those
// that Castellan and the bots of package clients use. All others answer
// api.NotBuilt. A handler returns a value to be sent as JSON, or an error of
// Discord's. A nil value sends no body.
var routes = []route{
	{"GET", "/gateway", true, (*Sandbox).getGateway},
	{"GET", "/gateway/bot", false, (*Sandbox).getGatewayBot},
	{"GET", "/users/@me", false, (*Sandbox).getMe},
	{"GET", "/users/@me/guilds", false, (*Sandbox).listGuilds},
	{"DELETE", "/users/@me/guilds/{guild_id}", false, (*Sandbox).leaveGuild},
	{"PATCH", "/users/@me", false, (*Sandbox).editMe},
	{"POST", "/users/@me/channels", false, (*Sandbox).openDirect},
	{"GET", "/applications/@me", false, (*Sandbox).getApplication},
	{"GET", "/oauth2/applications/@me", false, (*Sandbox).getApplication},
	{"GET", "/guilds/{guild_id}/members/{user_id}", false, (*Sandbox).getMember},

	{"GET", globalCommands, false, (*Sandbox).listCommands},
	{"PUT", globalCommands, false, (*Sandbox).overwriteCommands},
	{"POST", globalCommands, false, (*Sandbox).createCommand},
	{"GET", guildCommands, false, (*Sandbox).listCommands},
	{"PUT", guildCommands, false, (*Sandbox).overwriteCommands},
	{"POST", guildCommands, false, (*Sandbox).createCommand},

	{"GET", channelPath, false, (*Sandbox).getChannel},
	{"PATCH", channelPath, false, (*Sandbox).editThread},
	{"POST", channelPath + "/threads", false, (*Sandbox).startPost},
	{"POST", messagePath + "/threads", false, (*Sandbox).startThreadFromMessage},
	{"POST", channelPath + "/typing", false, (*Sandbox).triggerTyping},
	{"GET", channelPath + "/messages", false, (*Sandbox).listMessages},
	{"POST", channelPath + "/messages", false, (*Sandbox).createMessage},
	{"GET", messagePath, false, (*Sandbox).getMessage},
	{"PATCH", messagePath, false, (*Sandbox).editMessage},
	{"DELETE", messagePath, false, (*Sandbox).deleteMessage},
	{"PUT", messagePath + "/reactions/{emoji_name}/@me", false, (*Sandbox).addReaction},

	{"POST", "/interactions/{interaction_id}/{interaction_token}/callback", true, (*Sandbox).callback},
	{"POST", webhookPath, true, (*Sandbox).followUp},
	{"GET", originalPath, true, (*Sandbox).getResponse},
	{"PATCH", originalPath, true, (*Sandbox).editResponse},
	{"DELETE", originalPath, true, (*Sandbox).deleteResponse},
	{"GET", responsePath, true, (*Sandbox).getResponse},
	{"PATCH", responsePath, true, (*Sandbox).editResponse},
	{"DELETE", responsePath, true, (*Sandbox).deleteResponse},
}

// indexRoutes returns the routes by Discord's method and template, and for the
// plan of faults.
func indexRoutes() (byName map[string]*route, choices []faults.Route) {
	byName = map[string]*route{}
	for _, rt := range routes {
		byName[rt.method+" "+rt.template] = &rt
		choices = append(choices, faults.Route{Method: rt.method, Template: rt.template})
	}
	return byName, choices
}
