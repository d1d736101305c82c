package record

import (
	"time"

	"castellan/engine/match"
)

// Limits of a record, far above the longest match that any rules allow.
const (
	MaxBytes = 1 << 20 // of a file
	MaxLine  = 4096    // bytes in a line
	MaxTurns = 10_000
	MaxName  = 100 // characters in a player's name; Write cuts longer ones
)

// heading is the first line up to the version.
const heading = "Castellan record"

const version = 1

// Record is a match with its players and circumstances.
type Record struct {
	// Match has, if it was read, an entry for each action of its completed turns
	// and each decision, all at Date and without an interaction.
	Match *match.Match
	// Names holds the name of each player, element 0 for seat 1. A missing or
	// empty name is unknown.
	Names []string
	// Date is when the match began, to the second; zero if unknown.
	Date time.Time
	// Seed decided what was random about the match; nil if nothing was or the
	// seed is unknown.
	Seed *uint64
	// Verified reports that the record was read and had a digest, which matched.
	Verified bool
}
