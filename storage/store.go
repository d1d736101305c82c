package storage

import (
	"context"
	"errors"
	"time"
)

// Errors that callers decide by. Drivers wrap them.
var (
	// ErrNotFound says that there is no such record.
	ErrNotFound = errors.New("no such record")
	// ErrConflict says that the match or challenge has moved on since the
	// caller read it.
	ErrConflict = errors.New("it has moved on")
	// ErrApplied says that the interaction has been carried out before.
	ErrAlreadyProcessed = errors.New("this interaction has been carried out already")
	// ErrClosed says that the store has been closed.
	ErrClosed = errors.New("the store is closed")
)

// Errors of opening a database.
var (
	// ErrForeign says that a database belongs to something else.
	ErrForeign = errors.New("not a Castellan database")
	// ErrNewer says that a database was written by a newer version.
	ErrNewerSchema = errors.New("written by a newer version of Castellan")
	// ErrLocked says that another process holds the database.
	ErrLocked = errors.New("in use by another program")
)

// Store keeps everything. It is safe for concurrent use. A function that runs
// in a transaction may not begin another: it could wait for itself.
type Store interface {
	// Update runs fn in one read-write transaction and commits it when fn
	// returns nil. Updates run one after another. When Update has returned
	// nil, what fn wrote is on disk; when it has returned an error, nothing
	// is, and the same after a panic of fn. A cancelled context stops it from
	// beginning and never in the middle. fn's error is returned as it is. fn
	// may not keep the Tx.
	Update(ctx context.Context, fn func(Tx) error) error

	// View runs fn in one read-only transaction: fn sees one moment.
	View(ctx context.Context, fn func(Reader) error) error

	// Close waits for the transactions that have begun and closes the
	// database. Later transactions fail with ErrClosed; a second Close does
	// nothing.
	Close() error
}

// Reader reads within one transaction.
type Reader interface {
	RepairReader
	RatingReader
	RematchReader
	ThreadReader
	CensusReader
	ComputerReader

	// Match fails with ErrNotFound.
	Match(MatchID) (Match, error)
	// Entries is the whole log of a match in order; empty where there is no
	// such match.
	Entries(MatchID) ([]Entry, error)
	// Running is the matches that have not ended in which a person sits, the
	// one with the newest entry first. An empty channel means everywhere.
	RunningMatches(person, channel string) ([]Match, error)
	// RunningIn is the matches of a channel that have not ended, the one with
	// the newest entry first.
	RunningInChannel(channel string) ([]Match, error)
	// AllRunning is every match that has not ended, oldest first.
	AllRunning() ([]Match, error)
	// MatchesAfter is at most limit matches, whether they have ended or not,
	// with identifiers above that one, in their order: a way through all.
	MatchesAfter(after MatchID, limit int) ([]Match, error)
	// Boards is every board of a match, oldest first.
	Boards(MatchID) ([]Board, error)
	// Board fails with ErrNotFound.
	Board(BoardID) (Board, error)
	// Challenge fails with ErrNotFound.
	Challenge(ChallengeID) (Challenge, error)
	// Applied fails with ErrNotFound.
	ProcessedInteraction(interaction string) (ProcessedInteraction, error)
	// Preferences is what a person has chosen, the zero value where nothing.
	Preferences(person string) (Preferences, error)
	// Work is at most limit boards and limit challenges that are behind and
	// whose Next is not after now, the longest waiting first: by Next, then by
	// identifier. A skipped board is behind while its Next is set.
	PendingPosts(now time.Time, limit int) (PendingPosts, error)
	// Overdue is at most limit challenges and limit matches whose time has
	// come: it is not after now.
	Overdue(now time.Time, limit int) (Overdue, error)
	// Offers is what a person has offered, and what has been offered in a
	// channel: made after a time, and open at now.
	ChallengeActivity(person, channel string, after, now time.Time) (ChallengeActivity, error)
	// CountRunning is the number of matches that have not ended in which a
	// person sits, also where they have left and others play on.
	CountRunning(person string) (int, error)
}

// Tx reads and writes within one transaction and sees its own writes. Methods
// that name a record that is not there fail with ErrNotFound. Times are kept
// to the nanosecond and come back in UTC; those that no comment allows to be
// zero must be set.
//
// After ErrConflict, ErrApplied, and ErrNotFound from a method that changes a
// record, nothing has been written and the transaction can go on. Any other
// failed write fails the Update as a whole, even if fn returns nil.
type Tx interface {
	Reader
	RepairTx
	RatingTx
	RematchTx
	ThreadTx
	ComputerTx

	// InsertMatch adds a match with its seats and gives it its identifier;
	// Seq, Ending, EndedAt, EndNumber and Results are taken as zero, Shown as
	// -1.
	InsertMatch(Match) (MatchID, error)
	// Append adds entries to a log. The first one's Seq is after+1. It fails
	// with ErrConflict unless the log has exactly `after` entries, and with
	// ErrNotFound where there is no such match.
	Append(match MatchID, after int, entries []Entry) error
	// EndMatch records how a match ended, and gives it the next EndNumber. It
	// fails with ErrConflict where it has ended already. Its Deadline and its
	// Thinking become zero.
	EndMatch(match MatchID, ending string, at time.Time) error

	// SetDeadline replaces a match's Deadline; the zero time takes it away.
	SetDeadline(match MatchID, deadline time.Time) error

	// InsertBoard makes a board due: ID, Message, State and Tries are set by
	// the store. Older boards of the match that are due become skipped and
	// those posted become stale, with Tries 0 and the Next of the new board.
	// Where a skipped one was to notify and was of the same Seq, the new one notifies too.
	InsertBoard(Board) (BoardID, error)
	// BoardPosted records that a board's message is confirmed. A due board
	// becomes posted; a skipped one becomes stale, for it stands in the
	// channel although it is not wanted; others stay as they are. The match's
	// Shown becomes the board's Seq if that is larger. Tries and Next become
	// zero.
	MarkBoardPosted(board BoardID, message string) error
	// BoardCollapsed records that a board's message is collapsed or gone: a
	// stale board becomes collapsed, with Tries 0 and Next zero; a skipped one
	// stays skipped, and its Tries and Next become zero, too; others stay as
	// they are.
	MarkBoardCollapsed(BoardID) error
	// BoardFailed counts a failed try and sets when to try again.
	PostponeBoard(board BoardID, next time.Time) error

	// InsertChallenge adds a challenge with its people and gives it its
	// identifier. No State means open; Revision is taken as zero, Shown as -1.
	InsertChallenge(Challenge) (ChallengeID, error)
	// SeatChallenge replaces the people of a challenge. It fails with
	// ErrConflict unless the challenge is open and of that revision, which
	// goes up by one. Tries and Next become zero.
	SetChallengePlayers(challenge ChallengeID, revision int, joined, invited []Person) error
	// AnswerChallenge takes a challenge from open to another state, with the
	// match that came of it or 0. It fails with ErrConflict where it is not
	// open any more. The revision goes up by one. Tries and Next become zero.
	ResolveChallenge(challenge ChallengeID, state ChallengeState, match MatchID, at time.Time) error
	// ChallengeShown records that a message is confirmed to show a revision.
	// An empty message leaves the one on record. Tries and Next become zero.
	MarkChallengeShown(challenge ChallengeID, message string, revision int) error
	// ChallengeFailed counts a failed try and sets when to try again.
	PostponeChallenge(challenge ChallengeID, next time.Time) error

	// SetPreferences replaces what a person has chosen.
	SetPreferences(Preferences) error

	// Apply notes an interaction as carried out. It fails with ErrApplied
	// where it is noted already.
	MarkProcessed(ProcessedInteraction) error
	// ForgetApplied removes the notes from before a time and says how many.
	PruneProcessed(before time.Time) (int, error)
}
