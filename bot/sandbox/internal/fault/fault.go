package fault

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"castellan/bot/sandbox/internal/api"
)

// FaultKind says what a fault does.
type Kind string

// Faults of requests to the REST API. They meet a request once it has been
// read and its token found good.
const (
	// FaultError answers with an error in Discord's shape: Status (default
	// 500), Code and Message.
	Error Kind = "error"
	// FaultRateLimit answers 429 with the headers and the body of the page
	// "Rate Limits": Scope and RetryAfter.
	RateLimit Kind = "rate-limit"
	// FaultProxy answers as what stands in front of Discord does, with a page
	// of HTML and none of Discord's headers: Status (default 502), and
	// RetryAfter with 429.
	Proxy Kind = "proxy"
	// FaultCut closes the connection without an answer. HTTP clients may
	// repeat a GET by themselves then.
	Cut Kind = "cut"
	// FaultHold keeps the request until it is released. A client that goes
	// away meanwhile has not asked: the work is not done.
	Hold Kind = "hold"
)

// Faults of events, which are dispatches of the gateway other than READY and
// RESUMED and what is sent with them.
const (
	// FaultTwice delivers an event twice, one right after the other.
	Twice Kind = "twice"
	// FaultLate keeps an event until it is released.
	Late Kind = "late"
	// FaultSwap keeps an event until the next one that the fault matches has
	// come, or until it is released. That next one may meet other faults, but
	// no swap.
	Swap Kind = "swap"
	// FaultAgain delivers an event, and once more when a bot has resumed or
	// identified the next time.
	Again Kind = "again"
)

// Faults of connections to the gateway, met by the next ones to be made.
const (
	// FaultRefuse answers the upgrade with Status, or closes the connection
	// without an answer if there is none.
	Refuse Kind = "refuse"
	// FaultNoHello opens the connection and says nothing until released.
	NoHello Kind = "no-hello"
	// FaultHandshake meets the identify or resume. Op 7 (the default) and 9
	// (with Resumable) come in the place of READY or RESUMED; op 1 and 11 come
	// before it. With a Code and no Op the connection is closed with it.
	Handshake Kind = "handshake"
)

// Scopes of a rate limit ("Rate Limits").
const (
	ScopeUser   = "user"
	ScopeGlobal = "global"
	ScopeShared = "shared"
)

// Exchange is a request of the bot to the REST API and its response.
type Exchange struct {
	Method        string
	Path          string // as sent, with query; may contain an interaction's token
	Route         string // Discord's template without /api/vN; "" for an unknown path
	Version       int    // of the API: 9 or 10
	RequestHeader http.Header
	RequestBody   []byte // raw
	RequestJSON   []byte // the body, or the payload_json part of a multipart one
	Files         []api.File
	Status        int // 0 if a fault cut the connection
	ResponseBody  []byte
	Fault         Kind // that the request has met; "" is none
}

// Fault is something that is to go wrong. It meets whatever it matches, Skip
// times not and then Count times. Of several faults, each request, event or
// connection meets the first that does not let it through, in the order in
// which they were planned; the later ones do not see it.
type Fault struct {
	Kind Kind

	// Method and Route choose requests, as in Exchange; "" is any.
	Method, Route string
	// Match chooses further, by the request in an exchange that has no answer
	// yet. It must not call the sandbox. May be nil.
	Match func(Exchange) bool
	// Event chooses events by type, such as "INTERACTION_CREATE"; "" is any.
	Event string

	Skip  int // that are let through first
	Count int // how many then meet the fault: 0 is one, below 0 all until removed

	// After lets a request do its work before it meets the fault: what Discord
	// has done and its answer does not say.
	After bool

	Status     int // of the answer
	Code       int // of the JSON error, or the close code
	Message    string
	Scope      string        // of a rate limit; default ScopeUser
	RetryAfter time.Duration // of a 429; default 1 s
	Op         int           // of a handshake
	Resumable  bool          // with op 9
}

// class is what a kind of fault is met by.
type Class int

const (
	ClassRequest Class = iota + 1
	ClassEvent
	ClassConnection
)

// faultClasses lists every kind, in the order of the page's list.
var Kinds = []struct {
	Kind  Kind
	Class Class
}{
	{Error, ClassRequest}, {RateLimit, ClassRequest}, {Proxy, ClassRequest}, {Cut, ClassRequest}, {Hold, ClassRequest},
	{Twice, ClassEvent}, {Late, ClassEvent}, {Swap, ClassEvent}, {Again, ClassEvent},
	{Refuse, ClassConnection}, {NoHello, ClassConnection}, {Handshake, ClassConnection},
}

func (k Kind) class() Class {
	for _, c := range Kinds {
		if c.Kind == k {
			return c.Class
		}
	}
	return 0
}

// complete fills in the defaults of a fault and refuses what makes no sense.
func (pl *Plan) complete(f Fault) (Fault, error) {
	class := f.Kind.class()
	switch {
	case class == 0:
		return f, fmt.Errorf("there is no fault %q", f.Kind)
	case f.Skip < 0:
		return f, fmt.Errorf("a fault cannot skip %d: 0 or more", f.Skip)
	case class != ClassRequest && (f.Method != "" || f.Route != "" || f.Match != nil || f.After):
		return f, fmt.Errorf("%s is no fault of requests: it takes no method, route, match or after", f.Kind)
	case class != ClassEvent && f.Event != "":
		return f, fmt.Errorf("%s is no fault of events: it takes no event", f.Kind)
	case f.Route != "" && !pl.hasRoute(f.Method, f.Route):
		return f, fmt.Errorf("there is no route %s %s", f.Method, f.Route)
	case f.RetryAfter < 0:
		return f, fmt.Errorf("a rate limit cannot end %s ago", -f.RetryAfter)
	}
	if f.Count == 0 {
		f.Count = 1
	}
	if f.RetryAfter == 0 {
		f.RetryAfter = time.Second
	}
	switch f.Kind {
	case Error:
		return f.completeStatus(http.StatusInternalServerError)
	case Proxy:
		return f.completeStatus(http.StatusBadGateway)
	case Refuse:
		if f.Status != 0 {
			return f.completeStatus(f.Status)
		}
	case RateLimit:
		return f.completeLimit()
	case Handshake:
		return f.completeHandshake()
	}
	return f, nil
}

func (f Fault) completeStatus(def int) (Fault, error) {
	if f.Status == 0 {
		f.Status = def
	}
	if f.Status < 400 || f.Status > 599 {
		return f, fmt.Errorf("status %d is no error: 400 to 599", f.Status)
	}
	if f.Message == "" {
		f.Message = fmt.Sprintf("%d: %s", f.Status, http.StatusText(f.Status))
	}
	return f, nil
}

func (f Fault) completeLimit() (Fault, error) {
	if f.Scope == "" {
		f.Scope = ScopeUser
	}
	switch {
	case !slices.Contains([]string{ScopeUser, ScopeGlobal, ScopeShared}, f.Scope):
		return f, fmt.Errorf("scope %q: want %s, %s or %s", f.Scope, ScopeUser, ScopeGlobal, ScopeShared)
	case f.After:
		return f, fmt.Errorf("a rate limit is met before the work is done, never after it")
	}
	f.Status = http.StatusTooManyRequests
	if f.Message == "" {
		f.Message = "You are being rate limited."
		if f.Scope == ScopeShared {
			f.Message = "The resource is being rate limited."
		}
	}
	return f, nil
}

func (f Fault) completeHandshake() (Fault, error) {
	if f.Op == 0 && f.Code == 0 {
		f.Op = api.OpReconnect
	}
	switch {
	case f.Op != 0 && f.Code != 0:
		return f, fmt.Errorf("a handshake meets op %d or close code %d, not both", f.Op, f.Code)
	case f.Op != 0 && !slices.Contains([]int{api.OpHeartbeat, api.OpReconnect, api.OpInvalidSession, api.OpHeartbeatAck}, f.Op):
		return f, fmt.Errorf("op %d is none for a handshake: 1, 7, 9 or 11", f.Op)
	case f.Code != 0:
		return f, api.CheckCloseCode(f.Code)
	}
	return f, nil
}
