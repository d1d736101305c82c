package discord

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Gateway is where Discord's gateway is, and what it allows ("Get Gateway
// Bot").
type GatewayInfo struct {
	URL               string // of a websocket, without query
	Shards            int    // how many Discord recommends
	SessionStartLimit SessionStartLimit
}

// StartLimit is how many sessions may be started.
type SessionStartLimit struct {
	Total, Remaining int           // of identifies, until the reset
	ResetAfter       time.Duration // until Remaining is Total again
	MaxConcurrency   int           // identifies in five seconds; at least 1
}

// Gateway asks where the gateway is. A token that Discord refuses is an *Error
// with status 401.
func (c *Client) GetGateway(ctx context.Context) (GatewayInfo, error) {
	var answer struct {
		URL    string `json:"url"`
		Shards int    `json:"shards"`
		Limit  struct {
			Total      int   `json:"total"`
			Remaining  int   `json:"remaining"`
			ResetAfter int64 `json:"reset_after"` // milliseconds
			AtOnce     int   `json:"max_concurrency"`
		} `json:"session_start_limit"`
	}
	if err := c.send(ctx, free, http.MethodGet, "/gateway/bot", nil, nil, &answer); err != nil {
		return GatewayInfo{}, err
	}
	if answer.URL == "" {
		return GatewayInfo{}, errors.New("GET /gateway/bot: the answer names no address")
	}
	return GatewayInfo{URL: answer.URL, Shards: answer.Shards, SessionStartLimit: SessionStartLimit{
		Total: answer.Limit.Total, Remaining: answer.Limit.Remaining,
		ResetAfter: time.Duration(answer.Limit.ResetAfter) * time.Millisecond, MaxConcurrency: max(answer.Limit.AtOnce, 1),
	}}, nil
}
