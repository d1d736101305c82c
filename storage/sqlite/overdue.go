package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

const (
	challengesExpired = `
SELECT id FROM challenges WHERE state = 'open' AND expires_at <= $1 ORDER BY expires_at, id LIMIT $2`

	matchesOverdue = `
SELECT id FROM matches WHERE ending = '' AND deadline IS NOT NULL AND deadline <= $1
ORDER BY deadline, id LIMIT $2`

	setDeadline = `UPDATE matches SET deadline = $2 WHERE id = $1`
)

func scanID[T ~int64](rows *sql.Rows) (id T, err error) {
	err = rows.Scan(&id)
	return id, err
}

// Overdue implements storage.Reader.
func (t *tx) Overdue(now time.Time, limit int) (o storage.Overdue, err error) {
	at, err := moment(now)
	if err != nil {
		return o, fmt.Errorf("sqlite: overdue: %w", err)
	}
	limit = max(limit, 0) // SQLite takes a negative limit for none
	if o.Challenges, err = collect(t, "challenges that expire", scanID[storage.ChallengeID], challengesExpired, at, limit); err != nil {
		return storage.Overdue{}, err
	}
	if o.Matches, err = collect(t, "matches overdue", scanID[storage.MatchID], matchesOverdue, at, limit); err != nil {
		return storage.Overdue{}, err
	}
	return o, nil
}

// SetDeadline implements storage.Tx.
func (t *tx) SetDeadline(match storage.MatchID, deadline time.Time) error {
	doing := fmt.Sprintf("set the deadline of match %d", match)
	at, err := maybe(deadline)
	if err != nil {
		return t.fail(doing, err)
	}
	n, err := t.exec(doing, setDeadline, match, at)
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: %s: %w", doing, storage.ErrNotFound)
	}
	return err
}
