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
	faults  *formFaults

	retryAfter float64 // seconds, of a 429; 0 is 1
	global     bool    // a 429 that concerns every route
}

func (e *apiError) Error() string {
	return fmt.Sprintf("HTTP %d, code %d: %s", e.status, e.code, e.message)
}

// MarshalJSON writes the body that goes over the wire.
func (e *apiError) MarshalJSON() ([]byte, error) {
	body := map[string]any{"message": e.message, "code": e.code}
	if e.faults != nil {
		body["errors"] = e.faults.tree()
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
	errUnknownUser         = &apiError{status: 404, code: 10013, message: "Unknown User"}
	errUnknownWebhook      = &apiError{status: 404, code: 10015, message: "Unknown Webhook"}
	errUnknownInteraction  = &apiError{status: 404, code: 10062, message: "Unknown interaction"}
	errUnknownCommand      = &apiError{status: 404, code: 10063, message: "Unknown application command"}
	errForeignApplication  = &apiError{status: 403, code: 20012, message: "You are not authorized to perform this action on this application"}
	errTooManyAttachments  = &apiError{status: 400, code: 30015, message: "Maximum number of attachments in a message reached (10)"}
	errTooManyCommands     = &apiError{status: 400, code: 30032, message: "Maximum number of application commands reached (100)."}
	errTooLarge            = &apiError{status: 413, code: 40005, message: "Request entity too large"}
	errAlreadyAcknowledged = &apiError{status: 400, code: 40060, message: "Interaction has already been acknowledged."}
	errMissingAccess       = &apiError{status: 403, code: 50001, message: "Missing Access"}
	errForeignMessage      = &apiError{status: 403, code: 50005, message: "Cannot edit a message authored by another user"}
	errEmptyMessage        = &apiError{status: 400, code: 50006, message: "Cannot send an empty message"}
	errMissingPermissions  = &apiError{status: 403, code: 50013, message: "Missing Permissions"}
	errInvalidToken        = &apiError{status: 401, code: 50027, message: "Invalid Webhook Token"}
	errNoHistory           = &apiError{status: 400, code: 160002, message: "Cannot reply without permission to read message history"}
	errInvalidJSON         = &apiError{status: 400, code: 50109, message: "The request body contains invalid JSON."}
)
