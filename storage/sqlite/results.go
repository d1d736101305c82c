package sqlite

import (
	"database/sql"
	"fmt"

	"castellan/storage"
)

const (
	// The matches are chosen first: of their seats all are wanted.
	matchesEnded = selectMatches + `
WHERE m.id IN (SELECT id FROM matches WHERE end_number > $1 ORDER BY end_number LIMIT $2)
ORDER BY m.end_number, s.seat`

	finished = `
FROM matches f
WHERE f.end_number IS NOT NULL AND f.id IN (SELECT match_id FROM seats WHERE person = $1)
  AND ($2 = '' OR f.guild = $3 AND $3 <> '' OR f.id IN (SELECT match_id FROM seats WHERE person = $2)) `

	matchesFinished = selectMatches + `
WHERE m.id IN (SELECT f.id ` + finished + `ORDER BY f.end_number DESC LIMIT $4 OFFSET $5)
ORDER BY m.end_number DESC, s.seat`

	countFinished = `SELECT count(*) ` + finished

	scoresOfPerson = `
SELECT m.id, m.game, iif(EXISTS (SELECT 1 FROM seats c WHERE c.match_id = m.id AND c.level <> ''), 'computer', 'people'),
       m.ended_at, s.place, s.result
FROM seats s JOIN matches m ON m.id = s.match_id
WHERE s.person = $1 AND s.result IS NOT NULL
ORDER BY m.end_number`

	encounters = `
SELECT m.id, m.game, m.ended_at, a.place, b.place
FROM seats a JOIN seats b ON b.match_id = a.match_id JOIN matches m ON m.id = a.match_id
WHERE a.person = $1 AND b.person = $2 AND a.seat <> b.seat AND a.result IS NOT NULL AND b.result IS NOT NULL
ORDER BY m.end_number, a.seat, b.seat`

	hasEnded = `SELECT EXISTS (SELECT 1 FROM matches WHERE id = $1 AND ending <> '')`

	seatResult = `UPDATE seats SET place = $3, result = $4 WHERE match_id = $1 AND seat = $2`

	forgetResults = `UPDATE seats SET place = NULL, result = NULL WHERE match_id = $1`
)

// Ended implements storage.RatingReader.
func (t *tx) EndedAfter(after, limit int) ([]storage.Match, error) {
	return t.matches("ended matches", matchesEnded, after, max(limit, 0))
}

// Finished implements storage.RatingReader.
func (t *tx) EndedMatches(q storage.EndedQuery) (part []storage.Match, total int, err error) {
	const doing = "finished matches of a person"
	if err := t.row(countFinished, q.Person, q.Viewer, q.Guild).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("sqlite: %s: %w", doing, err)
	}
	part, err = t.matches(doing, matchesFinished, q.Person, q.Viewer, q.Guild, max(q.Limit, 0), max(q.Offset, 0))
	return part, total, err
}

// Scores implements storage.RatingReader.
func (t *tx) Results(person string) ([]storage.MatchResult, error) {
	return collect(t, "results of "+person, func(rows *sql.Rows) (storage.MatchResult, error) {
		var s storage.MatchResult
		err := rows.Scan(&s.Match, &s.Game, &s.List, clock{&s.At}, &s.Place, &s.Result)
		return s, err
	}, scoresOfPerson, person)
}

// Encounters implements storage.RatingReader.
func (t *tx) Encounters(person, other string) ([]storage.Encounter, error) {
	return collect(t, "encounters of "+person+" and "+other, func(rows *sql.Rows) (storage.Encounter, error) {
		var e storage.Encounter
		err := rows.Scan(&e.Match, &e.Game, clock{&e.At}, &e.Place, &e.OpponentPlace)
		return e, err
	}, encounters, person, other)
}

// RecordResults implements storage.RatingTx.
func (t *tx) RecordResults(match storage.MatchID, results []storage.SeatResult) error {
	doing := fmt.Sprintf("record the results of match %d", match)
	ended, err := t.exists(doing, hasEnded, match)
	if err != nil {
		return err
	}
	if !ended {
		return t.conflict(doing, matchExists, int64(match))
	}
	seats, err := t.exec(doing, forgetResults, match)
	if err != nil {
		return err
	}
	if len(results) != 0 && len(results) != seats {
		return t.fail(doing, fmt.Errorf("%d results for %d seats; give one for each, or none", len(results), seats))
	}
	for i, r := range results {
		if _, err := t.exec(doing, seatResult, match, i+1, r.Place, r.Result); err != nil {
			return err
		}
	}
	return nil
}
