package storage

import "time"

// CensusReader counts what there is.
type CensusReader interface {
	// Census counts at one moment: what is to be tried is so by now.
	Census(now time.Time) (Census, error)
}

// Census is how much there is of what.
type Census struct {
	// Matches by game and ending; what is none is left out.
	Matches map[Finish]int
	// Open is the challenges that can still be answered.
	Open int
	// Boards and Challenges are behind: what Reader.Work would give without a
	// limit.
	Boards, Challenges int
	// Thinking is the matches in which a computer is to move.
	Thinking int
}

// Finish is a game and how a match of it ended; the ending is empty while the
// match goes on.
type Finish struct {
	Game   string
	Ending string
}
