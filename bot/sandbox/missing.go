package sandbox

import (
	"net/http"
	"strings"
)

// missing are the parts of Discord's REST API that the sandbox does not have,
// by the beginnings of their paths or by a piece of them; a bot that asks for
// one is told so by 501 and a message in Discord's shape. The names of what is
// missing end the sentence "the sandbox does not have …".
var missing = []struct{ method, path, feature string }{
	{"", "/channels/*/messages/*/reactions", "reactions"},
	{"", "/channels/*/messages/pins", "pins"},
	{"", "/channels/*/pins", "pins"},
	{"", "/channels/*/polls", "polls"},
	{http.MethodPost, "/channels/*/messages/bulk-delete", "deleting many messages at once"},
	{http.MethodPost, "/channels/*/messages/*/crosspost", "announcement channels"},
	{"", "/channels/*/followers", "announcement channels"},
	{http.MethodPost, "/channels/*/typing", "typing indicators"},
	{"", "/channels/*/permissions", "changing overwrites by a bot"},
	{"", "/channels/*/invites", "invites"},
	{"", "/channels/*/webhooks", "webhooks other than an interaction's"},
	{"", "/channels/*/threads/search", "searching threads"},
	{http.MethodPatch, "/applications/*/commands/*", "editing one command: create it again by its name, or overwrite all"},
	{http.MethodPatch, "/applications/*/guilds/*/commands/*", "editing one command: create it again by its name, or overwrite all"},
	{"", "/applications/*/guilds/*/commands/permissions", "permissions of commands"},
	{"", "/applications/*/guilds/*/commands/*/permissions", "permissions of commands"},
	{"", "/applications/*/emojis", "emojis of applications"},
	{"", "/applications/*/entitlements", "entitlements and purchases"},
	{"", "/applications/*/skus", "entitlements and purchases"},
	{"", "/applications/*/role-connections", "role connections"},
	{http.MethodPatch, "/applications/@me", "changing the application"},
	{http.MethodPatch, "/users/@me", "changing the bot's user"},
	{http.MethodDelete, "/users/@me/guilds/*", "leaving a server"},
	{http.MethodPost, "/webhooks/*/*/slack", "webhooks other than an interaction's"},
	{http.MethodPost, "/webhooks/*/*/github", "webhooks other than an interaction's"},
	{"", "/guilds", "this part of servers: there are channels, roles, single members and active threads"},
	{"", "/invites", "invites"},
	{"", "/voice", "voice"},
	{"", "/soundboard-default-sounds", "voice"},
	{"", "/stage-instances", "voice"},
	{"", "/stickers", "stickers"},
	{"", "/sticker-packs", "stickers"},
	{"", "/skus", "entitlements and purchases"},
	{"", "/lobbies", "lobbies"},
	{"", "/oauth2", "OAuth2"},
}

// missingRoute says what a path would be for that Discord has and the sandbox
// has not. A star stands for one part of a path.
func missingFeature(method, path string) (feature string, known bool) {
	parts := split(path)
	for _, m := range missing {
		if m.method != "" && m.method != method {
			continue
		}
		want := split(m.path)
		fits := len(parts) >= len(want)
		for i, p := range want {
			fits = fits && (p == "*" || p == parts[i])
		}
		if fits && strings.Trim(path, "/") != "" {
			return m.feature, true
		}
	}
	return "", false
}

func split(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }
