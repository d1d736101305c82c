package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

// selectMatches gives a row for every seat, or one without a seat.
const selectMatches = `
SELECT m.id, m.challenge_id, m.guild, m.channel, m.game, m.rules, m.options, m.seed, m.created_at,
       m.seq, m.shown, m.ending, m.ended_at, m.deadline, m.thinking_since, m.unrated, m.end_number,
       s.seat, s.person, s.name, s.level, s.place, s.result
FROM matches m LEFT JOIN seats s ON s.match_id = m.id `

const (
	matchByID = selectMatches + `
WHERE m.id = $1 ORDER BY s.seat`

	matchesOfPerson = selectMatches + `
WHERE m.ending = '' AND m.id IN (SELECT match_id FROM seats WHERE person = $1) AND ($2 = '' OR m.channel = $2)
ORDER BY m.newest_at DESC, m.id DESC, s.seat`

	matchesOfChannel = selectMatches + `
WHERE m.ending = '' AND m.channel = $1
ORDER BY m.newest_at DESC, m.id DESC, s.seat`

	matchesRunning = selectMatches + `
WHERE m.ending = ''
ORDER BY m.created_at, m.id, s.seat`

	matchesAfter = selectMatches + `
WHERE m.id IN (SELECT id FROM matches WHERE id > $1 ORDER BY id LIMIT $2)
ORDER BY m.id, s.seat`

	insertMatch = `
INSERT INTO matches (challenge_id, guild, channel, game, rules, options, seed, created_at, newest_at, deadline, unrated, thinking_since)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11) RETURNING id`

	insertSeat = `INSERT INTO seats (match_id, seat, person, name, level) VALUES ($1, $2, $3, $4, $5)`

	endMatch = `
UPDATE matches
SET ending = $2, ended_at = $3, deadline = NULL, thinking_since = NULL,
    end_number = (SELECT coalesce(max(end_number), 0) + 1 FROM matches)
WHERE id = $1 AND ending = ''`

	matchExists = `SELECT EXISTS (SELECT 1 FROM matches WHERE id = $1)`
)

// Match implements storage.Reader.
func (t *tx) Match(id storage.MatchID) (storage.Match, error) {
	doing := fmt.Sprintf("match %d", id)
	found, err := t.matches(doing, matchByID, id)
	if err != nil {
		return storage.Match{}, err
	}
	if len(found) == 0 {
		return storage.Match{}, fmt.Errorf("sqlite: %s: %w", doing, storage.ErrNotFound)
	}
	return found[0], nil
}

// Running implements storage.Reader.
func (t *tx) RunningMatches(person, channel string) ([]storage.Match, error) {
	return t.matches("matches of a person", matchesOfPerson, person, channel)
}

// RunningIn implements storage.Reader.
func (t *tx) RunningInChannel(channel string) ([]storage.Match, error) {
	return t.matches("matches of a channel", matchesOfChannel, channel)
}

// AllRunning implements storage.Reader.
func (t *tx) AllRunning() ([]storage.Match, error) {
	return t.matches("running matches", matchesRunning)
}

// MatchesAfter implements storage.Reader.
func (t *tx) MatchesAfter(after storage.MatchID, limit int) ([]storage.Match, error) {
	return t.matches("all matches", matchesAfter, after, max(limit, 0)) // SQLite takes a negative limit for none
}

// seated is one row of selectMatches.
type seated struct {
	match  storage.Match
	seat   sql.NullInt64
	person storage.Person
	result storage.SeatResult // the zero value where there is none
}

func scanSeated(rows *sql.Rows) (seated, error) {
	var (
		s            seated
		m            = &s.match
		person, name sql.NullString
		level        sql.NullString
		end, place   sql.NullInt64
		result       sql.NullString
	)
	err := rows.Scan(&m.ID, number[storage.ChallengeID]{&m.Challenge}, &m.Place.Guild, &m.Place.Channel,
		&m.Game, &m.RulesVersion, &m.Options, seed{&m.Seed}, clock{&m.CreatedAt},
		&m.Seq, &m.ShownSeq, &m.Ending, clock{&m.EndedAt}, clock{&m.Deadline}, clock{&m.ComputerTurnSince}, &m.Unrated, &end,
		&s.seat, &person, &name, &level, &place, &result)
	s.person = storage.Person{ID: person.String, Name: name.String, Level: level.String}
	s.result = storage.SeatResult{Place: int(place.Int64), Result: storage.Result(result.String)}
	m.EndNumber = int(end.Int64)
	return s, err
}

// matches gathers the rows of each match, which follow one another.
func (t *tx) matches(doing, query string, args ...any) ([]storage.Match, error) {
	rows, err := collect(t, doing, scanSeated, query, args...)
	if err != nil {
		return nil, err
	}
	var all []storage.Match
	for _, r := range rows {
		if len(all) == 0 || all[len(all)-1].ID != r.match.ID {
			all = append(all, r.match)
		}
		if m := &all[len(all)-1]; r.seat.Valid {
			m.Seats = append(m.Seats, r.person)
			if r.result.Result != "" {
				m.Results = append(m.Results, r.result)
			}
		}
	}
	return all, nil
}

// InsertMatch implements storage.Tx.
func (t *tx) InsertMatch(m storage.Match) (storage.MatchID, error) {
	const doing = "insert match"
	created, err := moment(m.CreatedAt)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	deadline, err := maybe(m.Deadline)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	thinking, err := maybe(m.ComputerTurnSince)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	id, err := t.insert(doing, insertMatch, reference(m.Challenge), m.Place.Guild, m.Place.Channel,
		m.Game, m.RulesVersion, m.Options, int64(m.Seed), created, deadline, m.Unrated, thinking)
	if err != nil {
		return 0, err
	}
	for i, p := range m.Seats {
		if _, err := t.exec(doing, insertSeat, id, i+1, p.ID, p.Name, p.Level); err != nil {
			return 0, err
		}
	}
	return storage.MatchID(id), nil
}

// EndMatch implements storage.Tx.
func (t *tx) EndMatch(id storage.MatchID, ending string, at time.Time) error {
	doing := fmt.Sprintf("end match %d", id)
	ended, err := moment(at)
	if err == nil && ending == "" {
		err = fmt.Errorf("the ending is missing")
	}
	if err != nil {
		return t.fail(doing, err)
	}
	n, err := t.exec(doing, endMatch, id, ending, ended)
	if err != nil || n > 0 {
		return err
	}
	return t.conflict(doing, matchExists, int64(id))
}

// conflict says why a statement found no record to change: there is none, or
// it is not as the caller thought.
func (t *tx) conflict(doing, exists string, id int64) error {
	yes, err := t.exists(doing, exists, id)
	if err != nil {
		return err
	}
	why := storage.ErrNotFound
	if yes {
		why = storage.ErrConflict
	}
	return fmt.Errorf("sqlite: %s: %w", doing, why)
}
