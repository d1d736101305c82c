package sqltx

import (
	"database/sql"
	"time"

	"castellan/storage"
)

const (
	// The first condition is that of the index boards_behind.
	isDue            = `(next_at IS NULL OR next_at <= $1 OR tries = 0 OR next_at > $1 + 21600000000000)` // storage.IsDue
	boardsNeedWork   = `(state IN ('due', 'stale') OR (state = 'skipped' AND next_at IS NOT NULL) OR (state = 'posted' AND outdated = 1))`
	isPendingBoard   = `WHERE ` + boardsNeedWork + ` AND ` + isDue
	pendingChallenge = `WHERE shown <> revision AND ` + isDue

	pendingBoards = selectBoards + isPendingBoard + ` ORDER BY next_at NULLS FIRST, id LIMIT $2`

	pendingChallenges = selectChallenges + `
WHERE c.id IN (SELECT id FROM challenges ` + pendingChallenge + ` ORDER BY next_at NULLS FIRST, id LIMIT $2)` + inOrderOfAttempts

	inOrderOfAttempts = `
ORDER BY c.next_at NULLS FIRST, c.id, p.joined, p.place`

	// inPlace selects a channel, or without a channel a guild.
	inPlace = `(channel = $1 OR $1 = '' AND guild = $2 AND guild <> '')`

	postponedBoards     = ` WHERE ` + boardsNeedWork + ` AND next_at > $3 AND state = 'due' AND ` + inPlace
	postponedChallenges = ` WHERE shown <> revision AND next_at > $3 AND message = '' AND ` + inPlace

	anyPostponed = `
SELECT EXISTS (SELECT 1 FROM boards` + postponedBoards + `) OR EXISTS (SELECT 1 FROM challenges` + postponedChallenges + `)`

	retryBoards     = `UPDATE boards SET next_at = NULL` + postponedBoards
	retryChallenges = `UPDATE challenges SET next_at = NULL` + postponedChallenges

	expiredChallenges = `
SELECT id FROM challenges WHERE state = 'open' AND expires_at <= $1 ORDER BY expires_at, id LIMIT $2`

	overdueMatches = `
SELECT id FROM matches WHERE ending = '' AND deadline IS NOT NULL AND deadline <= $1
ORDER BY deadline, id LIMIT $2`

	computerTurns = `
SELECT id FROM matches WHERE thinking_since IS NOT NULL ORDER BY thinking_since, id LIMIT $1`

	hasClocks     = `SELECT EXISTS (SELECT 1 FROM matches WHERE clock <> '' AND ending = '')`
	lastContact   = `SELECT at FROM contact`
	recordContact = `INSERT INTO contact (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at`
	outagesAfter  = `SELECT began, ended FROM outages WHERE ended > $1 ORDER BY ended`
	insertOutage  = `INSERT INTO outages (began, ended) VALUES ($1, $2)`

	countMatches = `SELECT game, ending, n FROM match_counts WHERE n > 0`

	countOthers = `
SELECT (SELECT count(*) FROM challenges WHERE state = 'open'),
       (SELECT count(*) FROM boards ` + isPendingBoard + `),
       (SELECT count(*) FROM challenges ` + pendingChallenge + `),
       (SELECT count(*) FROM matches WHERE thinking_since IS NOT NULL)`
)

func (t *Tx) PendingPosts(now time.Time, limit int) (p storage.PendingPosts, err error) {
	at, limit := timeValue(now), max(limit, 0) // SQLite ignores a negative limit
	if p.Boards, err = all(t, "pending boards", scanPlainBoard, pendingBoards, at, limit); err != nil {
		return storage.PendingPosts{}, err
	}
	if p.Challenges, err = t.challenges("pending challenges", pendingChallenges, at, limit); err != nil {
		return storage.PendingPosts{}, err
	}
	p.Daily, err = all(t, "pending daily messages", scanDaily, pendingDaily, at, limit)
	return p, err
}

func (t *Tx) HasPostponed(place storage.Place, now time.Time) (bool, error) {
	return one(t, "postponed posts of a place", scanValue[bool], anyPostponed, place.Channel, place.Guild, timeValue(now))
}

func (t *Tx) RetryNow(place storage.Place, now time.Time) (int, error) {
	const op = "retry the posts of a place"
	boards, err := t.exec(op, retryBoards, place.Channel, place.Guild, timeValue(now))
	if err != nil {
		return 0, err
	}
	challenges, err := t.exec(op, retryChallenges, place.Channel, place.Guild, timeValue(now))
	if boards+challenges > 0 {
		err = t.signal(storage.PostsDue, place.Guild, err)
	}
	return boards + challenges, err
}

func (t *Tx) Overdue(now time.Time, limit int) (o storage.Overdue, err error) {
	at, limit := timeValue(now), max(limit, 0)
	if o.Challenges, err = all(t, "expired challenges", scanValue[storage.ChallengeID], expiredChallenges, at, limit); err != nil {
		return storage.Overdue{}, err
	}
	o.Matches, err = all(t, "overdue matches", scanValue[storage.MatchID], overdueMatches, at, limit)
	return o, err
}

func (t *Tx) ComputerTurns(limit int) ([]storage.MatchID, error) {
	return all(t, "computer turns", scanValue[storage.MatchID], computerTurns, max(limit, 0))
}

func (t *Tx) Counts(now time.Time) (storage.Counts, error) {
	counts, err := one(t, "counts", func(rows *sql.Rows) (c storage.Counts, err error) {
		err = rows.Scan(&c.OpenChallenges, &c.PendingBoards, &c.PendingChallenges, &c.ComputerTurns)
		return c, err
	}, countOthers, timeValue(now))
	if err != nil {
		return storage.Counts{}, err
	}
	counts.Matches = map[storage.GameEnding]int{}
	_, err = all(t, "count matches", func(rows *sql.Rows) (key storage.GameEnding, err error) {
		var n int
		err = rows.Scan(&key.Game, &key.Ending, &n)
		counts.Matches[key] = n
		return key, err
	}, countMatches)
	return counts, err
}

func (t *Tx) HasClocks() (bool, error) {
	return one(t, "clocks of running matches", scanValue[bool], hasClocks)
}

func (t *Tx) LastContact() (time.Time, error) {
	return orZero(one(t, "last contact", func(rows *sql.Rows) (at time.Time, err error) {
		err = rows.Scan(scanTime{&at})
		return at, err
	}, lastContact))
}

func (t *Tx) RecordContact(at time.Time) error {
	_, err := t.exec("record contact", recordContact, timeValue(at))
	return err
}

func (t *Tx) Outages(after time.Time) ([]storage.Outage, error) {
	return all(t, "outages", func(rows *sql.Rows) (o storage.Outage, err error) {
		err = rows.Scan(scanTime{&o.From}, scanTime{&o.To})
		return o, err
	}, outagesAfter, timeValue(after))
}

func (t *Tx) InsertOutage(o storage.Outage) error {
	_, err := t.exec("insert outage", insertOutage, timeValue(o.From), timeValue(o.To))
	return err
}
