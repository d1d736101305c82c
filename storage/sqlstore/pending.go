package sqlstore

import (
	"database/sql"
	"time"

	"castellan/storage"
)

const (
	// The first condition is that of the index boards_pending.
	isDue            = `(next_attempt IS NULL OR next_attempt <= $1 OR attempts = 0 OR next_attempt > $1 + 21600000000000)` // storage.IsDue
	boardsNeedWork   = `(state IN ('due', 'superseded') OR (state = 'skipped' AND next_attempt IS NOT NULL) OR (state = 'posted' AND needs_redraw = 1))`
	isPendingBoard   = `WHERE ` + boardsNeedWork + ` AND ` + isDue
	pendingChallenge = `WHERE shown_revision <> revision AND ` + isDue

	inOrderOfAttempts = `
ORDER BY c.next_attempt NULLS FIRST, c.id, p.joined, p.place`
)

func (t *Tx) PendingPosts(now time.Time, limit int) (p storage.PendingPosts, err error) {
	at, limit := timeValue(now), max(limit, 0) // SQLite ignores a negative limit
	if p.Boards, err = all(t, "pending boards", scanPlainBoard, selectBoards+isPendingBoard+` ORDER BY next_attempt NULLS FIRST, id LIMIT $2`,
		at, limit); err != nil {
		return storage.PendingPosts{}, err
	}
	if p.Challenges, err = t.challenges("pending challenges", selectChallenges+`
WHERE c.id IN (SELECT id FROM challenges `+pendingChallenge+` ORDER BY next_attempt NULLS FIRST, id LIMIT $2)`+inOrderOfAttempts, at, limit); err != nil {
		return storage.PendingPosts{}, err
	}
	p.Daily, err = all(t, "pending daily messages", scanDaily, pendingDaily, at, limit)
	return p, err
}

const (
	// inPlace selects a channel, or without a channel a guild.
	inPlace             = `(channel = $1 OR $1 = '' AND guild = $2 AND guild <> '')`
	postponedBoards     = ` WHERE ` + boardsNeedWork + ` AND next_attempt > $3 AND state = 'due' AND ` + inPlace
	postponedChallenges = ` WHERE shown_revision <> revision AND next_attempt > $3 AND message = '' AND ` + inPlace
)

func (t *Tx) HasPostponed(place storage.Place, now time.Time) (bool, error) {
	return one(t, "postponed posts of a place", scanValue[bool], `
SELECT EXISTS (SELECT 1 FROM boards`+postponedBoards+`) OR EXISTS (SELECT 1 FROM challenges`+postponedChallenges+`)`,
		place.Channel, place.Guild, timeValue(now))
}

func (t *Tx) RetryNow(place storage.Place, now time.Time) (int, error) {
	const op = "retry the posts of a place"
	boards, err := t.exec(op, `UPDATE boards SET next_attempt = NULL`+postponedBoards, place.Channel, place.Guild, timeValue(now))
	if err != nil {
		return 0, err
	}
	challenges, err := t.exec(op,
		`UPDATE challenges SET next_attempt = NULL`+postponedChallenges, place.Channel, place.Guild, timeValue(now))
	if boards+challenges > 0 {
		err = t.signal(storage.PostsDue, place.Guild, err)
	}
	return boards + challenges, err
}

func (t *Tx) Overdue(now time.Time, limit int) (o storage.Overdue, err error) {
	at, limit := timeValue(now), max(limit, 0)
	if o.Challenges, err = all(t, "expired challenges", scanValue[storage.ChallengeID], `
SELECT id FROM challenges WHERE state = 'open' AND expires_at <= $1 ORDER BY expires_at, id LIMIT $2`, at, limit); err != nil {
		return storage.Overdue{}, err
	}
	o.Matches, err = all(t, "overdue matches", scanValue[storage.MatchID], `
SELECT id FROM matches WHERE ending = '' AND check_at IS NOT NULL AND check_at <= $1
ORDER BY check_at, id LIMIT $2`, at, limit)
	if err != nil {
		return storage.Overdue{}, err
	}
	o.Next, err = one(t, "next match to check", func(rows *sql.Rows) (next time.Time, err error) {
		err = rows.Scan(scanTime{&next})
		return next, err
	}, `SELECT min(check_at) FROM matches WHERE ending = '' AND check_at IS NOT NULL AND check_at > $1`, at)
	return o, err
}

func (t *Tx) ComputerTurns(limit int) ([]storage.MatchID, error) {
	return all(t, "computer turns", scanValue[storage.MatchID], `
SELECT id FROM matches WHERE computer_turn_since IS NOT NULL ORDER BY computer_turn_since, id LIMIT $1`, max(limit, 0))
}

func (t *Tx) Counts(now time.Time) (storage.Counts, error) {
	counts, err := one(t, "counts", func(rows *sql.Rows) (c storage.Counts, err error) {
		err = rows.Scan(&c.OpenChallenges, &c.PendingBoards, &c.PendingChallenges, &c.ComputerTurns)
		return c, err
	}, `
SELECT (SELECT count(*) FROM challenges WHERE state = 'open'),
       (SELECT count(*) FROM boards `+isPendingBoard+`),
       (SELECT count(*) FROM challenges `+pendingChallenge+`),
       (SELECT count(*) FROM matches WHERE computer_turn_since IS NOT NULL)`, timeValue(now))
	if err != nil {
		return storage.Counts{}, err
	}
	counts.Matches = map[storage.GameEnding]int{}
	_, err = all(t, "count matches", func(rows *sql.Rows) (key storage.GameEnding, err error) {
		var n int
		err = rows.Scan(&key.Game, &key.Ending, &n)
		counts.Matches[key] = n
		return key, err
	}, `SELECT game, ending, count(*) FROM matches GROUP BY game, ending`)
	return counts, err
}

func (t *Tx) HasClocks() (bool, error) {
	return one(t, "clocks of running matches", scanValue[bool], `SELECT EXISTS (SELECT 1 FROM matches WHERE clock <> '' AND ending = '')`)
}

func (t *Tx) LastContact() (time.Time, error) {
	return orZero(one(t, "last contact", func(rows *sql.Rows) (at time.Time, err error) {
		err = rows.Scan(scanTime{&at})
		return at, err
	}, `SELECT at FROM contact`))
}

func (t *Tx) RecordContact(at time.Time) error {
	_, err := t.exec("record contact",
		`INSERT INTO contact (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at`, timeValue(at))
	return err
}

func (t *Tx) Outages(after time.Time) ([]storage.Outage, error) {
	return all(t, "outages", func(rows *sql.Rows) (o storage.Outage, err error) {
		err = rows.Scan(scanTime{&o.From}, scanTime{&o.To})
		return o, err
	}, `SELECT began, ended FROM outages WHERE ended > $1 ORDER BY ended`, timeValue(after))
}

func (t *Tx) InsertOutage(o storage.Outage) error {
	_, err := t.exec("insert outage", `INSERT INTO outages (began, ended) VALUES ($1, $2)`, timeValue(o.From), timeValue(o.To))
	return err
}
