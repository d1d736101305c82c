package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

const selectChallenges = `
SELECT id, guild, channel, challenger, challenger_name, seats, game, options, unrated, first, seed,
       state, created_at, expires_at, answered_at, match_id, message, revision, shown, tries, next_at
FROM challenges `

const (
	challengeByID = selectChallenges + `WHERE id = $1`

	notShown = `
WHERE shown <> revision AND (next_at IS NULL OR next_at <= $1)`

	challengesBehind = selectChallenges + notShown + `
ORDER BY next_at NULLS FIRST, id LIMIT $2`

	insertChallenge = `
INSERT INTO challenges (guild, channel, challenger, challenger_name, seats, game, options, first, seed,
                        state, created_at, expires_at, answered_at, match_id, message, tries, next_at, unrated)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING id`

	peopleOfChallenge = `
SELECT joined, person, name, level FROM challenge_people WHERE challenge_id = $1 ORDER BY joined, place`

	forgetPeople = `DELETE FROM challenge_people WHERE challenge_id = $1`

	insertPerson = `
INSERT INTO challenge_people (challenge_id, joined, place, person, name, level) VALUES ($1, $2, $3, $4, $5, $6)`

	seatChallenge = `
UPDATE challenges SET revision = revision + 1, tries = 0, next_at = NULL
WHERE id = $1 AND state = 'open' AND revision = $2`

	answerChallenge = `
UPDATE challenges
SET state = $2, match_id = $3, answered_at = $4, revision = revision + 1, tries = 0, next_at = NULL
WHERE id = $1 AND state = 'open'`

	challengeShown = `
UPDATE challenges
SET shown = $2, message = CASE WHEN $3 = '' THEN message ELSE $3 END, tries = 0, next_at = NULL
WHERE id = $1`

	challengeFailed = `UPDATE challenges SET tries = tries + 1, next_at = $2 WHERE id = $1`

	challengeExists = `SELECT EXISTS (SELECT 1 FROM challenges WHERE id = $1)`
)

func scanChallenge(rows *sql.Rows) (storage.Challenge, error) {
	var c storage.Challenge
	err := rows.Scan(&c.ID, &c.Place.Guild, &c.Place.Channel, &c.Challenger.ID, &c.Challenger.Name,
		&c.Seats, &c.Game, &c.Options, &c.Unrated, &c.First, seed{&c.Seed},
		&c.State, clock{&c.CreatedAt}, clock{&c.ExpiresAt}, clock{&c.ResolvedAt}, number[storage.MatchID]{&c.Match},
		&c.Message, &c.Revision, &c.ShownRevision, &c.Attempts, clock{&c.NextAttempt})
	return c, err
}

// Challenge implements storage.Reader.
func (t *tx) Challenge(id storage.ChallengeID) (storage.Challenge, error) {
	c, err := one(t, fmt.Sprintf("challenge %d", id), scanChallenge, challengeByID, id)
	if err == nil {
		err = t.readPeople(&c)
	}
	return c, err
}

// involved is one row of challenge_people.
type involved struct {
	joined bool
	person storage.Person
}

func scanInvolved(rows *sql.Rows) (involved, error) {
	var i involved
	err := rows.Scan(&i.joined, &i.person.ID, &i.person.Name, &i.person.Level)
	return i, err
}

// readPeople adds to a challenge who has joined and who is invited.
func (t *tx) readPeople(c *storage.Challenge) error {
	people, err := collect(t, fmt.Sprintf("people of challenge %d", c.ID), scanInvolved, peopleOfChallenge, c.ID)
	for _, p := range people {
		if p.joined {
			c.Joined = append(c.Joined, p.person)
		} else {
			c.Invited = append(c.Invited, p.person)
		}
	}
	return err
}

// writePeople records who has joined and who is invited; nobody may be on
// record.
func (t *tx) writePeople(doing string, id storage.ChallengeID, joined, invited []storage.Person) error {
	for _, group := range []struct {
		joined bool
		people []storage.Person
	}{{true, joined}, {false, invited}} {
		for i, p := range group.people {
			if _, err := t.exec(doing, insertPerson, id, group.joined, i+1, p.ID, p.Name, p.Level); err != nil {
				return err
			}
		}
	}
	return nil
}

// InsertChallenge implements storage.Tx.
func (t *tx) InsertChallenge(c storage.Challenge) (storage.ChallengeID, error) {
	const doing = "insert challenge"
	created, err := moment(c.CreatedAt)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	expires, err := maybe(c.ExpiresAt)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	answered, err := maybe(c.ResolvedAt)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	next, err := maybe(c.NextAttempt)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	if c.State == "" {
		c.State = storage.ChallengeOpen
	}
	id, err := t.insert(doing, insertChallenge, c.Place.Guild, c.Place.Channel, c.Challenger.ID, c.Challenger.Name,
		c.Seats, c.Game, c.Options, c.First, int64(c.Seed),
		c.State, created, expires, answered, reference(c.Match), c.Message, c.Attempts, next, c.Unrated)
	if err != nil {
		return 0, err
	}
	return storage.ChallengeID(id), t.writePeople(doing, storage.ChallengeID(id), c.Joined, c.Invited)
}

// SeatChallenge implements storage.Tx.
func (t *tx) SetChallengePlayers(id storage.ChallengeID, revision int, joined, invited []storage.Person) error {
	doing := fmt.Sprintf("seat people of challenge %d", id)
	n, err := t.exec(doing, seatChallenge, id, revision)
	if err != nil {
		return err
	}
	if n == 0 {
		return t.conflict(doing, challengeExists, int64(id))
	}
	if _, err := t.exec(doing, forgetPeople, id); err != nil {
		return err
	}
	return t.writePeople(doing, id, joined, invited)
}

// AnswerChallenge implements storage.Tx.
func (t *tx) ResolveChallenge(id storage.ChallengeID, state storage.ChallengeState, match storage.MatchID, at time.Time) error {
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
func (t *tx) MarkChallengeShown(id storage.ChallengeID, message string, revision int) error {
	doing := fmt.Sprintf("challenge %d is shown", id)
	n, err := t.exec(doing, challengeShown, id, revision, message)
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: %s: %w", doing, storage.ErrNotFound)
	}
	return err
}

// ChallengeFailed implements storage.Tx.
func (t *tx) PostponeChallenge(id storage.ChallengeID, next time.Time) error {
	return t.tryAgain(fmt.Sprintf("challenge %d has failed", id), challengeFailed, int64(id), next)
}
