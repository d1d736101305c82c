// Package api contains the objects, errors and constants of Discord's API that
// the sandbox uses, in Discord's JSON shapes. Names in quotation marks are pages
// or headings of Discord's documentation.
package api

import "net/http"

// Exchange is a request of the bot to the REST API and its response.
type Exchange struct {
	Method        string
	Path          string // as sent, with query; may contain an interaction's token
	Route         string // Discord's template without /api/vN; "" for an unknown path
	Version       int    // of the API: 9 or 10
	RequestHeader http.Header
	RequestBody   []byte // raw
	RequestJSON   []byte // the body, or the payload_json part of a multipart one
	Files         []File
	Status        int // 0 if a fault cut the connection
	ResponseBody  []byte
	Invalid       bool   // counts towards the limit of invalid requests: 401, 403, or 429 unless shared
	Fault         string // kind of the fault that the request has met; "" if none
}
