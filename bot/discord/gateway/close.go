package gateway

import (
	"errors"
	"fmt"

	"github.com/gorilla/websocket"
)

// Close codes of Discord ("Opcodes and Status Codes", Gateway Close Event
// Codes) that are more than a lost connection.
const (
	closeNotAuthenticated  = 4003
	closeBadToken          = 4004
	closeSessionInvalid    = 4006 // of older versions of the API
	closeInvalidSequence   = 4007
	closeSessionTimedOut   = 4009
	closeInvalidShard      = 4010
	closeShardingRequired  = 4011
	closeInvalidVersion    = 4012
	closeInvalidIntents    = 4013
	closeDisallowedIntents = 4014
)

// closeToResume is sent to Discord when a session is abandoned. Any code but
// 1000 and 1001, which would end the session for good, does ("Gateway",
// Initiating a Disconnect).
const closeToResume = 4000

// advice is what can be done about the codes after which Discord wants no
// further connection.
var advice = map[int]string{
	closeBadToken:          "Discord refuses the bot's token: it may have been reset. Make a new one in the developer portal (the application, Bot, Reset Token) and start again with it",
	closeInvalidShard:      "Discord refuses the shard: its number must be below the number of shards",
	closeShardingRequired:  "the bot is in too many servers for one connection: Discord requires sharding",
	closeInvalidVersion:    "Discord no longer serves this version of its gateway: a newer Castellan is needed",
	closeInvalidIntents:    "Discord does not know an intent that was asked for: a newer Castellan is needed",
	closeDisallowedIntents: "an intent was asked for that the application may not use: allow it in the developer portal (the application, Bot, Privileged Gateway Intents)",
}

// FatalError says that Discord will not have the bot, and what to do. Trying
// again would not help.
type FatalError struct {
	Code   int // of the close; 0 where a request was refused instead
	Advice string
	Err    error
}

func (e *FatalError) Error() string {
	if e.Code == 0 {
		return e.Advice
	}
	return fmt.Sprintf("%s (close code %d)", e.Advice, e.Code)
}

func (e *FatalError) Unwrap() error { return e.Err }

// Why a connection ended, besides what the network says.
var (
	errStopped      = errors.New("the bot stops")
	errReconnect    = errors.New("a reconnect was asked for (opcode 7)")
	errInvalid      = errors.New("the session was ended by Discord (opcode 9)")
	errInvalidNow   = errors.New("the session cannot be taken up now (opcode 9)")
	errUnanswered   = errors.New("a heartbeat was not acknowledged before the next one")
	errSilent       = errors.New("no heartbeat has been acknowledged for two intervals")
	errNotOpened    = errors.New("the session did not become ready in time")
	errLeft         = errors.New("the library has closed its session")
	errOutOfOrder   = errors.New("the gateway does not begin with a hello (opcode 10)")
	errNotAsMeant   = errors.New("the library identifies where it should resume, or the other way round")
	errNotPrimed    = errors.New("the library does not learn what to resume")
	errUnreadable   = errors.New("the gateway sends what is no frame of its protocol")
	errNoMoreStarts = errors.New("no session may be started until the daily limit is reset")
)

// resumable reports whether a session can be taken up after its connection
// ended for this reason.
func resumable(why error) bool {
	for _, end := range []error{errInvalid, errNotAsMeant, errNotPrimed} {
		if errors.Is(why, end) {
			return false
		}
	}
	var closed *websocket.CloseError
	if !errors.As(why, &closed) {
		return true
	}
	switch closed.Code {
	case closeNotAuthenticated, closeSessionInvalid, closeInvalidSequence, closeSessionTimedOut:
		return false
	}
	return true
}

// fatal is the error with which to give up, or nil where trying again makes
// sense.
func fatal(why error) error {
	var closed *websocket.CloseError
	if !errors.As(why, &closed) {
		return nil
	}
	if a, ok := advice[closed.Code]; ok {
		return &FatalError{Code: closed.Code, Advice: a, Err: why}
	}
	return nil
}
