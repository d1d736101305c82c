package storage

import "time"

// Match is one match without its log.
type Match struct {
	ID           MatchID
	Challenge    ChallengeID // 0 if it did not come from one
	Place        Place
	Game         string // key of the game
	RulesVersion int
	Options      string // as printed by engine.Options
	Seed         uint64 // of everything random about the match
	Seats        []Person
	Unrated      bool   // the match does not affect ratings
	Clock        string // as printed by match.Clock, empty for none
	CreatedAt    time.Time
	Root         Digest // of the above except the place, see Root

	// Seq is the number of entries in the log.
	Seq int
	// ShownSeq is the highest sequence number that a confirmed board shows, -1
	// before the first.
	ShownSeq int
	// Ending is how the match ended, as named by engine/match; it is empty and
	// EndedAt is zero while the match goes on.
	Ending  string
	EndedAt time.Time
	// Deadline is when to check whether the players to move have run out of
	// time; zero if no check is needed, and after the end.
	Deadline time.Time
	// Reminded reports that the player to move has been reminded in this turn.
	Reminded bool
	// Offers is the text of what players have offered since the last turn, empty
	// if nothing, and after the end.
	Offers string

	// ComputerTurnSince is when the current computer's turn began; zero if a
	// person is to move, and after the end.
	ComputerTurnSince time.Time
	// EndNumber numbers ended matches from 1 in the order in which they ended,
	// regardless of the clock; 0 while the match goes on.
	EndNumber int
	// Results holds the result of each seat; nil while the match goes on, and
	// if it has no result.
	Results []SeatResult
}

// Entry is one line of the log of a match.
type Entry struct {
	Seq         int // from 1, without gaps
	Kind        string
	Seat        int
	Text        string
	At          time.Time
	Interaction string // that caused it; several entries may share one
	Digest      Digest // of the log up to here
}

// MatchState is a match with the records that its views are made of.
type MatchState struct {
	Match
	// Entries is the part of the log that was asked for.
	Entries []Entry
	// Boards holds the active boards, see Reader.ActiveBoards.
	Boards []Board
	// Preferences holds those of each seat.
	Preferences []Preferences
	// RatingChanges holds those of an ended match, by seat.
	RatingChanges []RatingChange
	// Outages holds those since the match was created, if it has a clock.
	Outages []Outage
	// Vacations holds what MatchVacations returns, unless the match has ended.
	Vacations []Vacation
	// Prepared holds the records of seats that have one, by seat.
	Prepared []Prepared
}

// Prepared holds the turns that the player of a seat has prepared in a running
// match.
type Prepared struct {
	Seat     int
	Turns    int    // number of completed turns that they follow
	Text     string // of the conditional turns
	Draft    string // the line that is being composed
	Revision int    // counts the changes
}

// Advance describes what a move, or any other addition to the log, changes in a
// match.
type Advance struct {
	Match   MatchID
	After   int     // the Seq that the entries follow
	Entries []Entry // at least one
	// Deadline, Reminded and ComputerTurnSince replace those of the match; zero
	// clears them.
	Deadline          time.Time
	Reminded          bool
	ComputerTurnSince time.Time
	// Board is inserted as by InsertBoard unless it is nil.
	Board *Board
	// Lease, if positive, takes the lease of the match for that time with the board:
	// this process is about to show it.
	Lease time.Duration
	// Processed is recorded as by MarkProcessed unless it is nil.
	Processed *ProcessedInteraction
}

// BoardState is the delivery state of the message of a board.
type BoardState string

const (
	// BoardDue marks a board that has to be posted.
	BoardDue BoardState = "due"
	// BoardPosted marks the current board message.
	BoardPosted BoardState = "posted"
	// BoardStale marks a posted board that a newer one replaces: it has to be
	// collapsed to one line.
	BoardStale BoardState = "stale"
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
	// Outdated reports that the posted message names a person whose data was
	// deleted, so that it has to be edited.
	Outdated bool
}
