package storage

import "time"

// MatchReader reads matches and their logs.
type MatchReader interface {
	// Match returns a match without its log.
	Match(MatchID) (Match, error)
	// LoadMatch returns a match with everything that is shown of it. Only
	// entries with a Seq above after are read: a caller that has replayed the
	// log up to there passes that number.
	LoadMatch(match MatchID, after int) (MatchState, error)
	// Entries returns the whole log of a match in order.
	Entries(MatchID) ([]Entry, error)
	// EntriesAfter returns the part of the log with a Seq above after.
	EntriesAfter(match MatchID, after int) ([]Entry, error)
	// RunningMatches returns the unfinished matches in which a person sits,
	// latest entry first, of a channel and of the threads that were created on
	// its challenges. An empty channel means every channel.
	RunningMatches(person, channel string) ([]Match, error)
	// RunningInChannel returns the unfinished matches of a channel and of the
	// threads that were created on its challenges, latest entry first.
	RunningInChannel(channel string) ([]Match, error)
	// AllRunning returns every unfinished match, oldest first.
	AllRunning() ([]Match, error)
	// CountRunning returns the number of unfinished matches in which a person
	// sits, including those that they have left.
	CountRunning(person string) (int, error)
	// MatchesAfter returns up to limit matches, ended or not, with identifiers
	// above after, in order. It serves to page through all matches.
	MatchesAfter(after MatchID, limit int) ([]Match, error)
	// EndedAfter returns up to limit ended matches with an EndNumber above
	// after, in the order in which they ended.
	EndedAfter(after, limit int) ([]Match, error)
	// EndedMatches returns one page of the ended matches of a person, last ended
	// first, and their total number.
	EndedMatches(person string, offset, limit int) (page []Match, total int, err error)
	// RecentMatches returns the ended matches that a query selects, last ended
	// first.
	RecentMatches(RecentQuery) ([]Match, error)
	// LastEnded returns the match of a person in a channel that ended last. An
	// empty channel means every channel, and no person anybody, in one channel.
	LastEnded(person, channel string) (Match, error)
	// ComputerTurns returns up to limit matches in which a computer is to move,
	// by ComputerTurnSince, then by identifier.
	ComputerTurns(limit int) ([]MatchID, error)
	// Overdue returns up to limit open challenges whose ExpiresAt, and up to limit
	// running matches whose CheckAt, is not after now, and the first CheckAt after it.
	Overdue(now time.Time, limit int) (Overdue, error)
	// HasClocks reports whether a running match has a clock.
	HasClocks() (bool, error)
	// ActsOn returns the acts of organisers with a Target, in the order in which they were
	// added.
	ActsOn(target string) ([]Act, error)
	// ProcessedInteraction returns the record of an interaction that was
	// processed.
	ProcessedInteraction(interaction string) (ProcessedInteraction, error)
}

// MatchStore writes matches and their logs, and the interactions that changed them.
type MatchStore interface {
	MatchReader

	// InsertMatch adds a match with its seats and returns its identifier. It
	// ignores Seq, Correction, PausedAt, Pauses, Ending, EndedAt, EndNumber, Offers and
	// Results, which begin at zero, ShownSeq, which begins at -1, and Root and Head, which it computes.
	InsertMatch(Match) (MatchID, error)
	// Advance writes in one call what a move changes, see Advance. It fails with
	// ErrConflict unless the log is the one that the entries follow, and with
	// ErrAlreadyProcessed as MarkProcessed does.
	Advance(Advance) (Advanced, error)
	// EndMatch records how a match ended, gives it the next EndNumber, clears its
	// CheckAt, Reminded, Offers and ComputerTurnSince, and deletes what was
	// prepared. It fails with ErrConflict if the match has already ended.
	EndMatch(match MatchID, ending string, at time.Time) error
	// ReopenMatch has an ended match go on: it has no results, and its EndNumber may be
	// given again. It fails with ErrConflict if the match has not ended, or has changed
	// ratings.
	ReopenMatch(match MatchID) error
	// RecordResults sets the results of an ended match, one for each seat, or
	// none. It fails with ErrConflict if the match has not ended.
	RecordResults(match MatchID, results []SeatResult) error
	// SetCheckAt replaces the CheckAt of a match; zero clears it.
	SetCheckAt(match MatchID, at time.Time) error
	// MarkReminded records that the player to move has been reminded, and sets the
	// CheckAt of the match to the next time at which it is looked at.
	MarkReminded(match MatchID, next time.Time) error
	// SetComputerTurn replaces the ComputerTurnSince of a match; zero clears it.
	SetComputerTurn(match MatchID, since time.Time) error
	// SetCorrection replaces the Correction of a match.
	SetCorrection(match MatchID, board BoardID) error
	// SetPauses replaces the PausedAt and the Pauses of a match.
	SetPauses(match MatchID, pausedAt time.Time, pauses []Outage) error
	// SetOffers replaces the Offers of a match. It fails with ErrConflict if the
	// match has ended.
	SetOffers(match MatchID, offers string) error
	// SetPrepared replaces what a seat has prepared. It fails with ErrConflict if
	// the match has ended.
	SetPrepared(match MatchID, p Prepared) error
	// MoveMatch moves a match to another place and leaves its boards where they
	// are. It fails with ErrConflict unless the match is in the place from.
	MoveMatch(match MatchID, from, to Place) error
	// MarkProcessed records that an interaction was processed. It fails with
	// ErrAlreadyProcessed if it is on record.
	MarkProcessed(ProcessedInteraction) error
	// PruneProcessed deletes the records from before a time and returns their
	// number.
	PruneProcessed(before time.Time) (int, error)
}

// Identifiers assigned by the store. They are positive and never reused within
// a database.
type (
	MatchID     int64
	ChallengeID int64
	BoardID     int64
)

// Person is a player: a person or a computer.
type Person struct {
	// ID never changes. Name is the one at the time of the record.
	ID   string
	Name string
	// Level is the playing strength of a computer, such as "casual"; empty for
	// people. All computers of one level share an ID. Seats and challenges
	// store the level, ratings do not.
	Level string
}

// Place is the channel of a match or challenge. Guild is empty in direct
// messages.
type Place struct {
	Guild   string
	Channel string
}

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
	// NewAccounts has a bit for each seat, the lowest for seat 1, whose person had a
	// new account when the match began.
	NewAccounts uint8
	Root        Digest // of the above except the place, see Root

	// Seq is the number of entries in the log, and Head the digest of all of it: that
	// of the last entry, or Root.
	Seq  int
	Head Digest
	// Correction is the board that says that the database had lost turns; 0 if none
	// does.
	Correction BoardID
	// ShownSeq is the highest sequence number that a confirmed board shows, -1
	// before the first.
	ShownSeq int
	// Ending is how the match ended, as named by engine/match; it is empty and
	// EndedAt is zero while the match goes on.
	Ending  string
	EndedAt time.Time
	// CheckAt is when the host has to look at the match again: to remind the player
	// to move, or to end the match. It is zero if nothing will be due, and after the
	// end.
	CheckAt time.Time
	// Reminded reports that the player to move has been reminded in this turn.
	Reminded bool
	// PausedAt is since when the player to move cannot be reached; zero if they can.
	// Pauses are the earlier times in which a player could not be reached, in order of
	// their ends.
	PausedAt time.Time
	Pauses   []Outage
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
	// OwnThread reports that the match is in the thread on the message of its
	// challenge.
	OwnThread bool
	// Event is the tournament to which it belongs.
	Event MatchEvent
	// Entries is the part of the log that was asked for.
	Entries []Entry
	// Boards holds the active boards, see Reader.ActiveBoards.
	Boards []Board
	// Preferences holds those of each seat.
	Preferences []Preferences
	// Departures holds when it was noticed that the person of each seat had left the
	// guild of the match; zero if they are not known to have left it.
	Departures []time.Time
	// RatingChanges holds those of an ended match, by seat.
	RatingChanges []RatingChange
	// Outages holds those since the match was created, if it has a clock.
	Outages []Outage
	// Freezes holds what Reader.Freezes returns from MaxFreeze before the match was
	// created, if it has a clock and is played in a guild.
	Freezes []Act
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
	After   Digest  // the Head that the entries follow
	Entries []Entry // at least one, without gaps; the store computes their digests
	// CheckAt, Reminded and ComputerTurnSince replace those of the match; zero
	// clears them.
	CheckAt           time.Time
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

// Advanced is the result of an Advance.
type Advanced struct {
	Board BoardID       // the new board, or 0
	Lease DeliveryLease // zero if none was taken
}

// ProcessedInteraction records that an interaction was processed, so that a
// repeated delivery is not processed again.
type ProcessedInteraction struct {
	Interaction string
	At          time.Time
	Match       MatchID     // 0 if it concerned none
	Challenge   ChallengeID // 0 if it concerned none
	Seq         int         // of the match afterwards
}

// Overdue lists challenges that have expired and matches that have to be checked,
// longest overdue first.
type Overdue struct {
	Challenges []ChallengeID // open and past ExpiresAt
	Matches    []MatchID     // running and past CheckAt
	Next       time.Time     // the first CheckAt after now; zero if there is none
}
