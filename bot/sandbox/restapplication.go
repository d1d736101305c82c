package sandbox

import (
	"net/http"
	"strconv"
	"strings"

	"castellan/bot/sandbox/api"
)

// ownUser is the bot's user as the bot itself gets it.
type ownUser struct {
	api.User
	Verified   bool    `json:"verified"`
	MFAEnabled bool    `json:"mfa_enabled"`
	Locale     string  `json:"locale"`
	Email      *string `json:"email"`
}

func (s *Sandbox) me() any { return ownUser{User: s.botUser(), Verified: true, Locale: "en-US"} }

func (s *Sandbox) getMe(*call) (int, any, error) { return http.StatusOK, s.me(), nil }

// editMe renames the bot ("Modify Current User"). There are no pictures.
func (s *Sandbox) editMe(c *call) (int, any, error) {
	name := c.form.Field("username")
	if err := c.form.Err(); err != nil || !name.IsSet() {
		return http.StatusOK, s.me(), err
	}
	// "Usernames and Nicknames" on the page "User Resource".
	text := strings.Join(strings.Fields(name.Text()), " ")
	lower := strings.ToLower(text)
	if lower == "everyone" || lower == "here" || strings.Contains(lower, "discord") || strings.ContainsAny(text, "@#:") || strings.Contains(text, "```") {
		name.AddError("USERNAME_INVALID_CONTAINS", "Username cannot be %q", text)
		return 0, nil, c.form.Err()
	}
	s.o.World.Application.Name = text
	s.worldChanged()
	return http.StatusOK, s.me(), nil
}

func (s *Sandbox) getApplication(*call) (int, any, error) {
	owner, _ := s.userByID(s.o.World.Guild.OwnerID)
	servers := 0
	for _, g := range s.guilds {
		if g.HasBot {
			servers++
		}
	}
	out := map[string]any{
		"id": s.ApplicationID(), "name": s.o.World.Application.Name, "icon": nil, "description": "", "type": nil, "summary": "",
		"bot": s.botUser(), "bot_public": true, "bot_require_code_grant": false, "verify_key": s.PublicKey(), "flags": 0, "flags_new": "0",
		"redirect_uris": []string{}, "interactions_endpoint_url": nil, "role_connections_verification_url": nil, "owner": owner, "team": nil,
		"approximate_guild_count": servers, "approximate_user_install_count": 0, "approximate_user_authorization_count": 0,
		"explicit_content_filter": 0, "eligible_oauth2_scopes": []string{"applications.commands", "bot"},
		"integration_types_config": map[string]any{"0": map[string]any{}},
	}
	if s.endpointURL != "" {
		out["interactions_endpoint_url"] = s.endpointURL
	}
	return http.StatusOK, out, nil
}

// listGuilds returns the guilds that the bot is in, with its permissions in each.
func (s *Sandbox) listGuilds(*call) (int, any, error) {
	all := []map[string]any{}
	for _, g := range s.guilds {
		if g.HasBot {
			all = append(all, map[string]any{
				"id": g.ID, "name": g.Name, "icon": nil, "banner": nil, "owner": false, "features": []string{},
				"permissions": strconv.FormatInt(s.permissionsOf(g, s.ApplicationID()), 10),
			})
		}
	}
	return http.StatusOK, all, nil
}

// leaveGuild removes the bot from a guild that it is in.
func (s *Sandbox) leaveGuild(c *call) (int, any, error) {
	s.setMembership(c.guild, false)
	return http.StatusNoContent, nil, nil
}

func (s *Sandbox) getGateway(*call) (int, any, error) {
	return http.StatusOK, map[string]any{"url": s.gatewayURL()}, nil
}

func (s *Sandbox) getGatewayBot(*call) (int, any, error) {
	return http.StatusOK, map[string]any{
		"url": s.gatewayURL(), "shards": s.Gateway.Recommended(),
		"session_start_limit": map[string]any{"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": max(s.o.MaxConcurrency, 1)},
	}, nil
}

func (s *Sandbox) getChannel(c *call) (int, any, error) {
	return http.StatusOK, s.channelObject(c.channel), nil
}

func (s *Sandbox) openDirect(c *call) (int, any, error) {
	if c.form.Field("recipient_id").Required(); c.form.Err() != nil {
		return 0, nil, c.form.Err()
	}
	id := c.form.Field("recipient_id").Text()
	if _, ok := s.user(id); !ok {
		if id == s.ApplicationID() {
			return 0, nil, api.ErrCannotMessage
		}
		return 0, nil, api.ErrInvalidRecipient
	}
	return http.StatusOK, s.channelObject(s.direct(id, s.ApplicationID())), nil
}

// checkRecipient returns an error for direct messages with a person who refuses
// them (50007), or who neither shares a guild with the bot nor has installed it
// (50278).
func (s *Sandbox) checkRecipient(ch *channelState) error {
	if ch.Type != api.ChannelDM {
		return nil
	}
	for _, id := range ch.Recipients {
		if id == s.ApplicationID() {
			continue
		}
		switch {
		case !s.sharesGuild(id) && !s.installed[id]:
			return api.ErrNoMutualGuilds
		case s.dmsClosed[id]:
			return api.ErrCannotMessage
		}
	}
	return nil
}

func (s *Sandbox) getMember(c *call) (int, any, error) {
	id := c.param("user_id")
	if _, ok := s.userByID(id); !ok {
		return 0, nil, api.ErrUnknownUser
	}
	if !s.isMember(c.guild, id) {
		return 0, nil, api.ErrUnknownMember
	}
	return http.StatusOK, s.member(c.guild, id, true), nil
}
