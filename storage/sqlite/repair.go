package sqlite

import (
	"fmt"
	"time"

	"castellan/storage"
)

const (
	openChallenges = selectChallenges + `WHERE state = 'open' ORDER BY created_at, id`

	// at is that a record is in a place; without a channel, in the server.
	at = `(channel = $1 OR $1 = '' AND guild = $2 AND guild <> '')`

	// The conditions of the indexes boards_behind and challenges_behind stand
	// first.
	postponedBoards = `
WHERE (state IN ('due', 'stale') OR (state = 'skipped' AND next_at IS NOT NULL)) AND next_at > $3 AND state = 'due' AND ` + at
	postponedChallenges = `
WHERE shown <> revision AND next_at > $3 AND message = '' AND ` + at

	anyPostponed = `
SELECT EXISTS (SELECT 1 FROM boards` + postponedBoards + `) OR EXISTS (SELECT 1 FROM challenges` + postponedChallenges + `)`

	hastenBoards     = `UPDATE boards SET next_at = $3` + postponedBoards
	hastenChallenges = `UPDATE challenges SET next_at = $3` + postponedChallenges

	repostChallenge = `UPDATE challenges SET message = '', shown = -1, tries = 0, next_at = $2 WHERE id = $1`

	moveMatch = `UPDATE matches SET guild = $4, channel = $5 WHERE id = $1 AND guild = $2 AND channel = $3`
)

// OpenChallenges implements storage.RepairReader.
func (t *tx) OpenChallenges() ([]storage.Challenge, error) {
	all, err := collect(t, "open challenges", scanChallenge, openChallenges)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if err := t.readPeople(&all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Postponed implements storage.RepairReader.
func (t *tx) HasPostponed(place storage.Place, now time.Time) (bool, error) {
	const doing = "postponed work of a place"
	after, err := moment(now)
	if err != nil {
		return false, fmt.Errorf("sqlite: %s: %w", doing, err)
	}
	return t.exists(doing, anyPostponed, place.Channel, place.Guild, after)
}

// Hasten implements storage.RepairTx.
func (t *tx) RetryNow(place storage.Place, now time.Time) (int, error) {
	const doing = "hasten the work of a place"
	next, err := moment(now)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	boards, err := t.exec(doing, hastenBoards, place.Channel, place.Guild, next)
	if err != nil {
		return 0, err
	}
	challenges, err := t.exec(doing, hastenChallenges, place.Channel, place.Guild, next)
	return boards + challenges, err
}

// RepostChallenge implements storage.RepairTx.
func (t *tx) RepostChallenge(id storage.ChallengeID, next time.Time) error {
	return t.tryAgain(fmt.Sprintf("post challenge %d anew", id), repostChallenge, int64(id), next)
}

// MoveMatch implements storage.RepairTx.
func (t *tx) MoveMatch(id storage.MatchID, from, to storage.Place) error {
	doing := fmt.Sprintf("move match %d", id)
	n, err := t.exec(doing, moveMatch, id, from.Guild, from.Channel, to.Guild, to.Channel)
	if err != nil || n > 0 {
		return err
	}
	return t.conflict(doing, matchExists, int64(id))
}
