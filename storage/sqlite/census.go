package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

const (
	countMatches    = `SELECT game, ending, count(*) FROM matches GROUP BY game, ending`
	countOpen       = `SELECT count(*) FROM challenges WHERE state = 'open'`
	countBoards     = `SELECT count(*) FROM boards ` + areBehind
	countThinking   = `SELECT count(*) FROM matches WHERE thinking_since IS NOT NULL`
	countChallenges = `SELECT count(*) FROM challenges ` + notShown
)

// Census implements storage.Reader.
func (t *tx) Counts(now time.Time) (storage.Counts, error) {
	at, err := moment(now)
	if err != nil {
		return storage.Counts{}, fmt.Errorf("sqlite: census: %w", err)
	}
	type finished struct {
		finish storage.GameEnding
		n      int
	}
	matches, err := collect(t, "count matches", func(rows *sql.Rows) (f finished, err error) {
		err = rows.Scan(&f.finish.Game, &f.finish.Ending, &f.n)
		return f, err
	}, countMatches)
	if err != nil {
		return storage.Counts{}, err
	}
	c := storage.Counts{Matches: make(map[storage.GameEnding]int, len(matches))}
	for _, f := range matches {
		c.Matches[f.finish] = f.n
	}
	for _, one := range []struct {
		into  *int
		doing string
		query string
		args  []any
	}{
		{&c.OpenChallenges, "count open challenges", countOpen, nil},
		{&c.ComputerTurns, "count matches that wait for a computer", countThinking, nil},
		{&c.PendingBoards, "count boards behind", countBoards, []any{at}},
		{&c.PendingChallenges, "count challenges behind", countChallenges, []any{at}},
	} {
		if err := t.row(one.query, one.args...).Scan(one.into); err != nil {
			return storage.Counts{}, t.unread(one.doing, err)
		}
	}
	return c, nil
}
