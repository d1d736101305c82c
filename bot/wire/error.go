package wire

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

	"github.com/bwmarrin/discordgo"
)

// Codes of Discord's errors that callers decide by.
const (
	CodeUnknownChannel     = 10003
	CodeUnknownMessage     = 10008
	CodeUnknownWebhook     = 10015
	CodeUnknownInteraction = 10062
	CodeTooManyOldEdits    = 30046
	CodeAlreadyAnswered    = 40060
	CodeMissingAccess      = 50001
	CodeMissingPermissions = 50013
	CodeDeadToken          = 50027
	CodeInvalidForm        = 50035
)

// Error is an answer of Discord that is no success.
type Error struct {
	Status  int    // of HTTP
	Code    int    // Discord's, 0 where it gave none
	Message string // Discord's, in English
	// Paths is where a body was refused, "components.0.content: …", in order.
	Paths []string
	// RetryAfter is how long to wait after a 429.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	s := fmt.Sprintf("Discord answered %d (code %d): %s", e.Status, e.Code, e.Message)
	if len(e.Paths) > 0 {
		s += " [" + strings.Join(e.Paths, "; ") + "]"
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
func Unclear(err error) bool {
	var e *Error
	return err != nil && (!errors.As(err, &e) || e.Status >= 500)
}

// asError turns what discordgo returns into an *Error where Discord answered.
func asError(err error) error {
	var limit *discordgo.RateLimitError
	if errors.As(err, &limit) {
		return &Error{Status: http.StatusTooManyRequests, Message: limit.Message, RetryAfter: limit.RetryAfter}
	}
	// An error of the connection carries the address, and with it the token
	// of an interaction.
	var connection *url.Error
	if errors.As(err, &connection) {
		return connection.Err
	}
	var rest *discordgo.RESTError
	if !errors.As(err, &rest) || rest.Response == nil {
		return err
	}
	e := &Error{Status: rest.Response.StatusCode}
	var answer struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Errors  json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(rest.ResponseBody, &answer) == nil {
		e.Code, e.Message = answer.Code, answer.Message
		e.Paths = paths(answer.Errors)
	} else {
		e.Message = http.StatusText(e.Status)
	}
	return e
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
