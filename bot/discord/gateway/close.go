package gateway

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

// Close codes that do not allow the session to be resumed ("Opcodes and Status
// Codes", Gateway Close Event Codes).
const (
	closeNotAuthenticated     = 4003
	closeAuthenticationFailed = 4004
	closeSessionInvalid       = 4006 // of older versions of the API
	closeInvalidSequence      = 4007
	closeSessionTimedOut      = 4009
	closeInvalidShard         = 4010
	closeShardingRequired     = 4011
	closeInvalidVersion       = 4012
	closeInvalidIntents       = 4013
	closeDisallowedIntents    = 4014
)

// closeToResume is sent to Discord when a session is abandoned. Any code but
// 1000 and 1001 keeps the session resumable ("Gateway", Initiating a
// Disconnect).
const closeToResume = 4000

// advice says what to do about the codes after which reconnecting is useless.
var advice = map[int]string{
	closeAuthenticationFailed: TokenRefused,
	closeInvalidShard:         "Discord refuses the shard: its number must be below the number of shards",
	closeShardingRequired:     "the bot is in too many servers for its connections: Discord requires more shards. Set shards = 0 under [discord] in the configuration, so that there are as many as Discord recommends",
	closeInvalidVersion:       "Discord no longer serves this version of its gateway: a newer Castellan is needed",
	closeInvalidIntents:       "Discord does not know an intent that was asked for: a newer Castellan is needed",
	closeDisallowedIntents:    "an intent was asked for that the application may not use: allow it in the developer portal (the application, Bot, Privileged Gateway Intents)",
}

// TokenRefused is the advice if Discord refuses the token.
const TokenRefused = "Discord refuses the bot's token: it may have been reset. Make a new one in the developer portal (the application, Bot, Reset Token) and start again with it"

// FatalError says that Discord refuses the bot for good, and what to do.
type FatalError struct {
	Code   int // the close code; 0 if a request was refused instead
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

// startLimitError says that no session may be started until the daily limit is
// reset.
type startLimitError struct{ resetAfter time.Duration }

func (e *startLimitError) Error() string {
	return fmt.Sprintf("no session may be started for %v (session_start_limit)", e.resetAfter)
}

// Why a connection ended or an attempt failed, besides network errors.
var (
	errStopped          = errors.New("the bot stops")
	errReconnect        = errors.New("a reconnect was requested by Discord (opcode 7)")
	errInvalidSession   = errors.New("the session was ended by Discord (opcode 9)")
	errInvalidResumable = errors.New("the session cannot be resumed now (opcode 9)")
	errNoAck            = errors.New("heartbeats are not acknowledged")
	errNotReady         = errors.New("the session did not become ready in time")
	errNoHello          = errors.New("the first frame is not a hello (opcode 10)")
	errBadFrame         = errors.New("a frame is malformed")
)

// resumable reports whether a session can be resumed after its connection ended
// for a reason.
func resumable(why error) bool {
	if errors.Is(why, errInvalidSession) {
		return false
	}
	var closed *websocket.CloseError
	return !errors.As(why, &closed) || !slices.Contains([]int{
		closeNotAuthenticated, closeSessionInvalid, closeInvalidSequence, closeSessionTimedOut,
	}, closed.Code)
}

// fatalError returns a *FatalError if a close code says that reconnecting is
// useless, and nil otherwise.
func fatalError(why error) error {
	var closed *websocket.CloseError
	if errors.As(why, &closed) && advice[closed.Code] != "" {
		return &FatalError{Code: closed.Code, Advice: advice[closed.Code], Err: why}
	}
	return nil
}
