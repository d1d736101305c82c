package sqlstore

import (
	"database/sql"
	"fmt"
	"slices"
	"time"

	"castellan/storage"
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

const (
	ratingColumns = `game, list, person, name, mean, deviation, volatility, matches, match_id, at, established_until`
	selectRatings = `SELECT ` + ratingColumns + ` FROM ratings `
)

func (t *Tx) Rating(game string, list storage.RatingList, person string) (storage.Rating, error) {
	return one(t, "rating of a person in "+game, scanRating,
		selectRatings+`WHERE game = $1 AND list = $2 AND person = $3`, game, list, person)
}

func (t *Tx) SeatRatings(match storage.MatchID, list storage.RatingList) ([]storage.Rating, error) {
	return all(t, fmt.Sprintf("ratings of the people of match %d", match), scanRating, selectRatings+`
WHERE game = (SELECT game FROM matches WHERE id = $1) AND list = $2
  AND person IN (SELECT person FROM seats WHERE match_id = $1)`, match, list)
}

func (t *Tx) Ratings(person string) ([]storage.Rating, error) {
	return all(t, "ratings of a person", scanRating, selectRatings+`WHERE person = $1 ORDER BY at DESC, match_id DESC, game, list`, person)
}

func (t *Tx) AllRatings() ([]storage.Rating, error) {
	return all(t, "all ratings", scanRating, selectRatings+`ORDER BY game, list, person`)
}

const selectChanges = `
SELECT c.match_id, c.seat, c.person, c.name, c.game, c.list, c.place, c.at, c.weight,
       c.mean_before, c.deviation_before, c.volatility_before, c.mean, c.deviation, c.volatility, c.established_until
FROM rating_changes c `

func (t *Tx) RatingHistory(game string, list storage.RatingList, person string, limit int) ([]storage.RatingChange, error) {
	changes, err := all(t, "rating history of a person in "+game, scanChange, selectChanges+`
WHERE c.game = $1 AND c.list = $2 AND c.person = $3
ORDER BY c.end_number DESC, c.match_id DESC, c.seat DESC LIMIT $4`, game, list, person, max(limit, 0))
	slices.Reverse(changes)
	return changes, err
}

func (t *Tx) RatingChanges(match storage.MatchID) ([]storage.RatingChange, error) {
	return all(t, fmt.Sprintf("rating changes of match %d", match), scanChange,
		selectChanges+`WHERE c.match_id = $1 ORDER BY c.seat`, match)
}

func (t *Tx) RatedMeetings(match storage.MatchID, list storage.RatingList, since time.Time) ([]storage.Meetings, error) {
	return all(t, fmt.Sprintf("meetings of the people of match %d", match), func(rows *sql.Rows) (m storage.Meetings, err error) {
		err = rows.Scan(&m.A, &m.B, &m.Count)
		return m, err
	}, `
WITH people AS (SELECT person FROM seats WHERE match_id = $1 AND level = '')
SELECT a.person, b.person, count(DISTINCT a.match_id)
FROM rating_changes a JOIN rating_changes b ON b.match_id = a.match_id AND b.person > a.person
WHERE a.person IN (SELECT person FROM people) AND b.person IN (SELECT person FROM people)
  AND a.game = (SELECT game FROM matches WHERE id = $1) AND a.list = $2 AND a.at > $3 AND b.at > $3
  AND a.end_number < coalesce((SELECT end_number FROM matches WHERE id = $1), 9223372036854775807)
GROUP BY a.person, b.person ORDER BY a.person, b.person`, match, list, timeValue(since))
}

func (t *Tx) RatingBefore(game string, list storage.RatingList, person string, end int) (storage.RatingChange, error) {
	return one(t, "rating of a person before a match", scanChange, selectChanges+`
WHERE c.person = $1 AND c.game = $2 AND c.list = $3 AND c.end_number < $4
ORDER BY c.end_number DESC, c.seat DESC LIMIT 1`, person, game, list, end)
}

func (t *Tx) RatedAfter(game string, list storage.RatingList, person string, end int) ([]storage.RatedMatch, error) {
	return all(t, "rated matches of a person after a match", func(rows *sql.Rows) (m storage.RatedMatch, err error) {
		err = rows.Scan(&m.Match, &m.EndNumber)
		return m, err
	}, `
SELECT DISTINCT match_id, end_number FROM rating_changes
WHERE person = $1 AND game = $2 AND list = $3 AND end_number > $4 ORDER BY end_number`, person, game, list, end)
}

func (t *Tx) ReplaceRatingChanges(match storage.MatchID, changes []storage.RatingChange) error {
	op := fmt.Sprintf("rate match %d again", match)
	before, err := t.RatingChanges(match)
	if err != nil {
		return err
	}
	if _, err := t.exec(op, `DELETE FROM rating_changes WHERE match_id = $1`, match); err != nil {
		return err
	}
	if len(changes) > 0 {
		if err := t.AddRatingChanges(changes); err != nil {
			return err
		}
	}
	for _, c := range slices.Concat(before, changes) {
		if _, err := t.exec(op, `DELETE FROM ratings WHERE game = $1 AND list = $2 AND person = $3`, c.Game, c.List, c.Person.ID); err != nil {
			return err
		}
		if _, err := t.exec(op, `
INSERT INTO ratings (`+ratingColumns+`, provisional)
SELECT game, list, person, name, mean, deviation, volatility,
       (SELECT count(*) FROM rating_changes WHERE person = $3 AND game = $1 AND list = $2),
       match_id, at, established_until, CASE WHEN established_until > at THEN 0 ELSE 1 END
FROM rating_changes WHERE person = $3 AND game = $1 AND list = $2
ORDER BY end_number DESC, match_id DESC, seat DESC LIMIT 1`, c.Game, c.List, c.Person.ID); err != nil {
			return err
		}
	}
	return nil
}

// Leaderboard counts the rows before those of the page. That takes some milliseconds
// with 10,000 ratings, and nothing has to be kept up to date for it.
func (t *Tx) Leaderboard(q storage.LeaderboardQuery) (page storage.LeaderboardPage, err error) {
	l := leaderboard{t, q, "leaderboard of " + q.Game}
	type counts struct{ total, established int }
	n, err := one(t, l.op, func(rows *sql.Rows) (n counts, err error) {
		err = rows.Scan(&n.total, &n.established)
		return n, err
	}, l.query(`SELECT count(*), count(CASE provisional WHEN 0 THEN 1 END)`, "", 0), l.args()...)
	if err != nil {
		return page, err
	}
	limit := max(q.Limit, 0)
	page.Total, page.Offset = n.total, max(q.Offset, 0)
	if page.Offset >= page.Total && limit > 0 {
		page.Offset = max(page.Total-1, 0) / limit * limit
	}
	// The rows before the page are counted in the index, without reading them.
	page.Rows, err = all(t, l.op, scanLeaderboardRow, `
SELECT `+ratingColumns+`, provisional FROM ratings WHERE game = $1 AND list = $2 AND person IN (SELECT person FROM (`+
		l.query(`SELECT person`, ` ORDER BY provisional, mean DESC, person LIMIT $3 OFFSET $4`, 2)+`) AS page)
ORDER BY provisional, mean DESC, person`, l.args(limit, page.Offset)...)
	if err != nil {
		return page, err
	}
	for i := range page.Rows {
		r := &page.Rows[i]
		switch {
		case i == 0:
			if r.Place, err = l.place(*r); err != nil {
				return page, err
			}
		case r.Provisional == page.Rows[i-1].Provisional && r.Mean == page.Rows[i-1].Mean:
			r.Place = page.Rows[i-1].Place
		case r.Provisional:
			r.Place = page.Offset + i + 1 - n.established
		default:
			r.Place = page.Offset + i + 1
		}
	}
	own, err := all(t, l.op, scanLeaderboardRow, l.query(`SELECT `+ratingColumns+`, provisional`,
		` AND person = $3`, 1), l.args(q.Person)...)
	if err == nil && len(own) > 0 {
		page.Own = own[0]
		page.Own.Place, err = l.place(own[0])
	}
	return page, err
}

// leaderboard is a Leaderboard being read.
type leaderboard struct {
	t  *Tx
	q  storage.LeaderboardQuery
	op string
}

const onLeaderboard = ` FROM ratings WHERE game = $1 AND list = $2`

// query returns a query of the leaderboard's rows. The game and the list are $1 and $2,
// then come the arguments of the tail, of which there are more, and then the guild.
func (l leaderboard) query(columns, tail string, more int) string {
	if l.q.Guild == "" {
		return columns + onLeaderboard + tail
	}
	return columns + fmt.Sprintf(onLeaderboard+` AND person IN (SELECT person FROM guild_players WHERE guild = $%d AND game = $1)`,
		3+more) + tail
}

// args returns the arguments of such a query.
func (l leaderboard) args(more ...any) []any {
	args := append([]any{l.q.Game, l.q.List}, more...)
	if l.q.Guild != "" {
		args = append(args, l.q.Guild)
	}
	return args
}

// place returns the place of a row.
func (l leaderboard) place(r storage.LeaderboardRow) (int, error) {
	better, err := one(l.t, l.op, scanValue[int],
		l.query(`SELECT count(*)`, ` AND provisional = $3 AND mean > $4`, 2), l.args(r.Provisional, r.Mean)...)
	return 1 + better, err
}

func scanLeaderboardRow(rows *sql.Rows) (r storage.LeaderboardRow, err error) {
	err = rows.Scan(append(ratingFields(&r.Rating), &r.Provisional)...)
	return r, err
}

// resultsOf selects the results of a person, $1, with the list on which each match
// counts.
const resultsOf = `
SELECT s.match_id, s.seat, s.place, s.result, s.ended,
       CASE WHEN EXISTS (SELECT 1 FROM seats c WHERE c.match_id = s.match_id AND c.level <> '') THEN 'computer' ELSE 'people' END AS list
FROM seats s WHERE s.person = $1 AND s.ended IS NOT NULL AND s.result IS NOT NULL`

func (t *Tx) ResultCounts(person string) ([]storage.ResultCount, error) {
	return all(t, "results of a person", func(rows *sql.Rows) (c storage.ResultCount, err error) {
		err = rows.Scan(&c.Game, &c.List, &c.Won, &c.Shared, &c.Drawn, &c.Lost)
		return c, err
	}, `
SELECT m.game, r.list, count(CASE r.result WHEN 'won' THEN 1 END), count(CASE r.result WHEN 'shared' THEN 1 END),
       count(CASE r.result WHEN 'drawn' THEN 1 END), count(CASE r.result WHEN 'lost' THEN 1 END)
FROM (`+resultsOf+`) AS r JOIN matches m ON m.id = r.match_id
GROUP BY m.game, r.list ORDER BY max(r.ended) DESC`, person)
}

func (t *Tx) Streaks(person string) (storage.Streaks, error) {
	return orZero(one(t, "streaks of a person", func(rows *sql.Rows) (s storage.Streaks, err error) {
		err = rows.Scan(&s.Result, &s.Length, &s.Best)
		return s, err
	}, `
SELECT result, length, max(CASE result WHEN 'won' THEN length ELSE 0 END) OVER ()
FROM (
    SELECT result, count(*) AS length, max(ended) AS last
    FROM (
        SELECT result, ended, row_number() OVER (ORDER BY ended) - row_number() OVER (PARTITION BY result ORDER BY ended) AS streak
        FROM (SELECT CASE result WHEN 'shared' THEN 'won' ELSE result END AS result, ended FROM (`+resultsOf+`) AS own WHERE list = 'people') AS results) AS runs
    GROUP BY result, streak) AS lengths
ORDER BY last DESC LIMIT 1`, person))
}

func (t *Tx) HeadToHead(person, other string) (storage.HeadToHead, error) {
	return one(t, "matches of two people", func(rows *sql.Rows) (h storage.HeadToHead, err error) {
		err = rows.Scan(&h.Ahead, &h.Level, &h.Behind)
		return h, err
	}, `
SELECT count(CASE WHEN a.place < b.place THEN 1 END), count(CASE WHEN a.place = b.place THEN 1 END), count(CASE WHEN a.place > b.place THEN 1 END)
FROM seats a JOIN seats b ON b.match_id = a.match_id AND b.seat <> a.seat
WHERE a.person = $1 AND b.person = $2 AND a.ended IS NOT NULL AND a.result IS NOT NULL AND b.result IS NOT NULL`, person, other)
}

func (t *Tx) RecordResults(match storage.MatchID, results []storage.SeatResult) error {
	op := fmt.Sprintf("record the results of match %d", match)
	seats, err := one(t, op, scanValue[int], `
SELECT CASE WHEN m.ending = '' THEN -1 ELSE (SELECT count(*) FROM seats WHERE match_id = m.id) END FROM matches m WHERE m.id = $1`, match)
	switch {
	case err != nil:
		return err
	case seats < 0:
		return fmt.Errorf("storage: %s: %w", op, storage.ErrConflict)
	case len(results) == 0:
		_, err = t.exec(op, `UPDATE seats SET place = NULL, result = NULL WHERE match_id = $1`, match)
		return err
	case len(results) != seats:
		return t.fail(op, fmt.Errorf("%d results for %d seats; give one for each, or none", len(results), seats))
	}
	var values []any
	for i, r := range results {
		values = append(values, match, i+1, r.Place, r.Result)
	}
	if err := t.insertRows(op,
		`UPDATE seats SET place = v.column3, result = v.column4 FROM (VALUES `, `) AS v WHERE seats.match_id = v.column1 AND seats.seat = v.column2`,
		4, values, "BIGINT", "BIGINT", "BIGINT", "TEXT"); err != nil {
		return err
	}
	_, err = t.exec(op, `
INSERT INTO guild_players (guild, game, person)
SELECT m.guild, m.game, s.person FROM matches m JOIN seats s ON s.match_id = m.id WHERE m.id = $1 AND m.guild <> ''
  AND NOT EXISTS (SELECT 1 FROM departures d WHERE d.guild = m.guild AND d.person = s.person)
ON CONFLICT DO NOTHING`, match)
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
			// NULL if the match already has changes.
			number, err = one(t, op, scanValue[sql.NullInt64], `
SELECT CASE WHEN EXISTS (SELECT 1 FROM rating_changes WHERE match_id = m.id) THEN NULL ELSE coalesce(m.end_number, 0) END
FROM matches m WHERE m.id = $1`, c.Match)
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
	if err := t.insertRows(op, `
INSERT INTO rating_changes (match_id, seat, person, name, game, list, place, at, weight,
    mean_before, deviation_before, volatility_before, mean, deviation, volatility, established_until, end_number)
VALUES `, "", 17, changeValues); err != nil {
		return err
	}
	return t.insertRows(op, `INSERT INTO ratings (`+ratingColumns+`, provisional) VALUES `, `
ON CONFLICT (game, list, person) DO UPDATE SET
    name = excluded.name, mean = excluded.mean, deviation = excluded.deviation, volatility = excluded.volatility,
    matches = ratings.matches + 1, match_id = excluded.match_id, at = excluded.at, established_until = excluded.established_until,
    provisional = excluded.provisional`, 12, ratingValues)
}

func (t *Tx) ExpireRatings(now time.Time) (int, error) {
	return t.exec("expire ratings", `UPDATE ratings SET provisional = 1 WHERE provisional = 0 AND established_until <= $1`, timeValue(now))
}

func (t *Tx) DeleteRatings() error {
	const op = "delete all ratings"
	if _, err := t.exec(op, `DELETE FROM ratings`); err != nil {
		return err
	}
	_, err := t.exec(op, `DELETE FROM rating_changes`)
	return err
}
