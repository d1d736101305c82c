package storage

import "time"

// ChallengeReader reads challenges, rematches and threads.
type ChallengeReader interface {
	// Challenge returns a challenge.
	Challenge(ChallengeID) (Challenge, error)
	// OpenChallenges returns the open challenges in which a person has a seat or is
	// invited, oldest first, or all if person is empty.
	OpenChallenges(person string) ([]Challenge, error)
	// ChallengeActivity returns the times of the challenges that a person
	// made, and that were made in a guild, after a time, and of those that are
	// open at now.
	ChallengeActivity(person, guild string, after, now time.Time) (ChallengeActivity, error)
	// RematchFor returns the newest challenge for a rematch of a match.
	RematchFor(MatchID) (ChallengeID, error)
	// RematchOf returns the earlier match of a rematch challenge, or 0.
	RematchOf(ChallengeID) (MatchID, error)
	// Thread returns the state of the thread of a challenge, ThreadNone if
	// there is no record.
	Thread(ChallengeID) (ThreadState, error)
	// EndedThreads returns up to limit challenges whose thread is ThreadCreated
	// and no longer needed, by identifier: their match has ended, no match in
	// the channel of the thread runs or has ended after a time, and neither the
	// challenge nor a board in that channel needs work.
	EndedThreads(after time.Time, limit int) ([]ChallengeID, error)
}

// ChallengeStore writes challenges, rematches and threads.
type ChallengeStore interface {
	ChallengeReader

	// InsertChallenge adds a challenge with its people and returns its
	// identifier. An empty State means open; Revision begins at 0 and
	// ShownRevision at -1.
	InsertChallenge(Challenge) (ChallengeID, error)
	// SetChallengePlayers replaces the people of a challenge. It fails with
	// ErrConflict unless the challenge is open and has the revision, which is
	// then incremented.
	SetChallengePlayers(challenge ChallengeID, revision int, joined, invited []Person) error
	// ResolveChallenge moves an open challenge to another state, with the match
	// that it led to or 0, and increments the revision. It fails with
	// ErrConflict if the challenge is not open.
	ResolveChallenge(challenge ChallengeID, state ChallengeState, match MatchID, at time.Time) error
	// ReviseChallenge increments the revision of a challenge, because its
	// message has something else to show, such as the result of its match.
	ReviseChallenge(ChallengeID) error
	// RepostChallenge forgets the message of a challenge, so that it is posted
	// anew at next: ShownRevision becomes -1 and Attempts 0.
	RepostChallenge(challenge ChallengeID, next time.Time) error
	// MarkChallengeShown records that a message shows a revision. An empty
	// message keeps the one on record. Attempts and NextAttempt become zero, as
	// they do when the revision is incremented.
	MarkChallengeShown(challenge ChallengeID, message string, revision int) error
	// PostponeChallenge does the same as PostponeBoard for a challenge.
	PostponeChallenge(challenge ChallengeID, next time.Time) error
	// RecordRematch records once that a challenge offers a rematch of a match.
	RecordRematch(challenge ChallengeID, match MatchID) error
	// SetThread replaces the thread state of a challenge.
	SetThread(challenge ChallengeID, state ThreadState) error
}

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
	ThreadCreated ThreadState = "created"
	// ThreadRefused means that the bot lacks permission to create it.
	ThreadRefused ThreadState = "refused"
	// ThreadFull means that the guild has too many active threads.
	ThreadFull ThreadState = "full"
	// ThreadLocked means that the match has left the thread, which was locked.
	ThreadLocked ThreadState = "locked"
	// ThreadDeleted means that the match has left the thread, which was deleted.
	ThreadDeleted ThreadState = "deleted"
	// ThreadArchived means that the thread was archived after the match.
	ThreadArchived ThreadState = "archived"
)

// ChallengeActivity holds the times of challenges that limits are checked
// against, for a person and for a guild.
type ChallengeActivity struct {
	// MadeBy and MadeIn hold creation times of all challenges, oldest first.
	MadeBy, MadeIn []time.Time
	// OpenBy and OpenIn hold expiry times of open challenges, soonest first;
	// zero times, at the end, belong to those that never expire.
	OpenBy, OpenIn []time.Time
}
