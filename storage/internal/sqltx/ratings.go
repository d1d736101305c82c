package sqltx

import (
	"database/sql"
	"fmt"
	"slices"
	"time"

	"castellan/storage"
)

const (
	ratingColumns = `game, list, person, name, mean, deviation, volatility, matches, match_id, at, settled_until`

	selectRatings = `SELECT ` + ratingColumns + ` FROM ratings `

	ratingOf    = selectRatings + `WHERE game = $1 AND list = $2 AND person = $3`
	ratingsOf   = selectRatings + `WHERE person = $1 ORDER BY at DESC, match_id DESC, game, list`
	allRatings  = selectRatings + `ORDER BY game, list, person`
	seatRatings = selectRatings + `
WHERE game = (SELECT game FROM matches WHERE id = $1) AND list = $2
  AND person IN (SELECT person FROM seats WHERE match_id = $1)`

	selectChanges = `
SELECT c.match_id, c.seat, c.person, c.name, c.game, c.list, c.place, c.at, c.weight,
       c.mean_before, c.deviation_before, c.volatility_before, c.mean, c.deviation, c.volatility, c.settled_until
FROM rating_changes c `

	changesOfMatch = selectChanges + `WHERE c.match_id = $1 ORDER BY c.seat`

	ratingHistory = selectChanges + `
WHERE c.game = $1 AND c.list = $2 AND c.person = $3
ORDER BY c.number DESC, c.match_id DESC, c.seat DESC LIMIT $4`

	// ratedMeetings looks only at what was rated after $3 of the people of $1.
	ratedMeetings = `
WITH people AS (SELECT person FROM seats WHERE match_id = $1 AND level = '')
SELECT a.person, b.person, count(DISTINCT a.match_id)
FROM rating_changes a JOIN rating_changes b ON b.match_id = a.match_id AND b.person > a.person
WHERE a.person IN (SELECT person FROM people) AND b.person IN (SELECT person FROM people)
  AND a.game = (SELECT game FROM matches WHERE id = $1) AND a.list = $2 AND a.at > $3 AND b.at > $3
GROUP BY a.person, b.person ORDER BY a.person, b.person`

	insertChanges = `
INSERT INTO rating_changes (match_id, seat, person, name, game, list, place, at, weight,
    mean_before, deviation_before, volatility_before, mean, deviation, volatility, settled_until, number)
VALUES `

	insertRatings = `INSERT INTO ratings (` + ratingColumns + `, provisional) VALUES `
	updateRatings = `
ON CONFLICT (game, list, person) DO UPDATE SET
    name = excluded.name, mean = excluded.mean, deviation = excluded.deviation, volatility = excluded.volatility,
    matches = ratings.matches + 1, match_id = excluded.match_id, at = excluded.at, settled_until = excluded.settled_until,
    provisional = excluded.provisional`

	expireRatings = `UPDATE ratings SET provisional = 1 WHERE provisional = 0 AND settled_until <= $1`

	// endNumber is NULL if the match already has changes.
	endNumber = `
SELECT CASE WHEN EXISTS (SELECT 1 FROM rating_changes WHERE match_id = m.id) THEN NULL ELSE coalesce(m.end_number, 0) END
FROM matches m WHERE m.id = $1`

	deleteRatings = `DELETE FROM ratings`
	deleteChanges = `DELETE FROM rating_changes`

	standingCounts = `
SELECT provisional, bucket, n FROM standing_counts
WHERE game = $1 AND list = $2 AND guild = $3 AND n > 0
ORDER BY provisional, bucket DESC`

	// leaderboard takes the game, list and guild as $1 to $3.
	ofLeaderboard = ` WHERE game = $1 AND list = $2 AND guild = $3 `
	boardColumns  = `r.game, r.list, r.person, r.name, r.mean, r.deviation, r.volatility, r.matches, r.match_id, r.at, r.settled_until, s.provisional, s.bucket`

	leaderboardRows = `
SELECT ` + boardColumns + `
FROM (SELECT * FROM standings` + ofLeaderboard + `AND provisional = $4 AND bucket <= $5
      ORDER BY bucket DESC, mean DESC, person LIMIT $6 OFFSET $7) s
JOIN ratings r ON r.game = s.game AND r.list = s.list AND r.person = s.person
ORDER BY s.bucket DESC, s.mean DESC, s.person`

	ownLeaderboardRow = `
SELECT ` + boardColumns + `
FROM rating_places p
JOIN standings s ON s.game = p.game AND s.list = p.list AND s.guild = p.guild AND s.provisional = p.provisional
    AND s.bucket = p.bucket AND s.mean = p.mean AND s.person = p.person
JOIN ratings r ON r.game = p.game AND r.list = p.list AND r.person = p.person
WHERE p.game = $1 AND p.list = $2 AND p.guild = $3 AND p.person = $4`

	countBetter = `SELECT count(*) FROM standings` + ofLeaderboard + `AND provisional = $4 AND bucket = $5 AND mean > $6`

	resultCounts = `
SELECT game, list, won, shared, drawn, lost FROM result_counts
WHERE person = $1 AND won + shared + drawn + lost > 0 ORDER BY last DESC`

	streaksOf  = `SELECT result, length, best FROM streaks WHERE person = $1`
	headToHead = `SELECT ahead, level, behind FROM meeting_counts WHERE person = $1 AND other = $2`

	// extendStreaks adds the results of a match to the streaks of its people. It
	// must be the last match of each of them.
	extendStreaks = `
INSERT INTO streaks (person, result, length, best, last)
SELECT person, CASE result WHEN 'shared' THEN 'won' ELSE result END, 1, CASE WHEN result IN ('won', 'shared') THEN 1 ELSE 0 END, ended
FROM seats WHERE match_id = $1 AND result IS NOT NULL AND list = 'people'
ON CONFLICT (person) DO UPDATE SET
    length = CASE WHEN streaks.result = excluded.result THEN streaks.length + 1 ELSE 1 END,
    best   = CASE WHEN excluded.result <> 'won' THEN streaks.best
                  WHEN streaks.result = 'won' AND streaks.length >= streaks.best THEN streaks.length + 1
                  WHEN streaks.best = 0 THEN 1
                  ELSE streaks.best END,
    result = excluded.result, last = excluded.last
WHERE excluded.last > streaks.last`

	// latecomers selects the people of a match who have a later result.
	latecomers = `
SELECT s.person FROM seats s JOIN streaks k ON k.person = s.person
WHERE s.match_id = $1 AND s.list = 'people' AND k.last > s.ended`

	peopleOfMatch = `SELECT person FROM seats WHERE match_id = $1 AND list = 'people'`
	deleteStreaks = `DELETE FROM streaks WHERE person = $1`

	// computeStreaks computes the streaks of a person from all their results.
	computeStreaks = `
INSERT INTO streaks (person, result, length, best, last)
SELECT CAST($1 AS TEXT), result, length, max(CASE result WHEN 'won' THEN length ELSE 0 END) OVER (), last
FROM (
    SELECT result, count(*) AS length, max(ended) AS last
    FROM (
        SELECT result, ended, row_number() OVER (ORDER BY ended) - row_number() OVER (PARTITION BY result ORDER BY ended) AS streak
        FROM (
            SELECT CASE result WHEN 'shared' THEN 'won' ELSE result END AS result, ended
            FROM seats WHERE person = $1 AND result IS NOT NULL AND list = 'people') AS results) AS runs
    GROUP BY result, streak) AS lengths
ORDER BY last DESC LIMIT 1`

	// seatsOfEnded counts the seats of a match, and those with a result.
	seatsOfEnded = `
SELECT CASE WHEN m.ending = '' THEN -1 ELSE count(s.seat) END, count(s.result)
FROM matches m LEFT JOIN seats s ON s.match_id = m.id WHERE m.id = $1 GROUP BY m.id`

	deleteResults = `UPDATE seats SET place = NULL, result = NULL WHERE match_id = $1`
	setResults    = `UPDATE seats SET place = v.column3, result = v.column4 FROM (VALUES `
	ofSeats       = `) AS v WHERE seats.match_id = v.column1 AND seats.seat = v.column2`
)

func ratingFields(r *storage.Rating) []any {
	return []any{
		&r.Game, &r.List, &r.Person.ID, &r.Person.Name, &r.Mean, &r.Deviation, &r.Volatility,
		&r.Matches, &r.Match, scanTime{&r.At}, scanTime{&r.EstablishedUntil},
	}
}

func scanRating(rows *sql.Rows) (r storage.Rating, err error) {
	err = rows.Scan(ratingFields(&r)...)
	return r, err
}

func scanChange(rows *sql.Rows) (c storage.RatingChange, err error) {
	err = rows.Scan(&c.Match, &c.Seat, &c.Person.ID, &c.Person.Name, &c.Game, &c.List, &c.Place, scanTime{&c.At}, &c.Weight,
		&c.Before.Mean, &c.Before.Deviation, &c.Before.Volatility,
		&c.After.Mean, &c.After.Deviation, &c.After.Volatility, scanTime{&c.EstablishedUntil})
	return c, err
}

func (t *Tx) Rating(game string, list storage.RatingList, person string) (storage.Rating, error) {
	return one(t, "rating of a person in "+game, scanRating, ratingOf, game, list, person)
}

func (t *Tx) SeatRatings(match storage.MatchID, list storage.RatingList) ([]storage.Rating, error) {
	return all(t, fmt.Sprintf("ratings of the people of match %d", match), scanRating, seatRatings, match, list)
}

func (t *Tx) Ratings(person string) ([]storage.Rating, error) {
	return all(t, "ratings of a person", scanRating, ratingsOf, person)
}

func (t *Tx) AllRatings() ([]storage.Rating, error) {
	return all(t, "all ratings", scanRating, allRatings)
}

func (t *Tx) RatingHistory(game string, list storage.RatingList, person string, limit int) ([]storage.RatingChange, error) {
	changes, err := all(t, "rating history of a person in "+game, scanChange, ratingHistory, game, list, person, max(limit, 0))
	slices.Reverse(changes)
	return changes, err
}

func (t *Tx) RatingChanges(match storage.MatchID) ([]storage.RatingChange, error) {
	return all(t, fmt.Sprintf("rating changes of match %d", match), scanChange, changesOfMatch, match)
}

func (t *Tx) RatedMeetings(match storage.MatchID, list storage.RatingList, since time.Time) ([]storage.Meetings, error) {
	return all(t, fmt.Sprintf("meetings of the people of match %d", match), func(rows *sql.Rows) (m storage.Meetings, err error) {
		err = rows.Scan(&m.A, &m.B, &m.Count)
		return m, err
	}, ratedMeetings, match, list, timeValue(since))
}

// standingCount is the number of ratings in a bucket of a leaderboard, see the
// table standings.
type standingCount struct {
	provisional bool
	bucket, n   int
}

// boardRow is a row of a leaderboard with its bucket.
type boardRow struct {
	storage.LeaderboardRow
	bucket int
}

func scanBoardRow(rows *sql.Rows) (r boardRow, err error) {
	err = rows.Scan(append(ratingFields(&r.Rating), &r.Provisional, &r.bucket)...)
	return r, err
}

// Leaderboard looks at the counts of the buckets, of which there are a few
// hundred, at the rows of the page and at part of a bucket or two.
func (t *Tx) Leaderboard(q storage.LeaderboardQuery) (page storage.LeaderboardPage, err error) {
	op := "leaderboard of " + q.Game
	counts, err := all(t, op, func(rows *sql.Rows) (c standingCount, err error) {
		err = rows.Scan(&c.provisional, &c.bucket, &c.n)
		return c, err
	}, standingCounts, q.Game, q.List, q.Guild)
	if err != nil {
		return page, err
	}
	for _, c := range counts {
		page.Total += c.n
	}
	limit := max(q.Limit, 0)
	if page.Offset = max(q.Offset, 0); page.Offset >= page.Total && limit > 0 {
		page.Offset = max(page.Total-1, 0) / limit * limit
	}
	before := 0 // rows before the established or the provisional ones
	for _, provisional := range []bool{false, true} {
		skip, passed := max(page.Offset-before, 0), 0
		for _, c := range counts {
			if c.provisional != provisional {
				continue
			}
			if skip < passed+c.n && skip >= passed && len(page.Rows) < limit {
				rows, err := all(t, op, scanBoardRow, leaderboardRows,
					q.Game, q.List, q.Guild, provisional, c.bucket, limit-len(page.Rows), skip-passed)
				if err == nil {
					err = t.setPlaces(op, q, counts, rows, skip)
				}
				if err != nil {
					return page, err
				}
				for _, r := range rows {
					page.Rows = append(page.Rows, r.LeaderboardRow)
				}
				skip = -1 // the query goes on to the following buckets
			}
			passed += c.n
		}
		before += passed
	}
	own, err := all(t, op, scanBoardRow, ownLeaderboardRow, q.Game, q.List, q.Guild, q.Person)
	if err != nil || len(own) == 0 {
		return page, err
	}
	err = t.setPlaces(op, q, counts, own, 0)
	page.Own = own[0].LeaderboardRow
	return page, err
}

// setPlaces sets the places of consecutive rows, all of them provisional or
// none, of which the first comes after a number of others.
func (t *Tx) setPlaces(op string, q storage.LeaderboardQuery, counts []standingCount, rows []boardRow, index int) error {
	if len(rows) == 0 {
		return nil
	}
	first := &rows[0]
	n, err := one(t, op, scanValue[int], countBetter, q.Game, q.List, q.Guild, first.Provisional, first.bucket, first.Mean)
	if err != nil {
		return err
	}
	first.Place = 1 + n
	for _, c := range counts {
		if c.provisional == first.Provisional && c.bucket > first.bucket {
			first.Place += c.n
		}
	}
	for i := 1; i < len(rows); i++ {
		rows[i].Place = index + i + 1
		if rows[i].Mean == rows[i-1].Mean {
			rows[i].Place = rows[i-1].Place
		}
	}
	return nil
}

func (t *Tx) ResultCounts(person string) ([]storage.ResultCount, error) {
	return all(t, "results of a person", func(rows *sql.Rows) (c storage.ResultCount, err error) {
		err = rows.Scan(&c.Game, &c.List, &c.Won, &c.Shared, &c.Drawn, &c.Lost)
		return c, err
	}, resultCounts, person)
}

func (t *Tx) Streaks(person string) (storage.Streaks, error) {
	return orZero(one(t, "streaks of a person", func(rows *sql.Rows) (s storage.Streaks, err error) {
		err = rows.Scan(&s.Result, &s.Length, &s.Best)
		return s, err
	}, streaksOf, person))
}

func (t *Tx) HeadToHead(person, other string) (storage.HeadToHead, error) {
	return orZero(one(t, "matches of two people", func(rows *sql.Rows) (h storage.HeadToHead, err error) {
		err = rows.Scan(&h.Ahead, &h.Level, &h.Behind)
		return h, err
	}, headToHead, person, other))
}

func (t *Tx) RecordResults(match storage.MatchID, results []storage.SeatResult) error {
	op := fmt.Sprintf("record the results of match %d", match)
	type counts struct{ seats, results int }
	has, err := one(t, op, func(rows *sql.Rows) (c counts, err error) {
		err = rows.Scan(&c.seats, &c.results)
		return c, err
	}, seatsOfEnded, match)
	switch {
	case err != nil:
		return err
	case has.seats < 0:
		return fmt.Errorf("storage: %s: %w", op, storage.ErrConflict)
	case len(results) == 0:
		_, err = t.exec(op, deleteResults, match)
	case len(results) != has.seats:
		err = t.fail(op, fmt.Errorf("%d results for %d seats; give one for each, or none", len(results), has.seats))
	default:
		var values []any
		for i, r := range results {
			values = append(values, match, i+1, r.Place, r.Result)
		}
		err = t.insertRows(op, setResults, ofSeats, 4, values, "BIGINT", "BIGINT", "BIGINT", "TEXT")
	}
	if err != nil {
		return err
	}
	return t.updateStreaks(op, match, has.results > 0)
}

// updateStreaks extends the streaks of the people of a match whose results were
// recorded. If it had results before, or is not the last match of somebody, their
// streaks are computed again from all results.
func (t *Tx) updateStreaks(op string, match storage.MatchID, again bool) error {
	query := peopleOfMatch
	if !again {
		if _, err := t.exec(op, extendStreaks, match); err != nil {
			return err
		}
		query = latecomers
	}
	people, err := all(t, op, scanValue[string], query, match)
	for _, p := range people {
		for _, statement := range []string{deleteStreaks, computeStreaks} {
			if _, err := t.exec(op, statement, p); err != nil {
				return err
			}
		}
	}
	return err
}

func (t *Tx) AddRatingChanges(changes []storage.RatingChange) error {
	const op = "add rating changes"
	var changeValues, ratingValues []any
	numbers := map[storage.MatchID]sql.NullInt64{}
	for _, c := range changes {
		number, checked := numbers[c.Match]
		if !checked {
			op := fmt.Sprintf("rate match %d", c.Match)
			var err error
			number, err = one(t, op, scanValue[sql.NullInt64], endNumber, c.Match)
			if err == nil && !number.Valid {
				err = fmt.Errorf("storage: %s: %w", op, storage.ErrConflict)
			}
			if err != nil {
				return err
			}
			numbers[c.Match] = number
		}
		at, until := timeValue(c.At), nullTime(c.EstablishedUntil)
		changeValues = append(changeValues, c.Match, c.Seat, c.Person.ID, c.Person.Name, c.Game, c.List, c.Place, at, c.Weight,
			c.Before.Mean, c.Before.Deviation, c.Before.Volatility, c.After.Mean, c.After.Deviation, c.After.Volatility, until, number)
		ratingValues = append(ratingValues, c.Game, c.List, c.Person.ID, c.Person.Name,
			c.After.Mean, c.After.Deviation, c.After.Volatility, 1, c.Match, at, until,
			!c.EstablishedUntil.After(c.At))
	}
	if err := t.insertRows(op, insertChanges, "", 17, changeValues); err != nil {
		return err
	}
	return t.insertRows(op, insertRatings, updateRatings, 12, ratingValues)
}

func (t *Tx) ExpireRatings(now time.Time) (int, error) {
	return t.exec("expire ratings", expireRatings, timeValue(now))
}

func (t *Tx) DeleteRatings() error {
	const op = "delete all ratings"
	if _, err := t.exec(op, deleteRatings); err != nil {
		return err
	}
	_, err := t.exec(op, deleteChanges)
	return err
}
