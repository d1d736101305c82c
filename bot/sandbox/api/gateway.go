package api

import (
	"fmt"
)

// Gateway opcodes and close codes ("Opcodes and Status Codes").
const (
	OpDispatch       = 0
	OpHeartbeat      = 1
	OpIdentify       = 2
	OpPresence       = 3
	OpVoiceState     = 4
	OpResume         = 6
	OpReconnect      = 7
	OpRequestMembers = 8
	OpInvalidSession = 9
	OpHello          = 10
	OpHeartbeatAck   = 11
	OpRequestSounds  = 31

	CloseUnknown           = 4000
	CloseUnknownOpcode     = 4001
	CloseDecodeError       = 4002
	CloseNotAuthenticated  = 4003
	CloseBadToken          = 4004
	CloseAlreadyAuth       = 4005
	CloseInvalidSeq        = 4007
	CloseRateLimited       = 4008
	CloseTimedOut          = 4009
	CloseInvalidShard      = 4010
	CloseShardingRequired  = 4011
	CloseInvalidVersion    = 4012
	CloseInvalidIntents    = 4013
	CloseDisallowedIntents = 4014
)

// Intents that the sandbox supports ("Gateway Intents").
const (
	IntentGuilds          = 1 << 0
	IntentGuildMembers    = 1 << 1
	IntentGuildMessages   = 1 << 9
	IntentReactions       = 1 << 10
	IntentDirectReactions = 1 << 13
	IntentDirectMessages  = 1 << 12
	IntentMessageContent  = 1 << 15
	IntentsAll            = 1<<26 - 1
)

// CheckCloseCode returns an error for a close code that a server cannot send
// (RFC 6455, section 7.4; Discord's own are 4000 to 4014).
func CheckCloseCode(code int) error {
	if code >= 4000 && code < 5000 || code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006 {
		return nil
	}
	return fmt.Errorf("%d is not a close code: want 4000 to 4999, or 1000 to 1014", code)
}

// EndsSession reports whether a close code also ends the session: after these
// codes a client must identify again or give up ("Gateway Close Event Codes").
func EndsSession(code int) bool {
	switch code {
	case CloseBadToken, CloseInvalidSeq, CloseTimedOut, CloseInvalidShard, CloseShardingRequired, CloseInvalidVersion, CloseInvalidIntents, CloseDisallowedIntents:
		return true
	}
	return false
}
