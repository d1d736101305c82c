package sqlite

import (
	"database/sql"
	"errors"
	"fmt"

	"castellan/storage"
)

const (
	lastEnded = selectMatches + `
WHERE m.id = (
    SELECT e.id FROM matches e
    WHERE e.end_number IS NOT NULL AND ($2 = '' OR e.channel = $2) AND e.id IN (SELECT match_id FROM seats WHERE person = $1)
    ORDER BY e.end_number DESC LIMIT 1)
ORDER BY s.seat`

	rematchFor = `SELECT challenge_id FROM rematches WHERE match_id = $1 ORDER BY challenge_id DESC LIMIT 1`

	rematchOf = `SELECT match_id FROM rematches WHERE challenge_id = $1`

	noteRematch = `INSERT INTO rematches (challenge_id, match_id) VALUES ($1, $2)`
)

func scanNumber[T ~int64](rows *sql.Rows) (n T, err error) {
	err = rows.Scan(&n)
	return n, err
}

// LastEnded implements storage.RematchReader.
func (t *tx) LastEnded(person, channel string) (storage.Match, error) {
	const doing = "last match of a person"
	found, err := t.matches(doing, lastEnded, person, channel)
	if err != nil {
		return storage.Match{}, err
	}
	if len(found) == 0 {
		return storage.Match{}, fmt.Errorf("sqlite: %s: %w", doing, storage.ErrNotFound)
	}
	return found[0], nil
}

// RematchFor implements storage.RematchReader.
func (t *tx) RematchFor(match storage.MatchID) (storage.ChallengeID, error) {
	return one(t, fmt.Sprintf("rematch for match %d", match), scanNumber[storage.ChallengeID], rematchFor, match)
}

// RematchOf implements storage.RematchReader.
func (t *tx) RematchOf(challenge storage.ChallengeID) (storage.MatchID, error) {
	id, err := one(t, fmt.Sprintf("rematch of challenge %d", challenge), scanNumber[storage.MatchID], rematchOf, challenge)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	return id, err
}

// NoteRematch implements storage.RematchTx.
func (t *tx) RecordRematch(challenge storage.ChallengeID, match storage.MatchID) error {
	_, err := t.exec(fmt.Sprintf("challenge %d is a rematch", challenge), noteRematch, challenge, match)
	return err
}
