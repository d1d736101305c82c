package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
)

// Error is an error in the shape of Discord's "JSON Error Response": a code, a
// message and, for an invalid form, the errors by field.
type Error struct {
	Status  int
	Code    int
	Message string
	fields  *FieldErrors

	RetryAfter float64 // seconds, of a 429; 0 means 1
	Global     bool    // a 429 for every route

	Lacks int64 // the permissions that the bot lacks, which Discord does not say
}

// FieldErrors collects the errors of a request body by field, as Discord's
// error 50035 reports them.
type FieldErrors struct {
	List []FieldError
}

// FieldError is an error of one field.
type FieldError struct {
	Path          []string
	Code, Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("HTTP %d, code %d: %s", e.Status, e.Code, e.Message)
}

// MarshalJSON writes the body of the response.
func (e *Error) MarshalJSON() ([]byte, error) {
	body := map[string]any{"message": e.Message, "code": e.Code}
	if e.fields != nil {
		body["errors"] = e.fields.tree()
	}
	if e.Status == http.StatusTooManyRequests {
		body["retry_after"] = cmp.Or(e.RetryAfter, 1)
		body["global"] = e.Global
	}
	return json.Marshal(body)
}

// The codes are those of "JSON Error Codes" on the page
// "Opcodes and Status Codes" of Discord's documentation; the statuses are the
// ones that Discord sends with them.
var (
	ErrUnauthorized        = &Error{Status: 401, Message: "401: Unauthorized"}
	ErrNotFound            = &Error{Status: 404, Message: "404: Not Found"}
	ErrMethodNotAllowed    = &Error{Status: 405, Message: "405: Method Not Allowed"}
	ErrUnknownChannel      = &Error{Status: 404, Code: 10003, Message: "Unknown Channel"}
	ErrUnknownGuild        = &Error{Status: 404, Code: 10004, Message: "Unknown Guild"}
	ErrUnknownMessage      = &Error{Status: 404, Code: 10008, Message: "Unknown Message"}
	ErrUnknownMember       = &Error{Status: 404, Code: 10007, Message: "Unknown Member"}
	ErrUnknownUser         = &Error{Status: 404, Code: 10013, Message: "Unknown User"}
	ErrUnknownWebhook      = &Error{Status: 404, Code: 10015, Message: "Unknown Webhook"}
	ErrUnknownInteraction  = &Error{Status: 404, Code: 10062, Message: "Unknown interaction"}
	ErrUnknownEmoji        = &Error{Status: 400, Code: 10014, Message: "Unknown Emoji"}
	ErrForeignApplication  = &Error{Status: 403, Code: 20012, Message: "You are not authorized to perform this action on this application"}
	ErrForumChannel        = &Error{Status: 400, Code: 40058, Message: "Cannot send a message in a forum channel"}
	ErrTooManyReactions    = &Error{Status: 400, Code: 30010, Message: "Maximum number of reactions reached (20)"}
	ErrTooManyAttachments  = &Error{Status: 400, Code: 30015, Message: "Maximum number of attachments in a message reached (10)"}
	ErrTooManyCommands     = &Error{Status: 400, Code: 30032, Message: "Maximum number of application commands reached (100)."}
	ErrDailyCreates        = &Error{Status: 429, Code: 30034, Message: "Max number of daily application command creates has been reached (200)"}
	ErrTooLarge            = &Error{Status: 413, Code: 40005, Message: "Request entity too large"}
	ErrAlreadyAcknowledged = &Error{Status: 400, Code: 40060, Message: "Interaction has already been acknowledged."}
	ErrTooManyFollowUps    = &Error{Status: 400, Code: 40094, Message: "This interaction has reached the maximum number of follow up messages"}
	ErrMissingAccess       = &Error{Status: 403, Code: 50001, Message: "Missing Access"}
	ErrForeignMessage      = &Error{Status: 403, Code: 50005, Message: "Cannot edit a message authored by another user"}
	ErrEmptyMessage        = &Error{Status: 400, Code: 50006, Message: "Cannot send an empty message"}
	ErrCannotMessage       = &Error{Status: 403, Code: 50007, Message: "Cannot send messages to this user"}
	ErrNotText             = &Error{Status: 400, Code: 50008, Message: "Cannot send messages in a non-text channel"}
	ErrMissingPermissions  = &Error{Status: 403, Code: 50013, Message: "Missing Permissions"}
	ErrChannelType         = &Error{Status: 400, Code: 50024, Message: "Cannot execute action on this channel type"}
	ErrInvalidToken        = &Error{Status: 401, Code: 50027, Message: "Invalid Webhook Token"}
	ErrNoHistory           = &Error{Status: 400, Code: 160002, Message: "Cannot reply without permission to read message history"}
	ErrInvalidRecipient    = &Error{Status: 400, Code: 50033, Message: "Invalid Recipient(s)"}
	ErrThreadArchived      = &Error{Status: 400, Code: 50083, Message: "Thread is archived"}
	ErrNoEntryPoint        = &Error{Status: 400, Code: 50240, Message: "You cannot remove this app's Entry Point command in a bulk update operation. Please include the Entry Point command in your update request or delete it separately."}
	ErrNoMutualGuilds      = &Error{Status: 403, Code: 50278, Message: "Cannot send messages to this user due to having no mutual guilds"}
	ErrThreadExists        = &Error{Status: 400, Code: 160004, Message: "A thread has already been created for this message"}
	ErrThreadLocked        = &Error{Status: 403, Code: 160005, Message: "Thread is locked"}
	ErrTooManyThreads      = &Error{Status: 400, Code: 160006, Message: "Maximum number of active threads reached"}
	ErrInvalidJSON         = &Error{Status: 400, Code: 50109, Message: "The request body contains invalid JSON."}
)

// CodeNotBuilt is the code of operations that Discord has and the sandbox does
// not. Discord has no such code.
const CodeNotBuilt = 999001

// NotBuilt returns the error for something that Discord has and the sandbox does
// not. The status is 400, because libraries repeat a request after 5xx and hide
// its message.
func NotBuilt(what string) error {
	return &Error{Status: http.StatusBadRequest, Code: CodeNotBuilt, Message: "Not built here: " + what + ". docs/build/sandbox-operations.md lists what the sandbox has, and says how to ask for more."}
}

// Err returns the error for the request, or nil if the list is empty.
func (f *FieldErrors) Err() error {
	if len(f.List) == 0 {
		return nil
	}
	return &Error{Status: 400, Code: 50035, Message: "Invalid Form Body", fields: f}
}

// tree nests the errors by path; each leaf is {"_errors": [{code, message}]}.
func (f *FieldErrors) tree() map[string]any {
	root := map[string]any{}
	for _, fault := range f.List {
		at := root
		for _, key := range fault.Path {
			next, ok := at[key].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
		leaf, _ := at["_errors"].([]any)
		at["_errors"] = append(leaf, map[string]any{"code": fault.Code, "message": fault.Message})
	}
	return root
}
