package rest

import (
	"maps"
	"net/http"
	"strconv"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/model"
)

func (s *API) getMe(*call) (int, any, error) {
	return http.StatusOK, struct {
		api.User
		Verified   bool    `json:"verified"`
		MFAEnabled bool    `json:"mfa_enabled"`
		Locale     string  `json:"locale"`
		Email      *string `json:"email"`
	}{User: s.BotUser(), Verified: true, Locale: "en-US"}, nil
}

// editMe changes the bot's name; pictures are ignored.
func (s *API) editMe(c *call) (int, any, error) {
	var form struct{ Username string }
	if err := c.form.Decode(&form); err != nil {
		return 0, nil, err
	}
	s.RenameBot(form.Username)
	return s.getMe(c)
}

func (s *API) getUser(c *call) (int, any, error) {
	u, ok := s.UserByID(c.param("user_id"))
	if !ok {
		return 0, nil, api.ErrUnknownUser
	}
	return http.StatusOK, u, nil
}

func (s *API) getApplication(*call) (int, any, error) {
	owner, _ := s.UserByID(s.World.Guild.OwnerID)
	out := map[string]any{
		"id": s.ApplicationID(), "name": s.World.Application.Name, "icon": nil, "description": "", "type": nil, "summary": "",
		"bot": s.BotUser(), "bot_public": true, "bot_require_code_grant": false, "verify_key": s.Endpoint.PublicKey(), "flags": 0, "flags_new": "0",
		"redirect_uris": []string{}, "interactions_endpoint_url": nil, "role_connections_verification_url": nil, "owner": owner, "team": nil,
		"approximate_guild_count": 1, "approximate_user_install_count": 0, "approximate_user_authorization_count": 0,
		"explicit_content_filter": 0, "eligible_oauth2_scopes": []string{"applications.commands", "bot"},
		"integration_types_config": map[string]any{"0": map[string]any{}},
	}
	if s.EndpointURL != "" {
		out["interactions_endpoint_url"] = s.EndpointURL
	}
	maps.Copy(out, s.AppFields)
	return http.StatusOK, out, nil
}

// editApplication changes the application ("Edit Current Application"). The
// fields are kept and returned; pictures are ignored.
func (s *API) editApplication(c *call) (int, any, error) {
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	for _, field := range []string{
		"custom_install_url", "description", "role_connections_verification_url", "install_params", "integration_types_config", "flags", "tags",
		"event_webhooks_url", "event_webhooks_status", "event_webhooks_types", "explicit_content_filter",
	} {
		if f := c.form.Field(field); f.Present {
			s.AppFields[field] = f.Value
		}
	}
	if d, ok := s.AppFields["description"].(map[string]any); ok { // with localisations
		s.AppFields["description"] = d["default"]
	}
	return s.getApplication(c)
}

func (s *API) getGateway(*call) (int, any, error) {
	return http.StatusOK, map[string]any{"url": s.GatewayURL()}, nil
}

func (s *API) getGatewayBot(*call) (int, any, error) {
	return http.StatusOK, map[string]any{
		"url": s.GatewayURL(), "shards": s.Shards(),
		"session_start_limit": map[string]any{"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": s.MaxConcurrency},
	}, nil
}

func (s *API) getChannel(c *call) (int, any, error) {
	return http.StatusOK, s.ChannelObject(c.channel), nil
}

// openDirect creates or finds the bot's direct messages with a user.
func (s *API) openDirect(c *call) (int, any, error) {
	if c.form.Field("recipient_id").Required(); c.form.Err() != nil {
		return 0, nil, c.form.Err()
	}
	id := c.form.Field("recipient_id").Text()
	if _, ok := s.User(id); !ok {
		if id == s.World.Application.ID {
			return 0, nil, api.ErrCannotMessage
		}
		return 0, nil, api.ErrInvalidRecipient
	}
	return http.StatusOK, s.ChannelObject(s.Direct(id, s.World.Application.ID)), nil
}

// checkRecipient returns an error for direct messages with a person who refuses
// them (50007), or who neither shares a guild with the bot nor has installed it
// (50278).
func (s *API) checkRecipient(ch *model.Channel) error {
	if ch.Type != api.ChannelDM {
		return nil
	}
	for _, id := range ch.Recipients {
		if id == s.World.Application.ID {
			continue
		}
		switch {
		case !s.SharesGuild(id) && !s.Installed[id]:
			return api.ErrNoMutualGuilds
		case s.DMsClosed[id]:
			return api.ErrCannotMessage
		}
	}
	return nil
}

func (s *API) getGuild(c *call) (int, any, error) {
	return http.StatusOK, s.GuildObject(c.guild), nil
}

func (s *API) listGuildChannels(c *call) (int, any, error) {
	out := []any{} // "Does not include threads" (Get Guild Channels)
	for _, ch := range c.guild.Channels {
		out = append(out, s.ChannelObject(ch))
	}
	return http.StatusOK, out, nil
}

func (s *API) listRoles(c *call) (int, any, error) {
	return http.StatusOK, s.RoleObjects(c.guild), nil
}

func (s *API) getMember(c *call) (int, any, error) {
	id := c.param("user_id")
	if _, ok := s.UserByID(id); !ok {
		return 0, nil, api.ErrUnknownUser
	}
	if !s.IsMember(c.guild, id) {
		return 0, nil, api.ErrUnknownMember
	}
	return http.StatusOK, s.Member(c.guild, id, true), nil
}

// listGuilds lists the bot's guilds ("Get Current User Guilds") on one page.
func (s *API) listGuilds(*call) (int, any, error) {
	out := []any{}
	for _, g := range s.Guilds {
		if g.HasBot {
			out = append(out, map[string]any{
				"id": g.ID, "name": g.Name, "icon": nil, "banner": nil, "owner": false, "features": []string{},
				"permissions": strconv.FormatInt(s.PermissionsOf(g, s.World.Application.ID), 10),
			})
		}
	}
	return http.StatusOK, out, nil
}
