package storage

// ThreadState is what has become of the thread that the match of a challenge
// is to live in.
type ThreadState string

const (
	// ThreadNone is that none is wanted, or that none can be where the
	// challenge is.
	ThreadNone ThreadState = ""
	// ThreadWanted is to be made on the message of the challenge when the
	// match begins.
	ThreadWanted ThreadState = "wanted"
	// ThreadMade is there; its identifier is that of the message.
	ThreadCreated ThreadState = "made"
	// ThreadRefused was wanted, and the bot may not make threads there.
	ThreadRefused ThreadState = "refused"
)

// ThreadReader reads about threads.
type ThreadReader interface {
	// Thread is ThreadNone where nothing is on record.
	Thread(ChallengeID) (ThreadState, error)
}

// ThreadTx writes about threads.
type ThreadTx interface {
	// SetThread replaces what is on record of the thread of a challenge.
	SetThread(challenge ChallengeID, state ThreadState) error
	// MoveDue takes the board of a match that is due to another place. Where
	// there is none, nothing is done.
	MoveDueBoard(match MatchID, to Place) error
	// ReviseChallenge counts a change that the message of a challenge is to
	// show, such as the result of its match: the revision goes up by one.
	// Tries and Next become zero.
	ReviseChallenge(ChallengeID) error
}
