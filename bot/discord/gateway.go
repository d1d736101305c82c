package discord

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Gateway is where Discord's gateway is, and what it allows ("Get Gateway
// Bot").
type Gateway struct {
	URL    string // of a websocket, without query
	Shards int    // how many Discord recommends
	Limit  StartLimit
}

// StartLimit is how many sessions may be started.
type StartLimit struct {
	Total, Remaining int           // of identifies, until the reset
	ResetAfter       time.Duration // until Remaining is Total again
	AtOnce           int           // identifies in five seconds; at least 1
}

// Gateway asks where the gateway is. A token that Discord refuses is an *Error
// with status 401.
func (c *Client) Gateway(ctx context.Context) (Gateway, error) {
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
		return Gateway{}, err
	}
	if answer.URL == "" {
		return Gateway{}, errors.New("GET /gateway/bot: the answer names no address")
	}
	return Gateway{URL: answer.URL, Shards: answer.Shards, Limit: StartLimit{
		Total: answer.Limit.Total, Remaining: answer.Limit.Remaining,
		ResetAfter: time.Duration(answer.Limit.ResetAfter) * time.Millisecond, AtOnce: max(answer.Limit.AtOnce, 1),
	}}, nil
}
