package storage

import "time"

// RepairReader reads what channels that lost something need.
type RepairReader interface {
	// OpenChallenges is every challenge that is open, oldest first.
	OpenChallenges() ([]Challenge, error)
	// Postponed reports whether something is to be posted in a place, a due
	// board or a challenge without a message, whose Next is after now. A
	// place without a channel is all channels of the server.
	HasPostponed(place Place, now time.Time) (bool, error)
}

// RepairTx writes what repairs need.
type RepairTx interface {
	// Hasten sets Next to now for all that Postponed finds, and says how much
	// that is. How often it has failed stays as it was.
	RetryNow(place Place, now time.Time) (int, error)
	// RepostChallenge has a challenge posted anew, at next: its message is
	// forgotten, Shown becomes -1 and Tries zero.
	RepostChallenge(challenge ChallengeID, next time.Time) error
	// MoveMatch takes a match to another place. Its boards stay where they
	// are. It fails with ErrConflict unless it is at the place from.
	MoveMatch(match MatchID, from, to Place) error
}
