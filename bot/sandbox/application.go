package sandbox

import "net/http"

func (s *restAPI) getMe(*call) (int, any, error) {
	return http.StatusOK, struct {
		UserObject
		Verified   bool    `json:"verified"`
		MFAEnabled bool    `json:"mfa_enabled"`
		Locale     string  `json:"locale"`
		Email      *string `json:"email"`
	}{UserObject: s.BotUser(), Verified: true, Locale: "en-US"}, nil
}

func (s *restAPI) getUser(c *call) (int, any, error) {
	u, ok := s.userObject(c.param("user_id"))
	if !ok {
		return 0, nil, errUnknownUser
	}
	return http.StatusOK, u, nil
}

func (s *restAPI) getApplication(*call) (int, any, error) {
	owner, _ := s.userObject(s.world.Guild.OwnerID)
	return http.StatusOK, map[string]any{
		"id": s.ApplicationID(), "name": s.world.Application.Name, "icon": nil, "description": "", "type": nil, "summary": "",
		"bot": s.BotUser(), "bot_public": true, "bot_require_code_grant": false, "verify_key": "", "flags": 0, "flags_new": "0",
		"redirect_uris": []string{}, "interactions_endpoint_url": nil, "role_connections_verification_url": nil, "owner": owner, "team": nil,
		"approximate_guild_count": 1, "approximate_user_install_count": 0, "approximate_user_authorization_count": 0,
		"explicit_content_filter": 0, "eligible_oauth2_scopes": []string{"applications.commands", "bot"},
		"integration_types_config": map[string]any{"0": map[string]any{}},
	}, nil
}

func (s *restAPI) getGateway(*call) (int, any, error) {
	return http.StatusOK, map[string]any{"url": s.GatewayURL()}, nil
}

func (s *restAPI) getGatewayBot(*call) (int, any, error) {
	return http.StatusOK, map[string]any{
		"url": s.GatewayURL(), "shards": s.shards,
		"session_start_limit": map[string]any{"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": s.maxConcurrency},
	}, nil
}
