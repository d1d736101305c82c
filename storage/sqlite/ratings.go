package sqlite

import (
	"database/sql"
	"fmt"

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
SELECT c.match_id, c.seat, c.person, c.name, c.game, c.list, c.place, c.at,
       c.mean_before, c.deviation_before, c.volatility_before, c.mean, c.deviation, c.volatility, c.settled_until
FROM rating_changes c `

	changesOfMatch = selectChanges + `WHERE c.match_id = $1 ORDER BY c.seat`

	ratingHistory = selectChanges + `
JOIN matches m ON m.id = c.match_id
WHERE c.game = $1 AND c.list = $2 AND c.person = $3
ORDER BY m.end_number`

	insertChanges = `
INSERT INTO rating_changes (match_id, seat, person, name, game, list, place, at,
    mean_before, deviation_before, volatility_before, mean, deviation, volatility, settled_until)
VALUES `

	insertRatings = `INSERT INTO ratings (` + ratingColumns + `) VALUES `
	updateRatings = `
ON CONFLICT (game, list, person) DO UPDATE SET
    name = excluded.name, mean = excluded.mean, deviation = excluded.deviation, volatility = excluded.volatility,
    matches = ratings.matches + 1, match_id = excluded.match_id, at = excluded.at, settled_until = excluded.settled_until`

	hasChanges = `SELECT EXISTS (SELECT 1 FROM rating_changes WHERE match_id = m.id) FROM matches m WHERE m.id = $1`

	deleteRatings = `DELETE FROM ratings`
	deleteChanges = `DELETE FROM rating_changes`

	// leaderboard takes the game as $1, now as $2, the guild or '' as $3 and the
	// list as $4.
	leaderboard = `
WITH rated AS (
    SELECT ` + ratingColumns + `, settled_until IS NULL OR settled_until <= $2 AS provisional
    FROM ratings
    WHERE game = $1 AND list = $4 AND ($3 = '' OR person IN (
        SELECT s.person FROM matches m JOIN seats s ON s.match_id = m.id
        WHERE m.guild = $3 AND m.game = $1 AND m.end_number IS NOT NULL AND s.result IS NOT NULL))
), board AS (
    SELECT ` + ratingColumns + `, provisional,
           row_number() OVER (ORDER BY provisional, mean DESC, person) AS number,
           rank() OVER (PARTITION BY provisional ORDER BY mean DESC) AS place,
           count(*) OVER () AS total
    FROM rated
)
SELECT ` + ratingColumns + `, provisional, number, place, total FROM board `

	leaderboardPage  = leaderboard + `ORDER BY number LIMIT $5 OFFSET $6`
	leaderboardOf    = leaderboard + `WHERE person = $5`
	leaderboardFirst = leaderboard + `LIMIT 1`

	resultsOfPerson = `
SELECT m.id, m.game, CASE WHEN EXISTS (SELECT 1 FROM seats c WHERE c.match_id = m.id AND c.level <> '') THEN 'computer' ELSE 'people' END,
       m.ended_at, s.place, s.result
FROM seats s JOIN matches m ON m.id = s.match_id
WHERE s.person = $1 AND s.result IS NOT NULL
ORDER BY m.end_number`

	encounters = `
SELECT m.id, m.game, m.ended_at, a.place, b.place
FROM seats a JOIN seats b ON b.match_id = a.match_id JOIN matches m ON m.id = a.match_id
WHERE a.person = $1 AND b.person = $2 AND a.seat <> b.seat AND a.result IS NOT NULL AND b.result IS NOT NULL
ORDER BY m.end_number, a.seat, b.seat`

	seatsOfEnded = `
SELECT CASE WHEN m.ending = '' THEN -1 ELSE (SELECT count(*) FROM seats WHERE match_id = m.id) END
FROM matches m WHERE m.id = $1`

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
	err = rows.Scan(&c.Match, &c.Seat, &c.Person.ID, &c.Person.Name, &c.Game, &c.List, &c.Place, scanTime{&c.At},
		&c.Before.Mean, &c.Before.Deviation, &c.Before.Volatility,
		&c.After.Mean, &c.After.Deviation, &c.After.Volatility, scanTime{&c.EstablishedUntil})
	return c, err
}

func (t *tx) Rating(game string, list storage.RatingList, person string) (storage.Rating, error) {
	return one(t, "rating of "+person+" in "+game, scanRating, ratingOf, game, list, person)
}

func (t *tx) SeatRatings(match storage.MatchID, list storage.RatingList) ([]storage.Rating, error) {
	return all(t, fmt.Sprintf("ratings of the people of match %d", match), scanRating, seatRatings, match, list)
}

func (t *tx) Ratings(person string) ([]storage.Rating, error) {
	return all(t, "ratings of "+person, scanRating, ratingsOf, person)
}

func (t *tx) AllRatings() ([]storage.Rating, error) {
	return all(t, "all ratings", scanRating, allRatings)
}

func (t *tx) RatingHistory(game string, list storage.RatingList, person string) ([]storage.RatingChange, error) {
	return all(t, "rating history of "+person+" in "+game, scanChange, ratingHistory, game, list, person)
}

func (t *tx) RatingChanges(match storage.MatchID) ([]storage.RatingChange, error) {
	return all(t, fmt.Sprintf("rating changes of match %d", match), scanChange, changesOfMatch, match)
}

// leaderboardRow is a row of a leaderboard with the number of rows.
type leaderboardRow struct {
	storage.LeaderboardRow
	total int
}

func scanLeaderboardRow(rows *sql.Rows) (r leaderboardRow, err error) {
	err = rows.Scan(append(ratingFields(&r.Rating), &r.Provisional, &r.Row, &r.Place, &r.total)...)
	return r, err
}

func (t *tx) leaderboard(op string, q storage.LeaderboardQuery, query string, more ...any) ([]leaderboardRow, error) {
	return all(t, op, scanLeaderboardRow, query, append([]any{q.Game, timeValue(q.Now), q.Guild, q.List}, more...)...)
}

func (t *tx) Leaderboard(q storage.LeaderboardQuery, offset, limit int) (page []storage.LeaderboardRow, total int, err error) {
	op := "leaderboard of " + q.Game
	rows, err := t.leaderboard(op, q, leaderboardPage, max(limit, 0), max(offset, 0))
	for _, r := range rows {
		page, total = append(page, r.LeaderboardRow), r.total
	}
	if err == nil && len(rows) == 0 { // an empty page does not tell the total
		rows, err = t.leaderboard(op, q, leaderboardFirst)
		if len(rows) > 0 {
			total = rows[0].total
		}
	}
	return page, total, err
}

func (t *tx) LeaderboardRow(q storage.LeaderboardQuery, person string) (storage.LeaderboardRow, error) {
	op := "row of " + person + " in the leaderboard of " + q.Game
	rows, err := t.leaderboard(op, q, leaderboardOf, person)
	row, err := first(op, rows, err)
	return row.LeaderboardRow, err
}

func (t *tx) Results(person string) ([]storage.MatchResult, error) {
	return all(t, "results of "+person, func(rows *sql.Rows) (r storage.MatchResult, err error) {
		err = rows.Scan(&r.Match, &r.Game, &r.List, scanTime{&r.At}, &r.Place, &r.Result)
		return r, err
	}, resultsOfPerson, person)
}

func (t *tx) Encounters(person, other string) ([]storage.Encounter, error) {
	return all(t, "encounters of "+person+" and "+other, func(rows *sql.Rows) (e storage.Encounter, err error) {
		err = rows.Scan(&e.Match, &e.Game, scanTime{&e.At}, &e.Place, &e.OpponentPlace)
		return e, err
	}, encounters, person, other)
}

func (t *tx) RecordResults(match storage.MatchID, results []storage.SeatResult) error {
	op := fmt.Sprintf("record the results of match %d", match)
	seats, err := one(t, op, scanValue[int], seatsOfEnded, match)
	switch {
	case err != nil:
		return err
	case seats < 0:
		return fmt.Errorf("sqlite: %s: %w", op, storage.ErrConflict)
	case len(results) == 0:
		_, err = t.exec(op, deleteResults, match)
		return err
	case len(results) != seats:
		return t.fail(op, fmt.Errorf("%d results for %d seats; give one for each, or none", len(results), seats))
	}
	var values []any
	for i, r := range results {
		values = append(values, match, i+1, r.Place, r.Result)
	}
	return t.insertRows(op, setResults, ofSeats, 4, values)
}

func (t *tx) AddRatingChanges(changes []storage.RatingChange) error {
	const op = "add rating changes"
	var changeValues, ratingValues []any
	checked := map[storage.MatchID]bool{}
	for _, c := range changes {
		if !checked[c.Match] {
			checked[c.Match] = true
			op := fmt.Sprintf("rate match %d", c.Match)
			rated, err := one(t, op, scanValue[bool], hasChanges, c.Match)
			if err == nil && rated {
				err = fmt.Errorf("sqlite: %s: %w", op, storage.ErrConflict)
			}
			if err != nil {
				return err
			}
		}
		at, until := timeValue(c.At), nullTime(c.EstablishedUntil)
		changeValues = append(changeValues, c.Match, c.Seat, c.Person.ID, c.Person.Name, c.Game, c.List, c.Place, at,
			c.Before.Mean, c.Before.Deviation, c.Before.Volatility, c.After.Mean, c.After.Deviation, c.After.Volatility, until)
		ratingValues = append(ratingValues, c.Game, c.List, c.Person.ID, c.Person.Name,
			c.After.Mean, c.After.Deviation, c.After.Volatility, 1, c.Match, at, until)
	}
	if err := t.insertRows(op, insertChanges, "", 15, changeValues); err != nil {
		return err
	}
	return t.insertRows(op, insertRatings, updateRatings, 11, ratingValues)
}

func (t *tx) DeleteRatings() error {
	const op = "delete all ratings"
	if _, err := t.exec(op, deleteRatings); err != nil {
		return err
	}
	_, err := t.exec(op, deleteChanges)
	return err
}
