package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Codes of Discord's errors that callers distinguish
// (https://docs.discord.com/developers/topics/opcodes-and-status-codes#json).
const (
	CodeUnknownChannel      = 10003
	CodeUnknownGuild        = 10004
	CodeUnknownMessage      = 10008
	CodeUnknownMember       = 10007
	CodeUnknownUser         = 10013
	CodeUnknownWebhook      = 10015
	CodeUnknownInteraction  = 10062
	CodeTooManyOldEdits     = 30046 // of messages older than an hour
	CodeAlreadyAcknowledged = 40060
	CodeMissingAccess       = 50001
	CodeMissingPermissions  = 50013
	CodeInvalidWebhookToken = 50027
	CodeInvalidFormBody     = 50035
	CodeCannotMessageUser   = 50007
	CodeArchivedThread      = 50083
	CodeNoMutualGuild       = 50278 // the person shares no guild with the bot
	CodeThreadExists        = 160004
	CodeLockedThread        = 160005
	CodeTooManyThreads      = 160006
)

// Error is an unsuccessful answer of Discord.
type Error struct {
	Status  int    // of HTTP
	Code    int    // Discord's, 0 if it gave none
	Message string // Discord's, in English
	// FieldErrors says which fields of a body were refused, in order, such as
	// "components.0.content: …".
	FieldErrors []string
	RetryAfter  time.Duration // how long to wait after a 429, or after a 403 in a channel
	Global      bool          // a 429 applies to all requests of the bot
	shared      bool          // a 429 is about a resource shared with others
	unsent      bool          // nothing was sent, because Discord would have refused it
	paused      bool          // nothing was sent, because Discord has just refused another request in the channel
	overBudget  bool          // nothing was sent, because too many requests have been invalid
}

func (e *Error) Error() string {
	if e.unsent {
		return fmt.Sprintf("not sent for %v: %s (code %d)", e.RetryAfter.Round(time.Millisecond), e.Message, e.Code)
	}
	s := fmt.Sprintf("Discord answered %d (code %d): %s", e.Status, e.Code, e.Message)
	if len(e.FieldErrors) > 0 {
		s += " [" + strings.Join(e.FieldErrors, "; ") + "]"
	}
	return s
}

// HasCode reports whether an error is an answer of Discord with any of the given
// codes.
func HasCode(err error, codes ...int) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}

// OutcomeUnknown reports whether a request may have been carried out although it
// failed: there was no answer, or the answer does not say.
func OutcomeUnknown(err error) bool {
	var e *Error
	return err != nil && (!errors.As(err, &e) || e.Status >= 500)
}

// Blocked reports whether a request will fail until somebody changes something:
// the channel is gone, the bot lacks a permission there, or the person cannot be
// messaged.
func Blocked(err error) bool {
	return Unreachable(err) || HasCode(err, CodeUnknownChannel, CodeMissingAccess, CodeMissingPermissions, CodeArchivedThread, CodeLockedThread)
}

// Unreachable reports whether a person cannot be messaged: they accept no
// messages from the bot, or share no guild with it.
func Unreachable(err error) bool { return HasCode(err, CodeCannotMessageUser, CodeNoMutualGuild) }

// Paused reports whether a request was not sent because Discord has just
// refused another one in the same channel.
func Paused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.paused
}

// RateLimited reports whether a request was refused because of a rate limit.
func RateLimited(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusTooManyRequests
}

// RetryAfter returns how long Discord asked to wait, 0 if it did not.
func RetryAfter(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

// retryable reports whether a request was refused because of a rate limit that
// passes soon. Too many edits of an old message have the same status, but that
// limit lasts up to an hour.
func (e *Error) retryable() bool {
	return e.Status == http.StatusTooManyRequests && !e.unsent && e.Code != CodeTooManyOldEdits
}

// maxErrorMessage is the length to which the message of an error is cut.
const maxErrorMessage = 300

func newError(response *http.Response, body []byte) *Error {
	e := &Error{Status: response.StatusCode, Message: http.StatusText(response.StatusCode)}
	var answer struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Errors  json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &answer) == nil && answer.Message != "" {
		e.Code, e.Message = answer.Code, Truncate(answer.Message, maxErrorMessage)
		e.FieldErrors = fieldErrors(answer.Errors)
	}
	if e.Status == http.StatusTooManyRequests {
		e.RetryAfter, e.Global = parseRateLimit(response.Header, body)
		e.shared = response.Header.Get("X-RateLimit-Scope") == "shared"
	}
	return e
}

// withoutURL removes the URL from an error of the HTTP client, because it may
// hold the token of an interaction.
func withoutURL(err error) error {
	var connection *url.Error
	if errors.As(err, &connection) {
		return connection.Err
	}
	return err
}

// fieldErrors flattens Discord's nested error object
// (https://docs.discord.com/developers/reference#error-messages).
func fieldErrors(raw json.RawMessage) []string {
	var out []string
	var walk func(prefix string, raw json.RawMessage)
	walk = func(prefix string, raw json.RawMessage) {
		var node map[string]json.RawMessage
		if json.Unmarshal(raw, &node) != nil {
			return
		}
		var leaves []struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		}
		if own, ok := node["_errors"]; ok && json.Unmarshal(own, &leaves) == nil {
			for _, l := range leaves {
				out = append(out, strings.TrimPrefix(prefix, ".")+": "+l.Message+" ("+l.Code+")")
			}
		}
		keys := make([]string, 0, len(node))
		for k := range node {
			if k != "_errors" {
				keys = append(keys, k)
			}
		}
		slices.SortFunc(keys, byNumber)
		for _, k := range keys {
			walk(prefix+"."+k, node[k])
		}
	}
	walk("", raw)
	return out
}

func byNumber(a, b string) int {
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return m - n
	}
	return strings.Compare(a, b)
}
