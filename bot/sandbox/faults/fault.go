// Package faults plans failures of requests, events and gateway connections.
package faults

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"castellan/bot/sandbox/api"
)

// Faults of requests to the REST API. They apply once the request has been read
// and its token is valid.
const (
	// Error answers with an error in Discord's shape: Status (default
	// 500), Code and Message.
	Error = "error"
	// RateLimit answers 429 with the headers and the body of the page
	// "Rate Limits": Scope and RetryAfter.
	RateLimit = "rate-limit"
	// Proxy answers like a proxy in front of Discord, with an HTML page and
	// none of Discord's headers: Status (default 502), and RetryAfter with 429.
	Proxy = "proxy"
	// Cut closes the connection without a response. HTTP clients may repeat a
	// GET by themselves then.
	Cut = "cut"
	// Hold holds the request until it is released. If the client disconnects
	// meanwhile the work is not done.
	Hold = "hold"
)

// Faults of events: dispatches of the gateway except READY, RESUMED and the
// events sent with them.
const (
	// Twice delivers an event twice in a row.
	Twice = "twice"
	// Late holds an event until it is released.
	Late = "late"
	// Swap holds an event until the next one that the fault matches, or until
	// it is released. The next one may meet other faults, but no swap.
	Swap = "swap"
	// Again delivers an event, and once more after the next resume or identify.
	Again = "again"
)

// Faults of the next connections to the gateway.
const (
	// Refuse answers the upgrade with Status, or closes the connection without
	// a response if Status is 0.
	Refuse = "refuse"
	// NoHello opens the connection and holds the hello until released.
	NoHello = "no-hello"
	// Handshake applies to the identify or resume. Op 7 (the default) and 9
	// (with Resumable) replace READY or RESUMED; op 1 and 11 precede it. With a
	// Code and no Op the connection is closed with the code.
	Handshake = "handshake"
)

// Scopes of a rate limit ("Rate Limits").
const (
	ScopeUser   = "user"
	ScopeGlobal = "global"
	ScopeShared = "shared"
)

// Fault describes a failure. It lets Skip matching requests, events or
// connections through and then applies to Count of them. Of several faults,
// each request, event or connection meets the first that applies, in the order
// of planning; later ones do not count it.
type Fault struct {
	Kind string `json:"kind"` // what it does: Error, Twice, Refuse, …

	// Method and Route select requests, as in Exchange; "" is any.
	Method string `json:"method"`
	Route  string `json:"route"`
	// Match selects further, by an exchange without response. It must not call
	// the sandbox. May be nil.
	Match func(api.Exchange) bool `json:"-"`
	// Event selects events by type, such as "INTERACTION_CREATE"; "" is any.
	Event string `json:"event"`

	Skip  int `json:"skip"`  // matches that it lets through first
	Count int `json:"count"` // matches that it then applies to: 0 means one, negative all until removed

	// After applies the fault once the request has been handled: Discord has
	// done the work, but the bot is not told.
	After bool `json:"after"`

	Status     int           `json:"status"` // of the response
	Code       int           `json:"code"`   // of the JSON error, or the close code
	Message    string        `json:"message"`
	Scope      string        `json:"scope"`     // of a rate limit; default ScopeUser
	RetryAfter time.Duration `json:"-"`         // of a 429; default 1 s
	Op         int           `json:"op"`        // of a handshake
	Resumable  bool          `json:"resumable"` // with op 9
}

// Class is what a kind of fault applies to.
type Class string

const (
	ClassRequest    Class = "request"
	ClassEvent      Class = "event"
	ClassConnection Class = "connection"
)

// Kinds lists every kind, in the order of the page's list.
var Kinds = []struct {
	Kind  string
	Class Class
}{
	{Error, ClassRequest}, {RateLimit, ClassRequest}, {Proxy, ClassRequest}, {Cut, ClassRequest}, {Hold, ClassRequest},
	{Twice, ClassEvent}, {Late, ClassEvent}, {Swap, ClassEvent}, {Again, ClassEvent},
	{Refuse, ClassConnection}, {NoHello, ClassConnection}, {Handshake, ClassConnection},
}

func classOf(kind string) Class {
	for _, c := range Kinds {
		if c.Kind == kind {
			return c.Class
		}
	}
	return ""
}

// complete fills in the defaults of a fault, and returns an error for an
// invalid one.
func (pl *Plan) complete(f Fault) (Fault, error) {
	class := classOf(f.Kind)
	switch {
	case class == "":
		return f, fmt.Errorf("there is no fault %q", f.Kind)
	case f.Skip < 0:
		return f, fmt.Errorf("a fault cannot skip %d: 0 or more", f.Skip)
	case class != ClassRequest && (f.Method != "" || f.Route != "" || f.Match != nil || f.After):
		return f, fmt.Errorf("%s is not a fault of requests: it takes no method, route, match or after", f.Kind)
	case class != ClassEvent && f.Event != "":
		return f, fmt.Errorf("%s is not a fault of events: it takes no event", f.Kind)
	case f.Route != "" && !pl.hasRoute(f.Method, f.Route):
		return f, fmt.Errorf("there is no route %s %s", f.Method, f.Route)
	case f.RetryAfter < 0:
		return f, fmt.Errorf("a rate limit cannot end %s ago", -f.RetryAfter)
	}
	f.Count, f.RetryAfter = cmp.Or(f.Count, 1), cmp.Or(f.RetryAfter, time.Second)
	switch f.Kind {
	case Error:
		f.Status = cmp.Or(f.Status, http.StatusInternalServerError)
	case Proxy:
		f.Status = cmp.Or(f.Status, http.StatusBadGateway)
	case RateLimit:
		return f.completeLimit()
	case Handshake:
		return f.completeHandshake()
	}
	switch {
	case f.Status == 0:
	case f.Status < 400 || f.Status > 599:
		return f, fmt.Errorf("status %d is not an error: want 400 to 599", f.Status)
	default:
		f.Message = cmp.Or(f.Message, fmt.Sprintf("%d: %s", f.Status, http.StatusText(f.Status)))
	}
	return f, nil
}

func (f Fault) completeLimit() (Fault, error) {
	f.Scope = cmp.Or(f.Scope, ScopeUser)
	message, known := map[string]string{
		ScopeUser: "You are being rate limited.", ScopeGlobal: "You are being rate limited.", ScopeShared: "The resource is being rate limited.",
	}[f.Scope]
	switch {
	case !known:
		return f, fmt.Errorf("scope %q: want %s, %s or %s", f.Scope, ScopeUser, ScopeGlobal, ScopeShared)
	case f.After:
		return f, fmt.Errorf("a rate limit comes before the work, never after it")
	}
	f.Status, f.Message = http.StatusTooManyRequests, cmp.Or(f.Message, message)
	return f, nil
}

func (f Fault) completeHandshake() (Fault, error) {
	if f.Op == 0 && f.Code == 0 {
		f.Op = api.OpReconnect
	}
	switch {
	case f.Op != 0 && f.Code != 0:
		return f, fmt.Errorf("a handshake takes op %d or close code %d, not both", f.Op, f.Code)
	case f.Op != 0 && !slices.Contains([]int{api.OpHeartbeat, api.OpReconnect, api.OpInvalidSession, api.OpHeartbeatAck}, f.Op):
		return f, fmt.Errorf("op %d is not one for a handshake: want 1, 7, 9 or 11", f.Op)
	case f.Code != 0:
		return f, api.CheckCloseCode(f.Code)
	}
	return f, nil
}
