package sqlite

import (
	"fmt"
	"time"

	"castellan/storage"
)

const (
	matchesThinking = `
SELECT id FROM matches WHERE thinking_since IS NOT NULL ORDER BY thinking_since, id LIMIT $1`

	setThinking = `UPDATE matches SET thinking_since = $2 WHERE id = $1`
)

// Thinking implements storage.ComputerReader.
func (t *tx) ComputerTurns(limit int) ([]storage.MatchID, error) {
	return collect(t, "matches that wait for a computer", scanID[storage.MatchID], matchesThinking, max(limit, 0)) // SQLite takes a negative limit for none
}

// SetThinking implements storage.ComputerTx.
func (t *tx) SetComputerTurn(match storage.MatchID, since time.Time) error {
	doing := fmt.Sprintf("set since when a computer is to move in match %d", match)
	at, err := maybe(since)
	if err != nil {
		return t.fail(doing, err)
	}
	n, err := t.exec(doing, setThinking, match, at)
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: %s: %w", doing, storage.ErrNotFound)
	}
	return err
}
