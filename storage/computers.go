package storage

import "time"

// ComputerReader reads what waits for a computer.
type ComputerReader interface {
	// Thinking is at most limit matches in which a computer is to move, the one
	// that has waited longest first: by Match.Thinking, then by identifier.
	ComputerTurns(limit int) ([]MatchID, error)
}

// ComputerTx writes it.
type ComputerTx interface {
	// SetThinking replaces a match's Thinking; the zero time says that no
	// computer is to move.
	SetComputerTurn(match MatchID, since time.Time) error
}
