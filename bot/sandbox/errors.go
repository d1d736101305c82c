package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
)

// apiError is an answer in the shape of Discord's "JSON Error Response":
// a code, a sentence and, for a refused form, the paths of its faults.
type apiError struct {
	status  int
	code    int
	message string
	fields  *fieldErrors

	retryAfter float64 // seconds, of a 429; 0 is 1
	global     bool    // a 429 that concerns every route
}

func (e *apiError) Error() string {
	return fmt.Sprintf("HTTP %d, code %d: %s", e.status, e.code, e.message)
}

// MarshalJSON writes the body that goes over the wire.
func (e *apiError) MarshalJSON() ([]byte, error) {
	body := map[string]any{"message": e.message, "code": e.code}
	if e.fields != nil {
		body["errors"] = e.fields.tree()
	}
	if e.status == http.StatusTooManyRequests {
		body["retry_after"] = cmp.Or(e.retryAfter, 1)
		body["global"] = e.global
	}
	return json.Marshal(body)
}

// The codes are those of "JSON Error Codes" on the page
// "Opcodes and Status Codes" of Discord's documentation; the statuses are the
// ones that Discord sends with them.
var (
	errUnauthorized        = &apiError{status: 401, message: "401: Unauthorized"}
	errNotFound            = &apiError{status: 404, message: "404: Not Found"}
	errMethodNotAllowed    = &apiError{status: 405, message: "405: Method Not Allowed"}
	errUnknownChannel      = &apiError{status: 404, code: 10003, message: "Unknown Channel"}
	errUnknownGuild        = &apiError{status: 404, code: 10004, message: "Unknown Guild"}
	errUnknownMessage      = &apiError{status: 404, code: 10008, message: "Unknown Message"}
	errUnknownMember       = &apiError{status: 404, code: 10007, message: "Unknown Member"}
	errUnknownUser         = &apiError{status: 404, code: 10013, message: "Unknown User"}
	errUnknownWebhook      = &apiError{status: 404, code: 10015, message: "Unknown Webhook"}
	errUnknownInteraction  = &apiError{status: 404, code: 10062, message: "Unknown interaction"}
	errUnknownCommand      = &apiError{status: 404, code: 10063, message: "Unknown application command"}
	errForeignApplication  = &apiError{status: 403, code: 20012, message: "You are not authorized to perform this action on this application"}
	errTooManyAttachments  = &apiError{status: 400, code: 30015, message: "Maximum number of attachments in a message reached (10)"}
	errTooManyCommands     = &apiError{status: 400, code: 30032, message: "Maximum number of application commands reached (100)."}
	errTooLarge            = &apiError{status: 413, code: 40005, message: "Request entity too large"}
	errAlreadyAcknowledged = &apiError{status: 400, code: 40060, message: "Interaction has already been acknowledged."}
	errTooManyFollowUps    = &apiError{status: 400, code: 40094, message: "This interaction has reached the maximum number of follow up messages"}
	errMissingAccess       = &apiError{status: 403, code: 50001, message: "Missing Access"}
	errForeignMessage      = &apiError{status: 403, code: 50005, message: "Cannot edit a message authored by another user"}
	errEmptyMessage        = &apiError{status: 400, code: 50006, message: "Cannot send an empty message"}
	errCannotMessage       = &apiError{status: 403, code: 50007, message: "Cannot send messages to this user"}
	errMissingPermissions  = &apiError{status: 403, code: 50013, message: "Missing Permissions"}
	errChannelType         = &apiError{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	errInvalidToken        = &apiError{status: 401, code: 50027, message: "Invalid Webhook Token"}
	errNoHistory           = &apiError{status: 400, code: 160002, message: "Cannot reply without permission to read message history"}
	errInvalidRecipient    = &apiError{status: 400, code: 50033, message: "Invalid Recipient(s)"}
	errThreadArchived      = &apiError{status: 400, code: 50083, message: "Thread is archived"}
	errThreadExists        = &apiError{status: 400, code: 160004, message: "A thread has already been created for this message"}
	errThreadLocked        = &apiError{status: 403, code: 160005, message: "Thread is locked"}
	errInvalidJSON         = &apiError{status: 400, code: 50109, message: "The request body contains invalid JSON."}
)

// notBuilt is the answer to what Discord has and the sandbox has not, in the
// shape of Discord's own errors: 501, and a message that names the sandbox.
func notImplemented(what string) error {
	return &apiError{status: http.StatusNotImplemented, message: "501: Not Implemented: the sandbox does not have " + what}
}
