package storage

import "time"

// CensusReader counts what there is.
type CensusReader interface {
	// Census counts at one moment: what is to be tried is so by now.
	Counts(now time.Time) (Counts, error)
}

// Census is how much there is of what.
type Counts struct {
	// Matches by game and ending; what is none is left out.
	Matches map[GameEnding]int
	// Open is the challenges that can still be answered.
	OpenChallenges int
	// Boards and Challenges are behind: what Reader.Work would give without a
	// limit.
	PendingBoards, PendingChallenges int
	// Thinking is the matches in which a computer is to move.
	ComputerTurns int
}

// Finish is a game and how a match of it ended; the ending is empty while the
// match goes on.
type GameEnding struct {
	Game   string
	Ending string
}
