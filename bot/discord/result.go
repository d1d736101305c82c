package discord

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// RequestResult describes a request to Discord and its outcome. A request that
// is sent again after a 429 has several.
type RequestResult struct {
	// Route is the method and the path, with {id} and {token} for what differs
	// between requests: "POST /channels/{id}/messages".
	Route string
	// Status is the HTTP status; 0 without an answer, or if nothing was sent.
	Status int
	// Duration is the time to the answer, without waiting for rate limits.
	Duration time.Duration
	// RateLimit is the rate limit that was hit, "" if none was.
	RateLimit RateLimit
}

// RateLimit is a kind of rate limit.
type RateLimit string

// The kinds of rate limits.
const (
	RateLimitRoute    RateLimit = "route"     // of the route: Discord answered 429
	RateLimitGlobal   RateLimit = "global"    // of the whole bot, or of a proxy before Discord
	RateLimitOldEdits RateLimit = "old_edits" // CodeTooManyOldEdits
	RateLimitHeld     RateLimit = "held"      // a known limit outlasts the context: nothing was sent
	RateLimitBudget   RateLimit = "budget"    // too many requests have been invalid: nothing was sent
)

// rateLimitOf returns the kind of rate limit that caused an error, or "".
func rateLimitOf(err error) RateLimit {
	var e *Error
	switch {
	case !errors.As(err, &e) || e.Status != http.StatusTooManyRequests:
		return ""
	case e.overBudget:
		return RateLimitBudget
	case e.unsent:
		return RateLimitHeld
	case e.Code == CodeTooManyOldEdits:
		return RateLimitOldEdits
	case e.Global:
		return RateLimitGlobal
	}
	return RateLimitRoute
}

// routeTemplate returns the method and path of a request without identifiers and
// tokens. There are few enough templates to be labels of metrics.
func routeTemplate(method, path string) string {
	parts := segments(path)
	for i, p := range parts {
		switch {
		case i == 3 && hasToken(parts):
			parts[i] = "{token}"
		case i > 1 && p != "" && p[0] >= '0' && p[0] <= '9':
			parts[i] = "{id}"
		}
	}
	return method + " " + strings.Join(parts, "/")
}

// redact returns a path for errors, which are logged: without query, without the
// token of an interaction, and without the channel and the member, because the member
// is a person, and a channel of direct messages leads to one.
func redact(path string) string {
	parts := segments(path)
	switch {
	case hasToken(parts):
		parts[3] = "…"
	case len(parts) > 2 && parts[1] == "channels":
		parts[2] = "…"
	case len(parts) > 4 && parts[1] == "guilds" && parts[3] == "members":
		parts[4] = "…"
	}
	return strings.Join(parts, "/")
}

// segments splits a path, which begins with a slash, without its query.
func segments(path string) []string {
	path, _, _ = strings.Cut(path, "?")
	return strings.Split(path, "/")
}

func hasToken(segments []string) bool {
	return len(segments) > 3 && (segments[1] == "interactions" || segments[1] == "webhooks")
}
