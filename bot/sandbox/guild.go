package sandbox

import (
	"net/http"
	"strconv"
)

// member is a guild member; the user's own part is left out where Discord
// sends it elsewhere (resolved members).
func (s *Sandbox) member(sv *server, userID string, withUser bool) map[string]any {
	roles := []string{}
	for _, r := range s.rolesOf(sv, userID) {
		roles = append(roles, r.ID)
	}
	m := map[string]any{
		"roles": roles, "joined_at": sv.joinedAt(), "nick": nil, "avatar": nil, "banner": nil,
		"premium_since": nil, "pending": false, "communication_disabled_until": nil, "flags": 0,
	}
	if u, ok := s.user(userID); ok && u.Nick != "" && sv.isFirst {
		m["nick"] = u.Nick
	}
	if withUser {
		u, _ := s.userObject(userID)
		m["user"], m["deaf"], m["mute"] = u, false, false
	}
	return m
}

// roleObject is a role in Discord's shape.
func (s *Sandbox) roleObject(sv *server, r Role) map[string]any {
	position := 0
	for i, x := range sv.allRoles() {
		if x.ID == r.ID {
			position = i
		}
	}
	out := map[string]any{
		"id": r.ID, "name": r.Name, "color": r.Color, "hoist": false, "icon": nil, "unicode_emoji": nil, "position": position,
		"permissions": strconv.FormatInt(r.Permissions, 10), "managed": r.ID == sv.botRole.ID, "mentionable": false, "flags": 0,
		"colors": map[string]any{"primary_color": r.Color, "secondary_color": nil, "tertiary_color": nil},
	}
	if r.ID == sv.botRole.ID {
		out["tags"] = map[string]any{"bot_id": s.world.Application.ID}
	}
	return out
}

func (s *Sandbox) roleObjects(sv *server) []any {
	out := []any{}
	for _, r := range sv.allRoles() {
		out = append(out, s.roleObject(sv, r))
	}
	return out
}

// guildObject is a guild as the REST API gives it.
func (s *Sandbox) guildObject(sv *server) map[string]any {
	return map[string]any{
		"id": sv.id, "name": sv.name, "owner_id": sv.ownerID,
		"icon": nil, "splash": nil, "discovery_splash": nil, "home_header": nil, "description": nil, "banner": nil, "vanity_url_code": nil,
		"afk_channel_id": nil, "afk_timeout": 300, "application_id": nil, "system_channel_id": nil, "system_channel_flags": 0,
		"widget_enabled": false, "widget_channel_id": nil, "region": "deprecated", "max_members": 500000, "max_presences": nil,
		"max_video_channel_users": 25, "max_stage_video_channel_users": 50, "premium_subscription_count": 0, "nsfw": false,
		"rules_channel_id": nil, "public_updates_channel_id": nil, "safety_alerts_channel_id": nil,
		"verification_level": 0, "default_message_notifications": 1, "explicit_content_filter": 0, "mfa_level": 0,
		"nsfw_level": 0, "premium_tier": 0, "premium_progress_bar_enabled": false, "preferred_locale": "en-US",
		"roles": s.roleObjects(sv), "emojis": []any{}, "features": []string{}, "stickers": []any{},
	}
}

// guildCreate is the guild as a bot gets it after READY. Without the members
// intent the list holds the bot alone ("Guild Create"). Of threads the active
// ones are there that the bot can see.
func (s *Sandbox) guildCreate(sv *server, intents int) map[string]any {
	channels, threads := []any{}, []any{}
	for _, p := range sv.channels {
		channels = append(channels, s.channelObject(p))
	}
	for _, p := range s.activeThreads(sv) {
		threads = append(threads, s.channelObject(p))
	}
	members := []any{s.member(sv, s.world.Application.ID, true)}
	if intents&intentGuildMembers != 0 {
		for _, id := range sv.members {
			members = append(members, s.member(sv, id, true))
		}
	}
	out := s.guildObject(sv)
	for key, value := range map[string]any{
		"unavailable": false, "joined_at": sv.joinedAt(), "large": false, "member_count": len(sv.members) + 1,
		"channels": channels, "members": members, "threads": threads, "presences": []any{}, "voice_states": []any{},
		"stage_instances": []any{}, "guild_scheduled_events": []any{}, "soundboard_sounds": []any{},
	} {
		out[key] = value
	}
	return out
}

// guildOf finds the guild of a route: 10004 for one that there is not, 50001
// for one that the bot is not in.
func (s *Sandbox) guildOf(c *call) (*server, error) {
	sv := s.guildByID(c.params["guild_id"])
	switch {
	case sv == nil:
		return nil, errUnknownGuild
	case !sv.hasBot:
		return nil, errMissingAccess
	}
	return sv, nil
}

func (s *Sandbox) getGuild(c *call) (int, any, error) {
	sv, err := s.guildOf(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.guildObject(sv), nil
}

func (s *Sandbox) listGuildChannels(c *call) (int, any, error) {
	sv, err := s.guildOf(c)
	if err != nil {
		return 0, nil, err
	}
	out := []any{} // "Does not include threads" (Get Guild Channels)
	for _, p := range sv.channels {
		out = append(out, s.channelObject(p))
	}
	return http.StatusOK, out, nil
}

func (s *Sandbox) listRoles(c *call) (int, any, error) {
	sv, err := s.guildOf(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.roleObjects(sv), nil
}

func (s *Sandbox) getMember(c *call) (int, any, error) {
	sv, err := s.guildOf(c)
	if err != nil {
		return 0, nil, err
	}
	id := c.params["user_id"]
	if _, ok := s.userObject(id); !ok {
		return 0, nil, errUnknownUser
	}
	if !s.isMember(sv, id) {
		return 0, nil, errUnknownMember
	}
	return http.StatusOK, s.member(sv, id, true), nil
}

// listGuilds lists the bot's guilds ("Get Current User Guilds"). All fit on
// one page.
func (s *Sandbox) listGuilds(*call) (int, any, error) {
	out := []any{}
	for _, sv := range s.guilds {
		if sv.hasBot {
			out = append(out, map[string]any{
				"id": sv.id, "name": sv.name, "icon": nil, "banner": nil, "owner": false, "features": []string{},
				"permissions": strconv.FormatInt(s.permissionsOf(sv, s.world.Application.ID), 10),
			})
		}
	}
	return http.StatusOK, out, nil
}
