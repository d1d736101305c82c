package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"castellan/storage"
)

// playerRow is one row of selectChallenges.
type playerRow struct {
	challenge storage.Challenge
	place     int // 0 if the challenge has no people
	joined    bool
	person    storage.Person
}

func scanPlayerRow(rows *sql.Rows) (r playerRow, err error) {
	var (
		c      = &r.challenge
		joined int
	)
	err = rows.Scan(&c.ID, &c.Place.Guild, &c.Place.Channel, &c.Challenger.ID, &c.Challenger.Name,
		&c.Seats, &c.Game, &c.Options, &c.Unrated, &c.Clock, &c.First, scanSeed{&c.Seed},
		&c.State, scanTime{&c.CreatedAt}, scanTime{&c.ExpiresAt}, scanTime{&c.ResolvedAt}, orNull(&c.Match),
		&c.Message, &c.Revision, &c.ShownRevision, &c.Attempts, scanTime{&c.NextAttempt},
		orNull(&r.place), orNull(&joined), orNull(&r.person.ID),
		orNull(&r.person.Name), orNull(&r.person.Level))
	r.joined = joined != 0
	return r, err
}

// challenges gathers the rows of each challenge, which follow each other.
func (t *Tx) challenges(op, query string, args ...any) ([]storage.Challenge, error) {
	rows, err := all(t, op, scanPlayerRow, query, args...)
	if err != nil {
		return nil, err
	}
	var challenges []storage.Challenge
	for _, r := range rows {
		if len(challenges) == 0 || challenges[len(challenges)-1].ID != r.challenge.ID {
			challenges = append(challenges, r.challenge)
		}
		switch c := &challenges[len(challenges)-1]; {
		case r.place == 0:
		case r.joined:
			c.Joined = append(c.Joined, r.person)
		default:
			c.Invited = append(c.Invited, r.person)
		}
	}
	return challenges, nil
}

// selectChallenges selects a row for each person of a challenge, or one row
// with NULLs if it has none.
const selectChallenges = `
SELECT c.id, c.guild, c.channel, c.challenger, c.challenger_name, c.seats, c.game, c.options, c.unrated, c.clock, c.first, c.seed,
       c.state, c.created_at, c.expires_at, c.resolved_at, c.match_id, c.message, c.revision, c.shown_revision, c.attempts, c.next_attempt,
       p.place, p.joined, p.person, p.name, p.level
FROM challenges c LEFT JOIN challenge_people p ON p.challenge_id = c.id `

func (t *Tx) Challenge(id storage.ChallengeID) (storage.Challenge, error) {
	op := fmt.Sprintf("challenge %d", id)
	found, err := t.challenges(op, selectChallenges+`WHERE c.id = $1 ORDER BY p.joined, p.place`, id)
	return first(op, found, err)
}

func (t *Tx) OpenChallenges(person string) ([]storage.Challenge, error) {
	if person == "" {
		return t.challenges("open challenges", selectChallenges+`WHERE c.state = 'open' ORDER BY c.created_at, c.id, p.joined, p.place`)
	}
	return t.challenges("open challenges of a person", selectChallenges+`
WHERE c.state = 'open' AND c.id IN (SELECT challenge_id FROM challenge_people WHERE person = $1)
ORDER BY c.created_at, c.id, p.joined, p.place`, person)
}

func (t *Tx) ChallengeActivity(person, guild string, after, now time.Time) (a storage.ChallengeActivity, err error) {
	const op = "challenge activity"
	for _, part := range []struct {
		to    *[]time.Time
		query string
		key   string
		since time.Time
	}{
		{&a.MadeBy, `SELECT created_at FROM challenges WHERE challenger = $1 AND created_at > $2 ORDER BY created_at`, person, after},
		{&a.MadeIn, `SELECT created_at FROM challenges WHERE guild = $1 AND created_at > $2 ORDER BY created_at`, guild, after},
		{&a.OpenBy, `
SELECT expires_at FROM challenges
WHERE challenger = $1 AND state = 'open' AND (expires_at IS NULL OR expires_at > $2)
ORDER BY expires_at NULLS LAST`, person, now},
		{&a.OpenIn, `
SELECT expires_at FROM challenges
WHERE guild = $1 AND state = 'open' AND (expires_at IS NULL OR expires_at > $2)
ORDER BY expires_at NULLS LAST`, guild, now},
	} {
		*part.to, err = all(t, op, func(rows *sql.Rows) (at time.Time, err error) {
			err = rows.Scan(scanTime{&at})
			return at, err
		}, part.query, part.key, timeValue(part.since))
		if err != nil {
			return storage.ChallengeActivity{}, err
		}
	}
	return a, nil
}

// insertPlayers adds the people of a challenge that has none.
func (t *Tx) insertPlayers(op string, id storage.ChallengeID, joined, invited []storage.Person) error {
	var values []any
	add := func(people []storage.Person, joined bool) {
		for i, p := range people {
			values = append(values, id, joined, i+1, p.ID, p.Name, p.Level)
		}
	}
	add(joined, true)
	add(invited, false)
	return t.insertRows(op, `INSERT INTO challenge_people (challenge_id, joined, place, person, name, level) VALUES `, "", 6, values)
}

func (t *Tx) InsertChallenge(c storage.Challenge) (storage.ChallengeID, error) {
	const op = "insert challenge"
	if c.State == "" {
		c.State = storage.ChallengeOpen
	}
	id, err := t.insert(op, `
INSERT INTO challenges (guild, channel, challenger, challenger_name, seats, game, options, first, seed,
                        state, created_at, expires_at, resolved_at, match_id, message, attempts, next_attempt, unrated, clock)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) RETURNING id`,
		c.Place.Guild, c.Place.Channel, c.Challenger.ID, c.Challenger.Name,
		c.Seats, c.Game, c.Options, c.First, int64(c.Seed),
		c.State, timeValue(c.CreatedAt), nullTime(c.ExpiresAt), nullTime(c.ResolvedAt), nullID(c.Match), c.Message,
		c.Attempts, nullTime(c.NextAttempt), c.Unrated, c.Clock)
	if err != nil {
		return 0, err
	}
	return storage.ChallengeID(id), t.insertPlayers(op, storage.ChallengeID(id), c.Joined, c.Invited)
}

const (
	// increment also ends the lease of the challenge.
	increment       = `revision = revision + 1, attempts = 0, next_attempt = NULL, lease_token = lease_token + 1, lease_until = NULL`
	challengeExists = `SELECT EXISTS (SELECT 1 FROM challenges WHERE id = $1)`
)

func (t *Tx) SetChallengePlayers(id storage.ChallengeID, revision int, joined, invited []storage.Person) error {
	op := fmt.Sprintf("set the players of challenge %d", id)
	if err := t.execExpected(op, challengeExists, `
UPDATE challenges SET `+increment+` WHERE id = $1 AND state = 'open' AND revision = $2`, id, revision); err != nil {
		return err
	}
	if _, err := t.exec(op, `DELETE FROM challenge_people WHERE challenge_id = $1`, id); err != nil {
		return err
	}
	return t.insertPlayers(op, id, joined, invited)
}

func (t *Tx) ResolveChallenge(id storage.ChallengeID, state storage.ChallengeState, match storage.MatchID, at time.Time) error {
	op := fmt.Sprintf("resolve challenge %d", id)
	if state == storage.ChallengeOpen {
		return t.fail(op, errors.New("the new state is open"))
	}
	return t.execExpected(op, challengeExists, `
UPDATE challenges SET state = $2, match_id = $3, resolved_at = $4, `+increment+` WHERE id = $1 AND state = 'open'`,
		id, state, nullID(match), timeValue(at))
}

func (t *Tx) ReviseChallenge(id storage.ChallengeID) error {
	return t.execOne(fmt.Sprintf("revise challenge %d", id), `UPDATE challenges SET `+increment+` WHERE id = $1`, id)
}

func (t *Tx) RepostChallenge(id storage.ChallengeID, next time.Time) error {
	return t.setTime(fmt.Sprintf("repost challenge %d", id),
		`UPDATE challenges SET message = '', shown_revision = -1, attempts = 0, next_attempt = $2, lease_token = lease_token + 1, lease_until = NULL WHERE id = $1`,
		int64(id), next)
}

func (t *Tx) MarkChallengeShown(id storage.ChallengeID, message string, revision int) error {
	return t.execOne(fmt.Sprintf("mark challenge %d as shown", id), `
UPDATE challenges
SET shown_revision = $2, message = CASE WHEN $3 = '' THEN message ELSE $3 END, attempts = 0, next_attempt = NULL
WHERE id = $1`, id, revision, message)
}

func (t *Tx) PostponeChallenge(id storage.ChallengeID, next time.Time) error {
	return t.setTime(fmt.Sprintf("postpone challenge %d", id),
		`UPDATE challenges SET attempts = `+oneMoreTry+`, next_attempt = $2 WHERE id = $1`, int64(id), next)
}

func (t *Tx) RematchFor(match storage.MatchID) (storage.ChallengeID, error) {
	return one(t, fmt.Sprintf("rematch of match %d", match), scanValue[storage.ChallengeID],
		`SELECT challenge_id FROM rematches WHERE match_id = $1 ORDER BY challenge_id DESC LIMIT 1`, match)
}

func (t *Tx) RematchOf(challenge storage.ChallengeID) (storage.MatchID, error) {
	return orZero(one(t, fmt.Sprintf("match of rematch %d", challenge), scanValue[storage.MatchID],
		`SELECT match_id FROM rematches WHERE challenge_id = $1`, challenge))
}

func (t *Tx) RecordRematch(challenge storage.ChallengeID, match storage.MatchID) error {
	_, err := t.exec(fmt.Sprintf("record challenge %d as a rematch", challenge),
		`INSERT INTO rematches (challenge_id, match_id) VALUES ($1, $2)`, challenge, match)
	return err
}

func (t *Tx) Thread(challenge storage.ChallengeID) (storage.ThreadState, error) {
	return orZero(one(t, fmt.Sprintf("thread of challenge %d", challenge), scanValue[storage.ThreadState],
		`SELECT state FROM threads WHERE challenge_id = $1`, challenge))
}

func (t *Tx) EndedThreads(after time.Time, limit int) ([]storage.ChallengeID, error) {
	return all(t, "threads of ended matches", scanValue[storage.ChallengeID], `
SELECT t.challenge_id FROM threads t JOIN challenges c ON c.id = t.challenge_id
WHERE t.state = 'created' AND c.shown_revision = c.revision
  AND EXISTS (SELECT 1 FROM matches WHERE challenge_id = c.id AND ending <> '')
  AND NOT EXISTS (SELECT 1 FROM matches WHERE channel = c.message AND ending = '')
  AND NOT EXISTS (SELECT 1 FROM matches WHERE channel = c.message AND end_number IS NOT NULL AND ended_at > $1)
  AND NOT EXISTS (SELECT 1 FROM boards WHERE channel = c.message AND `+boardsNeedWork+`)
ORDER BY t.challenge_id LIMIT $2`, timeValue(after), max(limit, 0))
}

func (t *Tx) SetThread(challenge storage.ChallengeID, state storage.ThreadState) (err error) {
	op := fmt.Sprintf("set the thread of challenge %d", challenge)
	if state == storage.ThreadNone {
		_, err = t.exec(op, `DELETE FROM threads WHERE challenge_id = $1`, challenge)
	} else {
		_, err = t.exec(op, `
INSERT INTO threads (challenge_id, state, parent) VALUES ($1, $2, coalesce((SELECT channel FROM challenges WHERE id = $1), ''))
ON CONFLICT (challenge_id) DO UPDATE SET state = excluded.state`, challenge, state)
	}
	return err
}

// orZero replaces storage.ErrNotFound by the zero value.
func orZero[T any](v T, err error) (T, error) {
	if errors.Is(err, storage.ErrNotFound) {
		err = nil
	}
	return v, err
}
