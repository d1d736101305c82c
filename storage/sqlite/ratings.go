package sqlite

import (
	"database/sql"
	"fmt"

	"castellan/storage"
)

const (
	ratingColumns = `game, list, person, name, mean, deviation, volatility, matches, match_id, at, settled_until`

	selectRatings = `SELECT ` + ratingColumns + ` FROM ratings `

	ratingOf   = selectRatings + `WHERE game = $1 AND list = $2 AND person = $3`
	ratingsOf  = selectRatings + `WHERE person = $1 ORDER BY at DESC, match_id DESC, game, list`
	allRatings = selectRatings + `ORDER BY game, list, person`

	selectChanges = `
SELECT c.match_id, c.seat, c.person, c.name, c.game, c.list, c.place, c.at,
       c.mean_before, c.deviation_before, c.volatility_before, c.mean, c.deviation, c.volatility, c.settled_until
FROM rating_changes c `

	changesOfMatch = selectChanges + `WHERE c.match_id = $1 ORDER BY c.seat`

	history = selectChanges + `
JOIN matches m ON m.id = c.match_id
WHERE c.game = $1 AND c.list = $2 AND c.person = $3
ORDER BY m.end_number`

	insertChange = `
INSERT INTO rating_changes (match_id, seat, person, name, game, list, place, at,
    mean_before, deviation_before, volatility_before, mean, deviation, volatility, settled_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

	setRating = `
INSERT INTO ratings (` + ratingColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $10)
ON CONFLICT (game, list, person) DO UPDATE SET
    name = excluded.name, mean = excluded.mean, deviation = excluded.deviation, volatility = excluded.volatility,
    matches = ratings.matches + 1, match_id = excluded.match_id, at = excluded.at, settled_until = excluded.settled_until`

	hasChanges = `SELECT EXISTS (SELECT 1 FROM rating_changes WHERE match_id = $1)`

	forgetRatings = `DELETE FROM ratings`
	forgetChanges = `DELETE FROM rating_changes`

	// leaderboard is the rows of a leaderboard: $1 is the game, $2 now, $3 the
	// server or '', $4 the list.
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

	leaders  = leaderboard + `ORDER BY number LIMIT $5 OFFSET $6`
	leaderOf = leaderboard + `WHERE person = $5`
	leaderNo = leaderboard + `LIMIT 1`
)

// into is where the columns of ratingColumns go.
func into(r *storage.Rating) []any {
	return []any{
		&r.Game, &r.List, &r.Person.ID, &r.Person.Name, &r.Mean, &r.Deviation, &r.Volatility,
		&r.Matches, &r.Match, clock{&r.At}, clock{&r.EstablishedUntil},
	}
}

func scanRating(rows *sql.Rows) (r storage.Rating, err error) {
	err = rows.Scan(into(&r)...)
	return r, err
}

func scanChange(rows *sql.Rows) (storage.RatingChange, error) {
	var c storage.RatingChange
	err := rows.Scan(&c.Match, &c.Seat, &c.Person.ID, &c.Person.Name, &c.Game, &c.List, &c.Place, clock{&c.At},
		&c.Before.Mean, &c.Before.Deviation, &c.Before.Volatility,
		&c.After.Mean, &c.After.Deviation, &c.After.Volatility, clock{&c.EstablishedUntil})
	return c, err
}

// Rating implements storage.RatingReader.
func (t *tx) Rating(game string, list storage.RatingList, person string) (storage.Rating, error) {
	return one(t, "rating of "+person+" in "+game, scanRating, ratingOf, game, list, person)
}

// Ratings implements storage.RatingReader.
func (t *tx) Ratings(person string) ([]storage.Rating, error) {
	return collect(t, "ratings of "+person, scanRating, ratingsOf, person)
}

// AllRatings implements storage.RatingReader.
func (t *tx) AllRatings() ([]storage.Rating, error) {
	return collect(t, "all ratings", scanRating, allRatings)
}

// RatingHistory implements storage.RatingReader.
func (t *tx) RatingHistory(game string, list storage.RatingList, person string) ([]storage.RatingChange, error) {
	return collect(t, "history of the rating of "+person+" in "+game, scanChange, history, game, list, person)
}

// RatingChanges implements storage.RatingReader.
func (t *tx) RatingChanges(match storage.MatchID) ([]storage.RatingChange, error) {
	return collect(t, fmt.Sprintf("rating changes of match %d", match), scanChange, changesOfMatch, match)
}

// ranked is a row of a leaderboard with the number of rows.
type ranked struct {
	leader storage.LeaderboardRow
	total  int
}

func scanLeader(rows *sql.Rows) (ranked, error) {
	var r ranked
	l := &r.leader
	err := rows.Scan(append(into(&l.Rating), &l.Provisional, &l.Row, &l.Place, &r.total)...)
	return r, err
}

// Leaders implements storage.RatingReader.
func (t *tx) Leaderboard(b storage.LeaderboardQuery, offset, limit int) (part []storage.LeaderboardRow, total int, err error) {
	doing := "leaderboard of " + b.Game
	now, err := moment(b.Now)
	if err != nil {
		return nil, 0, fmt.Errorf("sqlite: %s: %w", doing, err)
	}
	rows, err := collect(t, doing, scanLeader, leaders, b.Game, now, b.Guild, b.List, max(limit, 0), max(offset, 0))
	if err == nil && len(rows) == 0 { // beyond the end: only how many there are is wanted
		var some []ranked
		if some, err = collect(t, doing, scanLeader, leaderNo, b.Game, now, b.Guild, b.List); len(some) > 0 {
			total = some[0].total
		}
	}
	for _, r := range rows {
		part, total = append(part, r.leader), r.total
	}
	return part, total, err
}

// Leader implements storage.RatingReader.
func (t *tx) LeaderboardRow(b storage.LeaderboardQuery, person string) (storage.LeaderboardRow, error) {
	doing := "row of " + person + " in the leaderboard of " + b.Game
	now, err := moment(b.Now)
	if err != nil {
		return storage.LeaderboardRow{}, fmt.Errorf("sqlite: %s: %w", doing, err)
	}
	r, err := one(t, doing, scanLeader, leaderOf, b.Game, now, b.Guild, b.List, person)
	return r.leader, err
}

// AddRatingChanges implements storage.RatingTx.
func (t *tx) AddRatingChanges(changes []storage.RatingChange) error {
	seen := map[storage.MatchID]bool{}
	for _, c := range changes {
		if seen[c.Match] {
			continue
		}
		seen[c.Match] = true
		doing := fmt.Sprintf("rate match %d", c.Match)
		if _, err := t.Match(c.Match); err != nil {
			return err
		}
		switch yes, err := t.exists(doing, hasChanges, c.Match); {
		case err != nil:
			return err
		case yes:
			return fmt.Errorf("sqlite: %s: %w", doing, storage.ErrConflict)
		}
	}
	for _, c := range changes {
		if err := t.addChange(c); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) addChange(c storage.RatingChange) error {
	doing := fmt.Sprintf("rate seat %d of match %d", c.Seat, c.Match)
	at, err := moment(c.At)
	if err != nil {
		return t.fail(doing, err)
	}
	settled, err := maybe(c.EstablishedUntil)
	if err != nil {
		return t.fail(doing, err)
	}
	if _, err := t.exec(doing, insertChange, c.Match, c.Seat, c.Person.ID, c.Person.Name, c.Game, c.List, c.Place, at,
		c.Before.Mean, c.Before.Deviation, c.Before.Volatility, c.After.Mean, c.After.Deviation, c.After.Volatility, settled); err != nil {
		return err
	}
	_, err = t.exec(doing, setRating, c.Game, c.List, c.Person.ID, c.Person.Name,
		c.After.Mean, c.After.Deviation, c.After.Volatility, c.Match, at, settled)
	return err
}

// ForgetRatings implements storage.RatingTx.
func (t *tx) DeleteRatings() error {
	const doing = "forget all ratings"
	if _, err := t.exec(doing, forgetRatings); err != nil {
		return err
	}
	_, err := t.exec(doing, forgetChanges)
	return err
}
