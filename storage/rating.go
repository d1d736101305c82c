package storage

import "time"

// RatingReader reads results and ratings.
type RatingReader interface {
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
	// together, in its game on a list, and which ended after since and before the match
	// by their EndNumber. Two who have none are left out, as are computers. The order is
	// by A and B.
	RatedMeetings(match MatchID, list RatingList, since time.Time) ([]Meetings, error)
	// RatingBefore returns the last change of a rating by a match that ended before the
	// one with an EndNumber.
	RatingBefore(game string, list RatingList, person string, endNumber int) (RatingChange, error)
	// RatedAfter returns the matches that changed a rating and ended after the one with an
	// EndNumber, in the order in which they ended.
	RatedAfter(game string, list RatingList, person string, endNumber int) ([]RatedMatch, error)
	// Leaderboard returns one page of a leaderboard.
	Leaderboard(LeaderboardQuery) (LeaderboardPage, error)
}

// RatingStore writes ratings.
type RatingStore interface {
	RatingReader

	// AddRatingChanges adds the rating changes of a match and makes them the
	// current ratings. It fails with ErrConflict if the match already has
	// changes.
	AddRatingChanges([]RatingChange) error
	// ReplaceRatingChanges replaces the rating changes of a match, perhaps by none. The
	// current ratings of all whom the old or the new ones concern are those of their
	// last change afterwards.
	ReplaceRatingChanges(MatchID, []RatingChange) error
	// ExpireRatings makes the ratings provisional whose EstablishedUntil is not
	// after now, and returns how many there were. Until then leaderboards show
	// them as they were after their match.
	ExpireRatings(now time.Time) (int, error)
	// DeleteRatings removes every rating and every change, before ratings are
	// rebuilt.
	DeleteRatings() error
}

// Result is the result of a match for one seat.
type Result string

// The results. Databases contain their text.
const (
	Won    Result = "won"
	Shared Result = "shared" // won together with another seat
	Drawn  Result = "drawn"  // nobody won
	Lost   Result = "lost"
)

// SeatResult is the result of a match for one seat with its place.
type SeatResult struct {
	Place  int // 1 for the best; equal places are tied
	Result Result
}

// Estimate is an estimated playing strength as in Glicko-2. The store keeps it
// to the last bit and does not calculate with it.
type Estimate struct{ Mean, Deviation, Volatility float64 }

// RatingList names one of the separate rating lists of a game.
type RatingList string

// The rating lists. Databases contain their text.
const (
	PeopleList   RatingList = "people"   // matches among people only
	ComputerList RatingList = "computer" // matches with a computer
)

// RatingLists returns every rating list.
func RatingLists() []RatingList { return []RatingList{PeopleList, ComputerList} }

// Rating is the current rating of a person, or of a computer's level, in a game.
type Rating struct {
	Game     string
	List     RatingList
	Person   Person // named as in their last rated match
	Estimate        // after that match
	Matches  int    // number of rated matches
	Match    MatchID
	At       time.Time // when that match ended
	// EstablishedUntil is when the rating becomes provisional for want of
	// matches; zero if it is provisional already.
	EstablishedUntil time.Time
}

// RatingChange is the effect of a match on the rating of one seat.
type RatingChange struct {
	Match            MatchID
	Seat             int
	Person           Person
	Game             string
	List             RatingList
	Place            int
	At               time.Time
	Weight           float64 // how much of the match counted, 1 for all of it
	Before, After    Estimate
	EstablishedUntil time.Time // of After, as in Rating
}

// Meetings counts matches of two people.
type Meetings struct {
	A, B  string // A < B
	Count int
}

// RatedMatch is a match that changed ratings.
type RatedMatch struct {
	Match     MatchID
	EndNumber int
}

// LeaderboardQuery selects a page of the ratings of a game on a list. Established
// ratings come first, then provisional ones, each by descending mean.
type LeaderboardQuery struct {
	Game string
	List RatingList
	// Guild restricts the board to people who have had a result in a match of the
	// game in that guild, on any list; empty for everybody.
	Guild  string
	Person string // whose own row is wanted
	// Offset beyond the last row selects the last page of Limit rows.
	Offset, Limit int
}

// LeaderboardPage is a page of a leaderboard.
type LeaderboardPage struct {
	Rows   []LeaderboardRow
	Own    LeaderboardRow // zero if the person has none
	Offset int            // of the first row
	Total  int            // rows of the leaderboard
}

// LeaderboardRow is a row of a leaderboard.
type LeaderboardRow struct {
	Rating
	Place       int  // 1 for the best; equal means share a place
	Provisional bool // Place then counts provisional ratings only
}

// ResultCount counts the results of a person in a game on a list, that of the
// matches, whether or not they were rated.
type ResultCount struct {
	Game                     string
	List                     RatingList
	Won, Shared, Drawn, Lost int
}

// Streaks holds the streaks of a person in matches among people only.
type Streaks struct {
	// Result is that of the last match: Won (including shared wins), Drawn or
	// Lost. Length is how many had it in a row.
	Result Result
	Length int
	Best   int // length of the longest streak of wins
}

// HeadToHead counts matches by how a person was placed: before, with or behind
// another.
type HeadToHead struct{ Ahead, Level, Behind int }

// RecentQuery selects the last ended matches of a person that another may see:
// those played in a guild, and those in which they had a seat.
type RecentQuery struct {
	Person        string
	Viewer, Guild string
	Limit         int
}
