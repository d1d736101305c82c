package storage

import "time"

// Reader reads within one transaction. Methods that return one record fail with
// ErrNotFound if it does not exist, unless they say otherwise; methods that
// return a slice return an empty one. A limit below zero counts as zero.
type Reader interface {
	// Matches.

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
	// empty channel means every channel.
	LastEnded(person, channel string) (Match, error)
	// ComputerTurns returns up to limit matches in which a computer is to move,
	// by ComputerTurnSince, then by identifier.
	ComputerTurns(limit int) ([]MatchID, error)
	// Overdue returns up to limit challenges and up to limit matches whose
	// deadline is not after now.
	Overdue(now time.Time, limit int) (Overdue, error)

	// HasClocks reports whether a running match has a clock.
	HasClocks() (bool, error)
	// LastContact returns the time of the last RecordContact, zero before the
	// first.
	LastContact() (time.Time, error)
	// Outages returns the outages that ended after a time, in order.
	Outages(after time.Time) ([]Outage, error)

	// Boards.

	// Board returns a board.
	Board(BoardID) (Board, error)
	// Boards returns all boards of a match, oldest first.
	Boards(MatchID) ([]Board, error)
	// ActiveBoards returns the boards of a match that are in the channel or
	// need work, oldest first: due, posted or stale ones, and skipped ones with
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

	// Challenges.

	// Challenge returns a challenge.
	Challenge(ChallengeID) (Challenge, error)
	// OpenChallenges returns every open challenge, oldest first.
	OpenChallenges() ([]Challenge, error)
	// ChallengeActivity returns the times of the challenges that a person
	// made, and that were made in a channel, after a time, and of those that
	// are open at now.
	ChallengeActivity(person, channel string, after, now time.Time) (ChallengeActivity, error)
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

	// Results and ratings.

	// ResultCounts counts the results of a person by game and list, the one with
	// the latest result first.
	ResultCounts(person string) ([]ResultCount, error)
	// Streaks returns the streaks of a person, zero without a result.
	Streaks(person string) (Streaks, error)
	// HeadToHead counts the matches with a result in which both people sat.
	HeadToHead(person, other string) (HeadToHead, error)
	// Rating returns the current rating of a person.
	Rating(game string, list RatingList, person string) (Rating, error)
	// SeatRatings returns the current ratings that the people of a match have
	// in its game on a list, in no particular order.
	SeatRatings(match MatchID, list RatingList) ([]Rating, error)
	// Ratings returns the ratings of a person, last changed first.
	Ratings(person string) ([]Rating, error)
	// AllRatings returns every rating, by game, list and person.
	AllRatings() ([]Rating, error)
	// RatingHistory returns the last changes of a rating, up to limit, in the
	// order in which the matches ended.
	RatingHistory(game string, list RatingList, person string, limit int) ([]RatingChange, error)
	// RatingChanges returns the rating changes of a match by seat, none if it
	// was not rated.
	RatingChanges(MatchID) ([]RatingChange, error)
	// RatedMeetings counts the matches in which two people of a match were rated
	// together, in its game on a list, and which ended after since. Two who have
	// none are left out, as are computers. The order is by A and B.
	RatedMeetings(match MatchID, list RatingList, since time.Time) ([]Meetings, error)
	// Leaderboard returns one page of a leaderboard.
	Leaderboard(LeaderboardQuery) (LeaderboardPage, error)

	// Everything else.

	// ProcessedInteraction returns the record of an interaction that was
	// processed.
	ProcessedInteraction(interaction string) (ProcessedInteraction, error)
	// Preferences returns the preferences of a person, the zero value if they
	// have none on record.
	Preferences(person string) (Preferences, error)
	// Vacations returns the vacations of a person that end after a time, in order.
	Vacations(person string, after time.Time) ([]Vacation, error)
	// MatchVacations returns the vacations of the people of a match that end after
	// it was created, by person, in order.
	MatchVacations(MatchID) ([]Vacation, error)
	// GuildSettings returns the settings of a guild, the zero value if it has
	// none on record.
	GuildSettings(guild string) (GuildSettings, error)
	// PlayedIn reports whether a person has a seat in an ended match of a guild.
	PlayedIn(person, guild string) (bool, error)
	// Locale returns the locale in which Discord last showed itself to a person,
	// or of a guild, "" if none is on record.
	Locale(id string) (string, error)
	// DailyMessage returns the record of a person's daily message.
	DailyMessage(person string) (DailyMessage, error)
	// Blocks returns whom a person has blocked, longest first.
	Blocks(person string) ([]Block, error)
	// HasBlock reports whether one of two people has blocked the other.
	HasBlock(person, other string) (bool, error)
	// Leases returns the leases whose names begin with a prefix, by name. Those that
	// have run out are there until they are acquired again or released, for a day at
	// least.
	Leases(prefix string) ([]Lease, error)
	// PersonData returns everything that the database holds about a person, by
	// table: their records, what they did in matches, and what was counted of it.
	// Who has blocked them is not included.
	PersonData(person string) ([]PersonTable, error)
	// PersonCounts returns the number of rows of each table that PersonData would
	// return.
	PersonCounts(person string) (map[string]int, error)
	// Counts returns how many records of each kind there are at now.
	Counts(now time.Time) (Counts, error)
}
