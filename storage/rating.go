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
	Weight           float64 // how much of the match counted, 1 for all of it
	Before, After    Estimate
	EstablishedUntil time.Time // of After, as in Rating
}

// Meetings counts matches of two people.
type Meetings struct {
	A, B  string // A < B
	Count int
}

// LeaderboardQuery selects a page of the ratings of a game on a list. Established
// ratings come first, then provisional ones, each by descending mean.
type LeaderboardQuery struct {
	Game string
	List RatingList
	// Guild restricts the board to people with a result in a match of the game
	// in that guild, on any list; empty for everybody.
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
