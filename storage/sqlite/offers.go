package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

const (
	challengesMadeBy = `SELECT created_at FROM challenges WHERE challenger = $1 AND created_at > $2 ORDER BY created_at`
	challengesMadeIn = `SELECT created_at FROM challenges WHERE channel = $1 AND created_at > $2 ORDER BY created_at`

	challengesOpenBy = `
SELECT expires_at FROM challenges
WHERE challenger = $1 AND state = 'open' AND (expires_at IS NULL OR expires_at > $2)
ORDER BY expires_at NULLS LAST`

	challengesOpenIn = `
SELECT expires_at FROM challenges
WHERE channel = $1 AND state = 'open' AND (expires_at IS NULL OR expires_at > $2)
ORDER BY expires_at NULLS LAST`

	countRunning = `
SELECT count(*) FROM matches m JOIN seats s ON s.match_id = m.id WHERE s.person = $1 AND m.ending = ''`
)

func scanTime(rows *sql.Rows) (at time.Time, err error) {
	err = rows.Scan(clock{&at})
	return at, err
}

// Offers implements storage.Reader.
func (t *tx) ChallengeActivity(person, channel string, after, now time.Time) (storage.ChallengeActivity, error) {
	const doing = "offers"
	from, err := moment(after)
	if err != nil {
		return storage.ChallengeActivity{}, fmt.Errorf("sqlite: %s: %w", doing, err)
	}
	at, err := moment(now)
	if err != nil {
		return storage.ChallengeActivity{}, fmt.Errorf("sqlite: %s: %w", doing, err)
	}
	var o storage.ChallengeActivity
	for _, part := range []struct {
		to    *[]time.Time
		query string
		whose string
		time  int64
	}{
		{&o.MadeBy, challengesMadeBy, person, from},
		{&o.MadeIn, challengesMadeIn, channel, from},
		{&o.OpenBy, challengesOpenBy, person, at},
		{&o.OpenIn, challengesOpenIn, channel, at},
	} {
		if *part.to, err = collect(t, doing, scanTime, part.query, part.whose, part.time); err != nil {
			return storage.ChallengeActivity{}, err
		}
	}
	return o, nil
}

// CountRunning implements storage.Reader.
func (t *tx) CountRunning(person string) (n int, err error) {
	if err := t.row(countRunning, person).Scan(&n); err != nil {
		return 0, fmt.Errorf("sqlite: count the matches of a person: %w", err)
	}
	return n, nil
}
