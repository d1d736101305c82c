package storage

import "time"

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
	Before, After    Estimate
	EstablishedUntil time.Time // of After, as in Rating
}

// LeaderboardQuery selects the ratings of a game on a list. Established ratings
// come first, then provisional ones, each by descending mean.
type LeaderboardQuery struct {
	Game string
	List RatingList
	// Guild restricts the board to people with a result in a match of the game
	// in that guild, on any list; empty for everybody.
	Guild string
	Now   time.Time // decides which ratings are provisional
}

// LeaderboardRow is a row of a leaderboard.
type LeaderboardRow struct {
	Rating
	Row         int  // from 1
	Place       int  // 1 for the best; equal means share a place
	Provisional bool // Place then counts provisional ratings only
}

// Encounter is a match with a result between two people.
type Encounter struct {
	Match                MatchID
	Game                 string
	At                   time.Time
	Place, OpponentPlace int
}

// MatchResult is the result of one match for one person.
type MatchResult struct {
	Match MatchID
	Game  string
	List  RatingList // of the match, whether or not it was rated
	At    time.Time
	SeatResult
}

// EndedQuery selects ended matches of a person.
type EndedQuery struct {
	Person string
	// Viewer restricts the result to the matches that this person may see: those
	// played in Guild and those in which they had a seat. Empty for all.
	Viewer, Guild string
	Offset, Limit int
}
