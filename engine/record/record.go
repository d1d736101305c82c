package record

import (
	"fmt"
	"time"

	"castellan/engine/match"
)

// Limits of a record. The longest matches that the rules allow are far below.
const (
	MaxBytes = 1 << 20 // of a file
	MaxLine  = 4096    // bytes of a line
	MaxTurns = 10_000
	MaxName  = 100 // characters of a player's name; Write cuts longer ones
)

// heading is the first line without the version.
const heading = "Castellan record"

// version is the version of the format that is written, and the only one that
// is read.
const version = 1

// Record is a match with what is to be known about it besides.
type Record struct {
	// Match is the match. One that was read has an entry for every action of
	// its completed turns and every decision, all at Date and without an
	// interaction, and no others.
	Match *match.Match
	// Names is the name of every player, element 0 for seat 1; a missing or
	// empty one is not known.
	Names []string
	// Date is when the match began, to the second; zero where it is not known.
	Date time.Time
	// Seed is what decided anything random about the match; nil where nothing
	// was decided so or it is not known.
	Seed *uint64
}

// Error is what is wrong with a record that was read, and where.
type Error struct {
	Line int // from 1
	Turn int // the turn that could not be played, from 1; 0 where it is no turn
	// Err says what is wrong and what would be right. It wraps an
	// *engine.NotationError, an *engine.IllegalError, an *engine.OptionError,
	// an *engine.SeatsError or an error of castellan/engine/match where one of
	// these is the reason.
	Err error
}

func (e *Error) Error() string {
	if e.Turn != 0 {
		return fmt.Sprintf("line %d, turn %d: %v", e.Line, e.Turn, e.Err)
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
