package sandbox

import (
	"net/http"
	"strconv"
)

// member is a guild member; the user's own part is left out where Discord
// sends it elsewhere (resolved members).
func (s *Model) member(g *server, userID string, withUser bool) map[string]any {
	roles := []string{}
	for _, r := range s.rolesOf(g, userID) {
		roles = append(roles, r.ID)
	}
	m := map[string]any{
		"roles": roles, "joined_at": g.joinedAt(), "nick": nil, "avatar": nil, "banner": nil,
		"premium_since": nil, "pending": false, "communication_disabled_until": nil, "flags": 0,
	}
	if u, ok := s.user(userID); ok && u.Nick != "" && g.isFirst {
		m["nick"] = u.Nick
	}
	if withUser {
		u, _ := s.userObject(userID)
		m["user"], m["deaf"], m["mute"] = u, false, false
	}
	return m
}

// roleObject is a role in Discord's shape.
func (s *Model) roleObject(g *server, r Role) map[string]any {
	position := 0
	for i, x := range g.allRoles() {
		if x.ID == r.ID {
			position = i
		}
	}
	out := map[string]any{
		"id": r.ID, "name": r.Name, "color": r.Color, "hoist": false, "icon": nil, "unicode_emoji": nil, "position": position,
		"permissions": strconv.FormatInt(r.Permissions, 10), "managed": r.ID == g.botRole.ID, "mentionable": false, "flags": 0,
		"colors": map[string]any{"primary_color": r.Color, "secondary_color": nil, "tertiary_color": nil},
	}
	if r.ID == g.botRole.ID {
		out["tags"] = map[string]any{"bot_id": s.world.Application.ID}
	}
	return out
}

func (s *Model) roleObjects(g *server) []any {
	out := []any{}
	for _, r := range g.allRoles() {
		out = append(out, s.roleObject(g, r))
	}
	return out
}

// guildObject is a guild as the REST API gives it.
func (s *Model) guildObject(g *server) map[string]any {
	return map[string]any{
		"id": g.ID, "name": g.name, "owner_id": g.OwnerID,
		"icon": nil, "splash": nil, "discovery_splash": nil, "home_header": nil, "description": nil, "banner": nil, "vanity_url_code": nil,
		"afk_channel_id": nil, "afk_timeout": 300, "application_id": nil, "system_channel_id": nil, "system_channel_flags": 0,
		"widget_enabled": false, "widget_channel_id": nil, "region": "deprecated", "max_members": 500000, "max_presences": nil,
		"max_video_channel_users": 25, "max_stage_video_channel_users": 50, "premium_subscription_count": 0, "nsfw": false,
		"rules_channel_id": nil, "public_updates_channel_id": nil, "safety_alerts_channel_id": nil,
		"verification_level": 0, "default_message_notifications": 1, "explicit_content_filter": 0, "mfa_level": 0,
		"nsfw_level": 0, "premium_tier": 0, "premium_progress_bar_enabled": false, "preferred_locale": "en-US",
		"roles": s.roleObjects(g), "emojis": []any{}, "features": []string{}, "stickers": []any{},
	}
}

// guildCreate is the guild as a bot gets it after READY. Without the members
// intent the list holds the bot alone ("Guild Create"). Of threads the active
// ones are there that the bot can see.
func (s *Model) guildCreate(g *server, intents int) map[string]any {
	channels, threads := []any{}, []any{}
	for _, p := range g.channels {
		channels = append(channels, s.channelObject(p))
	}
	for _, p := range s.activeThreads(g) {
		threads = append(threads, s.channelObject(p))
	}
	members := []any{s.member(g, s.world.Application.ID, true)}
	if intents&intentGuildMembers != 0 {
		for _, id := range g.members {
			members = append(members, s.member(g, id, true))
		}
	}
	out := s.guildObject(g)
	for key, value := range map[string]any{
		"unavailable": false, "joined_at": g.joinedAt(), "large": false, "member_count": len(g.members) + 1,
		"channels": channels, "members": members, "threads": threads, "presences": []any{}, "voice_states": []any{},
		"stage_instances": []any{}, "guild_scheduled_events": []any{}, "soundboard_sounds": []any{},
	} {
		out[key] = value
	}
	return out
}

// guildOf finds the guild of a route: 10004 for one that there is not, 50001
// for one that the bot is not in.
func (s *restAPI) guildOf(c *call) (*server, error) {
	g := s.guildByID(c.param("guild_id"))
	switch {
	case g == nil:
		return nil, errUnknownGuild
	case !g.hasBot:
		return nil, errMissingAccess
	}
	return g, nil
}

func (s *restAPI) getGuild(c *call) (int, any, error) {
	g, err := s.guildOf(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.guildObject(g), nil
}

func (s *restAPI) listGuildChannels(c *call) (int, any, error) {
	g, err := s.guildOf(c)
	if err != nil {
		return 0, nil, err
	}
	out := []any{} // "Does not include threads" (Get Guild Channels)
	for _, p := range g.channels {
		out = append(out, s.channelObject(p))
	}
	return http.StatusOK, out, nil
}

func (s *restAPI) listRoles(c *call) (int, any, error) {
	g, err := s.guildOf(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.roleObjects(g), nil
}

func (s *restAPI) getMember(c *call) (int, any, error) {
	g, err := s.guildOf(c)
	if err != nil {
		return 0, nil, err
	}
	id := c.param("user_id")
	if _, ok := s.userObject(id); !ok {
		return 0, nil, errUnknownUser
	}
	if !s.isMember(g, id) {
		return 0, nil, errUnknownMember
	}
	return http.StatusOK, s.member(g, id, true), nil
}

// listGuilds lists the bot's guilds ("Get Current User Guilds"). All fit on
// one page.
func (s *restAPI) listGuilds(*call) (int, any, error) {
	out := []any{}
	for _, g := range s.guilds {
		if g.hasBot {
			out = append(out, map[string]any{
				"id": g.ID, "name": g.name, "icon": nil, "banner": nil, "owner": false, "features": []string{},
				"permissions": strconv.FormatInt(s.permissionsOf(g, s.world.Application.ID), 10),
			})
		}
	}
	return http.StatusOK, out, nil
}
