package storage

import "time"

// ChallengeState is the state of a challenge.
type ChallengeState string

// The states of a challenge. Databases contain their text.
const (
	ChallengeOpen      ChallengeState = "open"
	ChallengeAccepted  ChallengeState = "accepted"
	ChallengeDeclined  ChallengeState = "declined"
	ChallengeCancelled ChallengeState = "cancelled"
	ChallengeExpired   ChallengeState = "expired"
)

// Challenge is an offer to play.
type Challenge struct {
	ID         ChallengeID
	Place      Place
	Challenger Person
	Seats      int // number of players
	// Joined lists those who have taken a seat, in the order in which they
	// came. Invited lists those for whom a seat is reserved, in the order in
	// which they were named. Nobody is listed twice, except a computer's level.
	Joined     []Person
	Invited    []Person
	Game       string
	Options    string
	Unrated    bool   // the match will not affect ratings
	Clock      string // as printed by match.Clock, empty for none
	First      string // who moves first from the challenger's view: "me", "them" or "random"
	Seed       uint64
	State      ChallengeState
	CreatedAt  time.Time
	ExpiresAt  time.Time // from then on it cannot be answered; zero if it never expires
	ResolvedAt time.Time // zero while open
	Match      MatchID   // 0 unless accepted

	// Message is the message that shows the challenge, empty before it was
	// posted.
	Message string
	// Revision counts the changes that the message has to show. ShownRevision
	// is the last one that Discord has confirmed, -1 before the first. While
	// they differ, the message needs an update.
	Revision      int
	ShownRevision int
	Attempts      int
	NextAttempt   time.Time
}

// ThreadState is the state of the thread of a challenge's match.
type ThreadState string

const (
	// ThreadNone means that no thread is wanted, or none is possible in the
	// channel.
	ThreadNone ThreadState = ""
	// ThreadWanted means that a thread has to be created on the message of the
	// challenge when the match begins.
	ThreadWanted ThreadState = "wanted"
	// ThreadCreated means that the thread exists; its identifier is that of the
	// message.
	ThreadCreated ThreadState = "made"
	// ThreadRefused means that the bot lacks permission to create it.
	ThreadRefused ThreadState = "refused"
	// ThreadFull means that the guild has too many active threads.
	ThreadFull ThreadState = "full"
	// ThreadLocked means that the match has left the thread, which was locked.
	ThreadLocked ThreadState = "locked"
	// ThreadArchived means that the thread was archived after the match.
	ThreadArchived ThreadState = "archived"
)

// ChallengeActivity holds the times of challenges that limits are checked
// against, for a person and for a channel.
type ChallengeActivity struct {
	// MadeBy and MadeIn hold creation times of all challenges, oldest first.
	MadeBy, MadeIn []time.Time
	// OpenBy and OpenIn hold expiry times of open challenges, soonest first;
	// zero times, at the end, belong to those that never expire.
	OpenBy, OpenIn []time.Time
}
