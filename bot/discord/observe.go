package discord

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// Sent is a request to Discord and what became of it. One that is sent again
// after a 429 is several.
type RequestResult struct {
	// Route is the method and the path, with {id} and {token} for what differs
	// from one request to the next: "POST /channels/{id}/messages".
	Route string
	// Status is that of the answer; 0 where none came, or nothing was sent.
	Status int
	// Took is how long the answer took, without waiting for limits.
	Duration time.Duration
	// Limit is the rate limit that was met, "" where none was.
	RateLimit RateLimit
}

// Limit is the kind of a rate limit.
type RateLimit string

// The kinds of rate limits.
const (
	RateLimitRoute    RateLimit = "route"     // of the route: Discord answered 429
	RateLimitGlobal   RateLimit = "global"    // of the whole bot, or of a proxy before Discord
	RateLimitOldEdits RateLimit = "old_edits" // edits of messages older than an hour (30046)
	RateLimitHeld     RateLimit = "held"      // known before, and longer than could be waited: nothing was sent
)

// limitMet is the limit that an error speaks of.
func limitMet(err error) RateLimit {
	var e *Error
	switch {
	case !errors.As(err, &e) || e.Status != http.StatusTooManyRequests:
		return ""
	case e.unsent:
		return RateLimitHeld
	case e.Code == CodeTooManyOldEdits:
		return RateLimitOldEdits
	case e.Global:
		return RateLimitGlobal
	}
	return RateLimitRoute
}

// templateOf is a request without identifiers and tokens: there are only as
// many as this package has routes.
func templateOf(method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i, p := range parts {
		switch {
		case i == 3 && (parts[1] == "interactions" || parts[1] == "webhooks"):
			parts[i] = "{token}"
		case i > 1 && p != "" && p[0] >= '0' && p[0] <= '9':
			parts[i] = "{id}"
		}
	}
	return method + " " + strings.Join(parts, "/")
}
