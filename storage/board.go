package storage

import "time"

// BoardReader reads board messages, and what has to be posted or edited.
type BoardReader interface {
	// Board returns a board.
	Board(BoardID) (Board, error)
	// Boards returns all boards of a match, oldest first.
	Boards(MatchID) ([]Board, error)
	// ActiveBoards returns the boards of a match that are in the channel or
	// need work, oldest first: due, posted or superseded ones, and skipped ones with
	// a NextAttempt.
	ActiveBoards(MatchID) ([]Board, error)
	// PendingPosts returns up to limit boards, challenges and daily messages
	// each that need work and are due, as reported by IsDue, by NextAttempt,
	// then by identifier or person.
	PendingPosts(now time.Time, limit int) (PendingPosts, error)
	// HasPostponed reports whether a first post in a place, of a due board or
	// of a challenge without a message, is postponed to a time after now. A place
	// without a channel means all channels of the guild.
	HasPostponed(place Place, now time.Time) (bool, error)
}

// BoardQueue writes board messages, which are posted and edited in the order of their
// attempts.
type BoardQueue interface {
	BoardReader

	// InsertBoard adds a due board; ID, Message, State and Attempts are set by
	// the store. Of the older boards of the match, due ones become skipped and
	// posted ones superseded and need no redraw, with Attempts 0 and the NextAttempt of
	// the new board.
	// If a skipped one has the same Seq, the new one has Notify set if that has,
	// and its Offer unless it has one itself. The lease of the match is lost, see
	// DeliveryLease.
	InsertBoard(Board) (BoardID, error)
	// MarkBoardPosted records that Discord has confirmed the message of a board.
	// A due board becomes posted, a skipped one superseded, because its message is in
	// the channel; both get Attempts 0 and no NextAttempt. Others do not change.
	// The ShownSeq of the match is raised to the Seq of the board.
	MarkBoardPosted(board BoardID, message string) error
	// MarkBoardCollapsed records that the message of a board is collapsed, edited
	// or gone. A superseded board becomes collapsed, a skipped one stays skipped,
	// one that NeedsRedraw does so no more; they get Attempts 0 and no NextAttempt.
	// Others do not change.
	MarkBoardCollapsed(BoardID) error
	// PostponeBoard counts a failed attempt, unless it was one after RetryNow, and
	// sets the NextAttempt.
	PostponeBoard(board BoardID, next time.Time) error
	// MarkForEdit has the message of a board edited again, because an edit under a lost
	// lease may have arrived after another one. Of the boards with that message and
	// match, the newest NeedsRedraw if it is posted and is superseded if it is collapsed,
	// with the NextAttempt given. If there is none, the message came late: it gets a
	// superseded board of its own, with the Match, Seq and Place given. The lease of the
	// match is lost, so that edits under way are made again as well.
	MarkForEdit(Board) error
	// CheckDeliveryLease fails with ErrFenced if a lease was lost. Unless it fails, nobody
	// else gets the lease before the transaction is committed. done releases it.
	CheckDeliveryLease(l DeliveryLease, done bool) error
	// MoveDueBoard moves the due board of a match, if there is one, to another
	// place.
	MoveDueBoard(match MatchID, to Place) error
	// RetryNow makes everything that HasPostponed finds due: it clears the
	// NextAttempt. It returns how many posts there are. If the early attempt
	// fails, it is not counted.
	RetryNow(place Place, now time.Time) (int, error)
}

// BoardState is the delivery state of the message of a board.
type BoardState string

const (
	// BoardDue marks a board that has to be posted.
	BoardDue BoardState = "due"
	// BoardPosted marks the current board message.
	BoardPosted BoardState = "posted"
	// BoardSuperseded marks a posted board that a newer one replaces: it has to be
	// collapsed to one line.
	BoardSuperseded BoardState = "superseded"
	// BoardCollapsed marks a board that is collapsed, or was found deleted.
	BoardCollapsed BoardState = "collapsed"
	// BoardSkipped marks a board that was replaced before its post was
	// confirmed. While it has a NextAttempt, the channel has to be searched for
	// its message.
	BoardSkipped BoardState = "skipped"
)

// Board is one public board message of a match, posted or to be posted. At most
// one board of a match is due or posted.
type Board struct {
	ID      BoardID
	Match   MatchID
	Seq     int // of the entry after which it shows the match
	Place   Place
	Message string // identifier of the message, empty before it was posted
	// Notify requests a mention of the next player.
	Notify bool
	// Offer requests a mention of the people who have to answer an offer: its
	// number among those of the same Seq, or 0.
	Offer int
	// Edit requests that the message of the board before it is edited, unless
	// somebody has to be notified.
	Edit  bool
	State BoardState
	// Attempts counts failed attempts to post or collapse; NextAttempt is when
	// to try again, zero for at once.
	Attempts    int
	NextAttempt time.Time
	// NeedsRedraw reports that the posted message has to be edited: it names a person
	// whose data was deleted, or an edit of another process may have come late.
	NeedsRedraw bool
}

// PendingPosts lists messages that have to be sent, edited or searched for.
type PendingPosts struct {
	Boards     []Board     // due, superseded, to be redrawn, or skipped with a NextAttempt
	Challenges []Challenge // with ShownRevision different from Revision
	Daily      []DailyMessage
}

// LongestDelay is the longest time by which a failed post or edit may be
// postponed.
const LongestDelay = 6 * time.Hour

// IsDue reports whether a post or edit is to be tried at now, after a number of
// failed attempts. A first attempt has no delay. A next attempt further ahead
// than LongestDelay is due at once, because the clock must have gone back since
// it was set.
func IsDue(next time.Time, attempts int, now time.Time) bool {
	return attempts == 0 || !next.After(now) || next.Sub(now) > LongestDelay
}
