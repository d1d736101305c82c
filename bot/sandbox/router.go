package sandbox

import (
	"net/http"
	"slices"
	"strings"
)

// handler answers one request to the REST API: a value to be sent as JSON
// with a status, or an *apiError. A nil value sends no body.
type handler func(c *call) (status int, body any, err error)

// route is one line of the REST API.
type route struct {
	method   string
	template string // Discord's: "/channels/{channel_id}/messages"
	parts    []string
	open     bool // needs no bot token: the interaction's token is in the path
	handle   handler
}

// router finds routes by path. A literal part wins over a parameter.
type router struct{ routes []*route }

func (r *router) add(method, template string, open bool, h handler) {
	r.routes = append(r.routes, &route{method: method, template: template, parts: split(template), open: open, handle: h})
}

// find returns the route and its path parameters. The error is 404 for an
// unknown path and 405 for a known one with another method.
func (r *router) find(method, path string) (*route, map[string]string, error) {
	parts := split(path)
	var best *route
	known := false
	for _, rt := range r.routes {
		if !rt.matches(parts) {
			continue
		}
		known = true
		if rt.method == method && (best == nil || rt.literals() > best.literals()) {
			best = rt
		}
	}
	switch {
	case best != nil:
		params := map[string]string{}
		for i, p := range best.parts {
			if name, ok := param(p); ok {
				params[name] = parts[i]
			}
		}
		return best, params, nil
	case known:
		return nil, nil, errMethodNotAllowed
	}
	return nil, nil, errNotFound
}

// has says whether there is a route of a template and a method ("" is any).
func (r *router) has(method, template string) bool {
	return slices.ContainsFunc(r.routes, func(rt *route) bool {
		return rt.template == template && (method == "" || rt.method == method)
	})
}

func (rt *route) matches(parts []string) bool {
	if len(parts) != len(rt.parts) {
		return false
	}
	for i, p := range rt.parts {
		if _, ok := param(p); !ok && p != parts[i] || parts[i] == "" {
			return false
		}
	}
	return true
}

func (rt *route) literals() int {
	n := 0
	for _, p := range rt.parts {
		if _, ok := param(p); !ok {
			n++
		}
	}
	return n
}

func param(part string) (string, bool) {
	name, ok := strings.CutPrefix(part, "{")
	return strings.TrimSuffix(name, "}"), ok
}

func split(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// restRoutes is the REST API that the sandbox has.
func (s *Sandbox) restRoutes() *router {
	r := &router{}
	auth := func(method, template string, h handler) { r.add(method, template, false, h) }
	open := func(method, template string, h handler) { r.add(method, template, true, h) }

	open(http.MethodGet, "/gateway", s.getGateway)
	auth(http.MethodGet, "/gateway/bot", s.getGatewayBot)
	auth(http.MethodGet, "/users/@me", s.getMe)
	auth(http.MethodGet, "/users/@me/guilds", s.listGuilds)
	auth(http.MethodPost, "/users/@me/channels", s.openDirect)
	auth(http.MethodGet, "/users/{user_id}", s.getUser)
	auth(http.MethodGet, "/applications/@me", s.getApplication)
	auth(http.MethodGet, "/oauth2/applications/@me", s.getApplication)

	const global, guild = "/applications/{application_id}/commands", "/applications/{application_id}/guilds/{guild_id}/commands"
	for _, base := range []string{global, guild} {
		auth(http.MethodGet, base, s.listCommands)
		auth(http.MethodPut, base, s.overwriteCommands)
		auth(http.MethodPost, base, s.createCommand)
		auth(http.MethodGet, base+"/{command_id}", s.getCommand)
		auth(http.MethodDelete, base+"/{command_id}", s.deleteCommand)
	}

	const server = "/guilds/{guild_id}"
	auth(http.MethodGet, server, s.getGuild)
	auth(http.MethodGet, server+"/channels", s.listGuildChannels)
	auth(http.MethodGet, server+"/roles", s.listRoles)
	auth(http.MethodGet, server+"/members/{user_id}", s.getMember)
	auth(http.MethodGet, server+"/threads/active", s.listActiveThreads)

	const channel = "/channels/{channel_id}"
	auth(http.MethodGet, channel, s.getChannel)
	auth(http.MethodPatch, channel, s.editChannel)
	auth(http.MethodDelete, channel, s.deleteChannel)
	s.threadRoutes(auth, channel)
	auth(http.MethodGet, channel+"/messages", s.listMessages)
	auth(http.MethodPost, channel+"/messages", s.createMessage)
	auth(http.MethodGet, channel+"/messages/{message_id}", s.getMessage)
	auth(http.MethodPatch, channel+"/messages/{message_id}", s.editMessage)
	auth(http.MethodDelete, channel+"/messages/{message_id}", s.deleteMessage)

	open(http.MethodPost, "/interactions/{interaction_id}/{interaction_token}/callback", s.callback)

	const webhook = "/webhooks/{webhook_id}/{webhook_token}"
	open(http.MethodPost, webhook, s.followUp)
	for _, which := range []string{"/messages/@original", "/messages/{message_id}"} {
		open(http.MethodGet, webhook+which, s.getResponse)
		open(http.MethodPatch, webhook+which, s.editResponse)
		open(http.MethodDelete, webhook+which, s.deleteResponse)
	}
	return r
}

func (s *Sandbox) threadRoutes(auth func(method, template string, h handler), channel string) {
	auth(http.MethodPost, channel+"/messages/{message_id}/threads", s.startThreadFromMessage)
	auth(http.MethodPost, channel+"/threads", s.startThread)
	auth(http.MethodGet, channel+"/threads/archived/public", s.listArchived(ChannelPublicThread, false))
	auth(http.MethodGet, channel+"/threads/archived/private", s.listArchived(ChannelPrivateThread, false))
	auth(http.MethodGet, channel+"/users/@me/threads/archived/private", s.listArchived(ChannelPrivateThread, true))
	members := channel + "/thread-members"
	auth(http.MethodGet, members, s.listThreadMembers)
	for _, who := range []string{"/@me", "/{user_id}"} {
		auth(http.MethodPut, members+who, s.joinThread)
		auth(http.MethodDelete, members+who, s.leaveThread)
	}
	auth(http.MethodGet, members+"/{user_id}", s.getThreadMember)
}
