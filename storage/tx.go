package storage

import "time"

// Tx reads and writes within one transaction and sees its own writes. Methods
// that name a missing record fail with ErrNotFound. Times are kept to the
// nanosecond and returned in UTC; a time must not be zero unless its comment
// allows that. Text is UTF-8 without NUL; a call with any other text fails.
//
// After ErrConflict, ErrAlreadyProcessed, and ErrNotFound from a method that
// changes a record, nothing was written and the transaction can go on. Any other
// failed write fails the Update as a whole, even if fn returns nil, and so can a
// failed read.
type Tx interface {
	Reader

	// Matches.

	// InsertMatch adds a match with its seats and returns its identifier. It
	// ignores Seq, Ending, EndedAt, EndNumber, Offers and Results, which begin at zero,
	// ShownSeq, which begins at -1, and Root, which it computes.
	InsertMatch(Match) (MatchID, error)
	// Append adds entries to the log of a match. The Seq of the first one is
	// after+1. It fails with ErrConflict unless the log has exactly after
	// entries. The digests of the entries are computed from the last one of the
	// log, whatever it is.
	Append(match MatchID, after int, entries []Entry) error
	// Advance writes in one call what a move changes, see Advance. It fails as
	// Append does, and with ErrAlreadyProcessed as MarkProcessed does.
	Advance(Advance) (Advanced, error)
	// EndMatch records how a match ended, gives it the next EndNumber, clears its
	// Deadline, Reminded, Offers and ComputerTurnSince, and deletes what was
	// prepared. It fails with ErrConflict if the match has already ended.
	EndMatch(match MatchID, ending string, at time.Time) error
	// RecordResults sets the results of an ended match, one for each seat, or
	// none. It fails with ErrConflict if the match has not ended.
	RecordResults(match MatchID, results []SeatResult) error
	// SetDeadline replaces the Deadline of a match; zero clears it.
	SetDeadline(match MatchID, deadline time.Time) error
	// MarkReminded records that the player to move has been reminded, and replaces
	// the Deadline of the match.
	MarkReminded(match MatchID, deadline time.Time) error
	// SetComputerTurn replaces the ComputerTurnSince of a match; zero clears it.
	SetComputerTurn(match MatchID, since time.Time) error
	// SetOffers replaces the Offers of a match. It fails with ErrConflict if the
	// match has ended.
	SetOffers(match MatchID, offers string) error
	// SetPrepared replaces what a seat has prepared. It fails with ErrConflict if
	// the match has ended.
	SetPrepared(match MatchID, p Prepared) error
	// MoveMatch moves a match to another place and leaves its boards where they
	// are. It fails with ErrConflict unless the match is in the place from.
	MoveMatch(match MatchID, from, to Place) error

	// Boards.

	// InsertBoard adds a due board; ID, Message, State and Attempts are set by
	// the store. Of the older boards of the match, due ones become skipped and
	// posted ones stale and not Outdated, with Attempts 0 and the NextAttempt of
	// the new board.
	// If a skipped one has the same Seq, the new one has Notify set if that has,
	// and its Offer unless it has one itself. The lease of the match is lost, see
	// ShowLease.
	InsertBoard(Board) (BoardID, error)
	// MarkBoardPosted records that Discord has confirmed the message of a board.
	// A due board becomes posted, a skipped one stale, because its message is in
	// the channel; both get Attempts 0 and no NextAttempt. Others do not change.
	// The ShownSeq of the match is raised to the Seq of the board.
	MarkBoardPosted(board BoardID, message string) error
	// MarkBoardCollapsed records that the message of a board is collapsed, edited
	// or gone. A stale board becomes collapsed, a skipped one stays skipped, an
	// Outdated one is so no more; they get Attempts 0 and no NextAttempt. Others do
	// not change.
	MarkBoardCollapsed(BoardID) error
	// PostponeBoard counts a failed attempt, unless it was one after RetryNow, and
	// sets the NextAttempt.
	PostponeBoard(board BoardID, next time.Time) error
	// EditAgain has the message of a board edited again, because an edit under a lost
	// lease may have arrived after another one. Of the boards with that message and
	// match, the newest becomes Outdated if it is posted and stale if it is collapsed,
	// with the NextAttempt given. If there is none, the message came late: it gets a
	// stale board of its own, with the Match, Seq and Place given. The lease of the
	// match is lost, so that edits under way are made again as well.
	EditAgain(Board) error
	// CheckShowLease fails with ErrFenced if a lease was lost. Unless it fails, nobody
	// else gets the lease before the transaction is committed. done releases it.
	CheckShowLease(l ShowLease, done bool) error
	// MoveDueBoard moves the due board of a match, if there is one, to another
	// place.
	MoveDueBoard(match MatchID, to Place) error
	// RetryNow makes everything that HasPostponed finds due: it clears the
	// NextAttempt. It returns how many posts there are. If the early attempt
	// fails, it is not counted.
	RetryNow(place Place, now time.Time) (int, error)

	// Challenges.

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

	// Ratings.

	// AddRatingChanges adds the rating changes of a match and makes them the
	// current ratings. It fails with ErrConflict if the match already has
	// changes.
	AddRatingChanges([]RatingChange) error
	// ExpireRatings makes the ratings provisional whose EstablishedUntil is not
	// after now, and returns how many there were. Until then leaderboards show
	// them as they were after their match.
	ExpireRatings(now time.Time) (int, error)
	// DeleteRatings removes every rating and every change, before ratings are
	// rebuilt.
	DeleteRatings() error

	// Everything else.

	// CheckLease fails with ErrFenced if somebody else has acquired the lease, or it
	// was released. Otherwise nobody can acquire it before the transaction ends, even
	// if it runs out.
	CheckLease(Lease) error
	// RecordContact records when the bot was last in contact with Discord.
	RecordContact(at time.Time) error
	// InsertOutage adds an outage, which must begin not before the last one ended.
	InsertOutage(Outage) error
	// SetPreferences replaces the preferences of a person.
	SetPreferences(Preferences) error
	// SetVacation adds a vacation, or replaces the one of the same person and From.
	// A To that is not after From removes it. Vacations of a person must not
	// overlap.
	SetVacation(Vacation) error
	// SetGuildSettings replaces the settings of a guild. The order of Channels is
	// not kept.
	SetGuildSettings(GuildSettings) error
	// SetLocale records the locale of a person or a guild. "" removes it.
	SetLocale(id, locale string) error
	// SetDailyMessage replaces the record of a person's daily message. One with a
	// zero DueAt removes it.
	SetDailyMessage(DailyMessage) error
	// SetBlock records a block. If there is one, it keeps its time.
	SetBlock(Block) error
	// DeleteBlock removes a block, if there is one.
	DeleteBlock(person, blocked string) error
	// ForgetPerson replaces a person by another in matches, challenges, results and
	// ratings, as Pseudonymize does, and deletes their other records and every
	// block of them. The place of a match or challenge in direct messages, in which
	// no other people were, loses its channel, and its posts count as confirmed.
	// Posted boards that show the person become outdated and the messages of their
	// challenges get another revision, both with the NextAttempt now. Processed
	// interactions stay.
	//
	// Once no transaction reads, the files of a SQLite database hold nothing of the
	// person: neither in free space nor in a log. A PostgreSQL server is asked to free
	// the old rows at once. Their bytes remain in its files until the space is used
	// again, and in its write-ahead log until that is recycled.
	ForgetPerson(person string, as Person, now time.Time) error
	// MarkProcessed records that an interaction was processed. It fails with
	// ErrAlreadyProcessed if it is on record.
	MarkProcessed(ProcessedInteraction) error
	// PruneProcessed deletes the records from before a time and returns their
	// number.
	PruneProcessed(before time.Time) (int, error)
}
