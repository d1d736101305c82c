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

// Codes of Discord's errors that callers decide by.
const (
	CodeUnknownChannel      = 10003
	CodeUnknownMessage      = 10008
	CodeUnknownWebhook      = 10015
	CodeUnknownInteraction  = 10062
	CodeTooManyOldEdits     = 30046
	CodeAlreadyAcknowledged = 40060
	CodeMissingAccess       = 50001
	CodeWrongChannelType    = 50024
	CodeMissingPermissions  = 50013
	CodeInvalidWebhookToken = 50027
	CodeInvalidFormBody     = 50035
	CodeArchivedThread      = 50083
	CodeThreadExists        = 160004
	CodeLockedThread        = 160005
)

// Error is an answer of Discord that is no success.
type Error struct {
	Status  int    // of HTTP
	Code    int    // Discord's, 0 where it gave none
	Message string // Discord's, in English
	// Paths is where a body was refused, "components.0.content: …", in order.
	FieldErrors []string
	// RetryAfter is how long to wait after a 429.
	RetryAfter time.Duration
	// Global says that a 429 holds for all requests of the bot.
	Global bool
	// unsent says that a limit that is known held it back: Discord was not
	// asked.
	unsent bool
}

func (e *Error) Error() string {
	if e.unsent {
		return fmt.Sprintf("held back for a rate limit that ends in %v", e.RetryAfter.Round(time.Millisecond))
	}
	s := fmt.Sprintf("Discord answered %d (code %d): %s", e.Status, e.Code, e.Message)
	if len(e.FieldErrors) > 0 {
		s += " [" + strings.Join(e.FieldErrors, "; ") + "]"
	}
	return s
}

// HasCode reports whether an error is an answer of Discord with one of the
// codes.
func HasCode(err error, codes ...int) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}

// Unclear reports whether a request may have been carried out although it
// failed: no answer came, or one that says nothing of the request.
func OutcomeUnknown(err error) bool {
	var e *Error
	return err != nil && (!errors.As(err, &e) || e.Status >= 500)
}

// Blocked reports whether a request was refused for as long as somebody does
// not change something: the channel is gone, or the bot may not do this there.
func Blocked(err error) bool {
	return HasCode(err, CodeUnknownChannel, CodeMissingAccess, CodeMissingPermissions, CodeArchivedThread, CodeLockedThread)
}

// Limited reports whether a request was refused for a rate limit.
func RateLimited(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusTooManyRequests
}

// RetryAfter is how long Discord asked to wait, 0 where it did not.
func RetryAfter(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

// sendAgain reports whether a request was refused for a rate limit that
// passes soon. That an old message has been edited too often (30046) comes
// with the same status, but passes only with the hour.
func (e *Error) sendAgain() bool {
	return e.Status == http.StatusTooManyRequests && !e.unsent && e.Code != CodeTooManyOldEdits
}

// maxMessage is how much of what Discord, or a proxy before it, says is kept.
const maxMessage = 300

// refusal is an answer that is no success.
func refusal(response *http.Response, body []byte) *Error {
	e := &Error{Status: response.StatusCode, Message: http.StatusText(response.StatusCode)}
	var answer struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Errors  json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &answer) == nil && answer.Message != "" {
		e.Code, e.Message = answer.Code, clip(answer.Message, maxMessage)
		e.FieldErrors = paths(answer.Errors)
	}
	if e.Status == http.StatusTooManyRequests {
		e.RetryAfter, e.Global = limitOf(response.Header, body)
	}
	return e
}

// withoutAddress is an error of the connection without the address, which
// holds the token of an interaction.
func withoutAddress(err error) error {
	var connection *url.Error
	if errors.As(err, &connection) {
		return connection.Err
	}
	return err
}

// paths flattens Discord's nested error object.
func paths(raw json.RawMessage) []string {
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
