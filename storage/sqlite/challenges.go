package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

const selectChallenges = `
SELECT id, guild, channel, challenger, challenger_name, opponent, opponent_name, game, options, first, seed,
       state, created_at, answered_at, match_id, message, shown_state, tries, next_at
FROM challenges `

const (
	challengeByID = selectChallenges + `WHERE id = $1`

	challengesBehind = selectChallenges + `
WHERE shown_state <> state AND (next_at IS NULL OR next_at <= $1)
ORDER BY next_at NULLS FIRST, id LIMIT $2`

	insertChallenge = `
INSERT INTO challenges (guild, channel, challenger, challenger_name, opponent, opponent_name, game, options, first, seed,
                        state, created_at, answered_at, match_id, message, shown_state, tries, next_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING id`

	answerChallenge = `
UPDATE challenges SET state = $2, match_id = $3, answered_at = $4, tries = 0, next_at = NULL
WHERE id = $1 AND state = 'open'`

	challengeShown = `
UPDATE challenges
SET shown_state = $2, message = CASE WHEN $3 = '' THEN message ELSE $3 END, tries = 0, next_at = NULL
WHERE id = $1`

	challengeFailed = `UPDATE challenges SET tries = tries + 1, next_at = $2 WHERE id = $1`

	challengeExists = `SELECT EXISTS (SELECT 1 FROM challenges WHERE id = $1)`
)

func scanChallenge(rows *sql.Rows) (storage.Challenge, error) {
	var c storage.Challenge
	err := rows.Scan(&c.ID, &c.Place.Guild, &c.Place.Channel, &c.Challenger.ID, &c.Challenger.Name,
		&c.Opponent.ID, &c.Opponent.Name, &c.Game, &c.Options, &c.First, seed{&c.Seed},
		&c.State, clock{&c.CreatedAt}, clock{&c.AnsweredAt}, number[storage.MatchID]{&c.Match},
		&c.Message, &c.ShownState, &c.Tries, clock{&c.Next})
	return c, err
}

// Challenge implements storage.Reader.
func (t *tx) Challenge(id storage.ChallengeID) (storage.Challenge, error) {
	return one(t, fmt.Sprintf("challenge %d", id), scanChallenge, challengeByID, id)
}

// InsertChallenge implements storage.Tx.
func (t *tx) InsertChallenge(c storage.Challenge) (storage.ChallengeID, error) {
	const doing = "insert challenge"
	created, err := moment(c.CreatedAt)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	answered, err := maybe(c.AnsweredAt)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	next, err := maybe(c.Next)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	if c.State == "" {
		c.State = storage.ChallengeOpen
	}
	id, err := t.insert(doing, insertChallenge, c.Place.Guild, c.Place.Channel, c.Challenger.ID, c.Challenger.Name,
		c.Opponent.ID, c.Opponent.Name, c.Game, c.Options, c.First, int64(c.Seed),
		c.State, created, answered, reference(c.Match), c.Message, c.ShownState, c.Tries, next)
	return storage.ChallengeID(id), err
}

// AnswerChallenge implements storage.Tx.
func (t *tx) AnswerChallenge(id storage.ChallengeID, state storage.ChallengeState, match storage.MatchID, at time.Time) error {
	doing := fmt.Sprintf("answer challenge %d", id)
	answered, err := moment(at)
	if err == nil && state == storage.ChallengeOpen {
		err = fmt.Errorf("open is no answer")
	}
	if err != nil {
		return t.fail(doing, err)
	}
	n, err := t.exec(doing, answerChallenge, id, state, reference(match), answered)
	if err != nil || n > 0 {
		return err
	}
	return t.conflict(doing, challengeExists, int64(id))
}

// ChallengeShown implements storage.Tx.
func (t *tx) ChallengeShown(id storage.ChallengeID, message string, state storage.ChallengeState) error {
	doing := fmt.Sprintf("challenge %d is shown", id)
	n, err := t.exec(doing, challengeShown, id, state, message)
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: %s: %w", doing, storage.ErrNotFound)
	}
	return err
}

// ChallengeFailed implements storage.Tx.
func (t *tx) ChallengeFailed(id storage.ChallengeID, next time.Time) error {
	return t.tryAgain(fmt.Sprintf("challenge %d has failed", id), challengeFailed, int64(id), next)
}
