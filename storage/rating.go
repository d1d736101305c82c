package storage

import "time"

// Result is how a match ended for a seat.
type Result string

// The results. Their text forms stand in databases for ever.
const (
	Won    Result = "won"
	Shared Result = "shared" // won together with another seat
	Drawn  Result = "drawn"  // nobody won
	Lost   Result = "lost"
)

// SeatResult is how a match ended for a seat.
type SeatResult struct {
	Place  int // 1 for the best; equal places are level
	Result Result
}

// Figures is a rating in numbers, with which the store does not calculate.
// They come back as they were written, to the last bit.
type Estimate struct{ Mean, Deviation, Volatility float64 }

// List is one of the lists of ratings of a game. Each is counted by itself.
type RatingList string

// The lists. Their text forms stand in databases for ever.
const (
	PeopleList   RatingList = "people"   // of matches that only people played
	ComputerList RatingList = "computer" // of matches that a computer played, too
)

// Lists is every list.
func RatingLists() []RatingList { return []RatingList{PeopleList, ComputerList} }

// Rating is the present rating of a person in a game, or of a computer's level.
type Rating struct {
	Game     string
	List     RatingList
	Person   Person // the name is that of their last rated match
	Estimate        // after that match
	Matches  int    // how many were rated
	Match    MatchID
	At       time.Time // when that match ended
	// Settled is until when the rating is not provisional; zero where it is
	// provisional already.
	EstablishedUntil time.Time
}

// RatingChange is what a match did to the rating of a seat.
type RatingChange struct {
	Match            MatchID
	Seat             int
	Person           Person
	Game             string
	List             RatingList
	Place            int
	At               time.Time
	Before, After    Estimate
	EstablishedUntil time.Time // as in Rating, of After
}

// Leaderboard is the ratings of one list of a game: the settled ones first,
// each group by its mean from the highest.
type LeaderboardQuery struct {
	Game string
	List RatingList
	// Guild leaves out who has no result in a match of the game there, of
	// whichever list; empty for everybody.
	Guild string
	Now   time.Time // decides what is settled
}

// Leader is a row of a leaderboard.
type LeaderboardRow struct {
	Rating
	Row         int  // from 1
	Place       int  // 1 for the best; equal means share a place
	Provisional bool // then Place is among the provisional ones
}

// Encounter is one match with a result, as one person sees another in it.
type Encounter struct {
	Match MatchID
	Game  string
	At    time.Time
	// Place is the person's, Other that of whom they met.
	Place, OpponentPlace int
}

// Score is one match with a result for one person.
type MatchResult struct {
	Match MatchID
	Game  string
	List  RatingList // of the match, whether it was rated or not
	At    time.Time
	SeatResult
}

// FinishedQuery chooses matches that have ended.
type EndedQuery struct {
	Person string // who sat in them
	// Viewer leaves out matches that are none of somebody's business: only
	// those of the server Guild and those in which they sat are left. Empty
	// for all.
	Viewer, Guild string
	Offset, Limit int
}

// RatingReader reads results and ratings.
type RatingReader interface {
	// Ended is at most limit matches that have ended, in the order in which
	// they did, those whose EndNumber is above after.
	EndedAfter(after, limit int) ([]Match, error)
	// Finished is a part of the matches that a query finds, the one that ended
	// last first, and how many there are in all.
	EndedMatches(EndedQuery) (part []Match, total int, err error)
	// Scores is every result of a person, in the order in which the matches
	// ended.
	Results(person string) ([]MatchResult, error)
	// Encounters is every match with a result in which both have sat, in the
	// order in which they ended.
	Encounters(person, other string) ([]Encounter, error)

	// Rating fails with ErrNotFound.
	Rating(game string, list RatingList, person string) (Rating, error)
	// Ratings is the ratings of a person, the one that changed last first.
	Ratings(person string) ([]Rating, error)
	// AllRatings is every rating, by game, list and person.
	AllRatings() ([]Rating, error)
	// RatingHistory is what every rated match did to a rating, in the order in
	// which they ended.
	RatingHistory(game string, list RatingList, person string) ([]RatingChange, error)
	// RatingChanges is what a match did to the ratings of its seats, in their
	// order; empty where it was not rated.
	RatingChanges(MatchID) ([]RatingChange, error)
	// Leaders is a part of a leaderboard, and how many rows it has in all.
	Leaderboard(board LeaderboardQuery, offset, limit int) (part []LeaderboardRow, total int, err error)
	// Leader is a person's row; it fails with ErrNotFound.
	LeaderboardRow(board LeaderboardQuery, person string) (LeaderboardRow, error)
}

// RatingTx writes results and ratings.
type RatingTx interface {
	// RecordResults sets the results of a match that has ended, one for each
	// seat, or none. It fails with ErrConflict where the match goes on.
	RecordResults(match MatchID, results []SeatResult) error
	// AddRatingChanges adds what a match did to ratings, and makes it the
	// present rating of each person. It fails with ErrConflict where the match
	// has changes already.
	AddRatingChanges([]RatingChange) error
	// ForgetRatings removes every rating and every change, so that they can be
	// computed anew.
	DeleteRatings() error
}
