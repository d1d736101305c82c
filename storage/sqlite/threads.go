package sqlite

import (
	"database/sql"
	"errors"
	"fmt"

	"castellan/storage"
)

const (
	threadOf = `SELECT state FROM threads WHERE challenge_id = $1`

	setThread = `
INSERT INTO threads (challenge_id, state) VALUES ($1, $2)
ON CONFLICT (challenge_id) DO UPDATE SET state = excluded.state`

	forgetThread = `DELETE FROM threads WHERE challenge_id = $1`

	moveDue = `UPDATE boards SET guild = $2, channel = $3 WHERE match_id = $1 AND state = 'due'`

	reviseChallenge = `UPDATE challenges SET revision = revision + 1, tries = 0, next_at = NULL WHERE id = $1`
)

func scanState(rows *sql.Rows) (s storage.ThreadState, err error) {
	err = rows.Scan(&s)
	return s, err
}

// Thread implements storage.ThreadReader.
func (t *tx) Thread(challenge storage.ChallengeID) (storage.ThreadState, error) {
	s, err := one(t, fmt.Sprintf("thread of challenge %d", challenge), scanState, threadOf, challenge)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.ThreadNone, nil
	}
	return s, err
}

// SetThread implements storage.ThreadTx.
func (t *tx) SetThread(challenge storage.ChallengeID, state storage.ThreadState) error {
	doing := fmt.Sprintf("set thread of challenge %d", challenge)
	var err error
	if state == storage.ThreadNone {
		_, err = t.exec(doing, forgetThread, challenge)
	} else {
		_, err = t.exec(doing, setThread, challenge, state)
	}
	return err
}

// MoveDue implements storage.ThreadTx.
func (t *tx) MoveDueBoard(match storage.MatchID, to storage.Place) error {
	_, err := t.exec(fmt.Sprintf("move the board of match %d", match), moveDue, match, to.Guild, to.Channel)
	return err
}

// ReviseChallenge implements storage.ThreadTx.
func (t *tx) ReviseChallenge(id storage.ChallengeID) error {
	doing := fmt.Sprintf("revise challenge %d", id)
	n, err := t.exec(doing, reviseChallenge, id)
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: %s: %w", doing, storage.ErrNotFound)
	}
	return err
}
