package sandbox

import (
	"net/http"
	"strconv"
	"time"
)

// joined is when everybody came into the server: the moment in its id.
func (s *Sandbox) joined() string {
	id, _ := strconv.ParseUint(s.world.Guild.ID, 10, 64)
	return stamp(time.UnixMilli(int64(id>>22) + discordEpoch))
}

// member is a guild member; the user's own part is left out where Discord
// sends it elsewhere (resolved members).
func (s *Sandbox) member(userID string, withUser bool) map[string]any {
	m := map[string]any{
		"roles": []string{}, "joined_at": s.joined(), "nick": nil, "avatar": nil, "banner": nil,
		"premium_since": nil, "pending": false, "communication_disabled_until": nil, "flags": 0,
	}
	if u, ok := s.user(userID); ok && u.Nick != "" {
		m["nick"] = u.Nick
	}
	if withUser {
		u, _ := s.userObject(userID)
		m["user"], m["deaf"], m["mute"] = u, false, false
	}
	return m
}

func (s *Sandbox) role() map[string]any {
	return map[string]any{
		"id": s.world.Guild.ID, "name": "@everyone", "color": 0, "hoist": false, "icon": nil, "unicode_emoji": nil, "position": 0,
		"permissions": strconv.FormatInt(memberPermissions, 10), "managed": false, "mentionable": false, "flags": 0,
		"colors": map[string]any{"primary_color": 0, "secondary_color": nil, "tertiary_color": nil},
	}
}

// channelObject is a text channel in Discord's shape.
func (s *Sandbox) channelObject(id string) (map[string]any, bool) {
	c, i, ok := s.channel(id)
	if !ok {
		return nil, false
	}
	out := map[string]any{
		"id": c.ID, "type": 0, "guild_id": s.world.Guild.ID, "name": c.Name, "topic": nil, "position": i, "flags": 0,
		"nsfw": false, "parent_id": nil, "permission_overwrites": s.overwrites(id), "rate_limit_per_user": 0, "last_message_id": nil,
	}
	if c.Topic != "" {
		out["topic"] = c.Topic
	}
	for _, p := range s.posts[id] {
		if p.viewer == "" {
			out["last_message_id"] = p.msg.ID
		}
	}
	return out, true
}

// guildCreate is the guild as a bot gets it after READY. Without the members
// intent the list holds the bot alone ("Guild Create").
func (s *Sandbox) guildCreate(intents int) map[string]any {
	channels := []any{}
	for _, c := range s.world.Channels {
		if object, ok := s.channelObject(c.ID); ok {
			channels = append(channels, object)
		}
	}
	members := []any{s.member(s.world.Application.ID, true)}
	if intents&intentGuildMembers != 0 {
		for _, u := range s.world.Users {
			members = append(members, s.member(u.ID, true))
		}
	}
	return map[string]any{
		"id": s.world.Guild.ID, "name": s.world.Guild.Name, "owner_id": s.world.Guild.OwnerID, "unavailable": false,
		"icon": nil, "splash": nil, "discovery_splash": nil, "description": nil, "banner": nil, "vanity_url_code": nil,
		"afk_channel_id": nil, "afk_timeout": 300, "application_id": nil, "system_channel_id": nil, "system_channel_flags": 0,
		"rules_channel_id": nil, "public_updates_channel_id": nil, "safety_alerts_channel_id": nil,
		"verification_level": 0, "default_message_notifications": 1, "explicit_content_filter": 0, "mfa_level": 0,
		"nsfw_level": 0, "premium_tier": 0, "premium_progress_bar_enabled": false, "preferred_locale": "en-US",
		"joined_at": s.joined(), "large": false, "member_count": len(s.world.Users) + 1,
		"roles": []any{s.role()}, "emojis": []any{}, "features": []string{}, "stickers": []any{},
		"channels": channels, "members": members, "threads": []any{}, "presences": []any{}, "voice_states": []any{},
		"stage_instances": []any{}, "guild_scheduled_events": []any{}, "soundboard_sounds": []any{},
	}
}

func (s *Sandbox) getMe(*call) (int, any, error) {
	return http.StatusOK, struct {
		UserObject
		Verified   bool    `json:"verified"`
		MFAEnabled bool    `json:"mfa_enabled"`
		Locale     string  `json:"locale"`
		Email      *string `json:"email"`
	}{UserObject: s.botUser(), Verified: true, Locale: "en-US"}, nil
}

func (s *Sandbox) getUser(c *call) (int, any, error) {
	u, ok := s.userObject(c.params["user_id"])
	if !ok {
		return 0, nil, errUnknownUser
	}
	return http.StatusOK, u, nil
}

func (s *Sandbox) getApplication(*call) (int, any, error) {
	owner, _ := s.userObject(s.world.Guild.OwnerID)
	return http.StatusOK, map[string]any{
		"id": s.world.Application.ID, "name": s.world.Application.Name, "icon": nil, "description": "", "type": nil, "summary": "",
		"bot": s.botUser(), "bot_public": true, "bot_require_code_grant": false, "verify_key": "", "flags": 0, "flags_new": "0",
		"redirect_uris": []string{}, "interactions_endpoint_url": nil, "role_connections_verification_url": nil, "owner": owner, "team": nil,
		"approximate_guild_count": 1, "approximate_user_install_count": 0, "approximate_user_authorization_count": 0,
		"explicit_content_filter": 0, "eligible_oauth2_scopes": []string{"applications.commands", "bot"},
		"integration_types_config": map[string]any{"0": map[string]any{}},
	}, nil
}
