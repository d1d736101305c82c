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
func (t *tx) Census(now time.Time) (storage.Census, error) {
	at, err := moment(now)
	if err != nil {
		return storage.Census{}, fmt.Errorf("sqlite: census: %w", err)
	}
	type finished struct {
		finish storage.Finish
		n      int
	}
	matches, err := collect(t, "count matches", func(rows *sql.Rows) (f finished, err error) {
		err = rows.Scan(&f.finish.Game, &f.finish.Ending, &f.n)
		return f, err
	}, countMatches)
	if err != nil {
		return storage.Census{}, err
	}
	c := storage.Census{Matches: make(map[storage.Finish]int, len(matches))}
	for _, f := range matches {
		c.Matches[f.finish] = f.n
	}
	for _, one := range []struct {
		into  *int
		doing string
		query string
		args  []any
	}{
		{&c.Open, "count open challenges", countOpen, nil},
		{&c.Thinking, "count matches that wait for a computer", countThinking, nil},
		{&c.Boards, "count boards behind", countBoards, []any{at}},
		{&c.Challenges, "count challenges behind", countChallenges, []any{at}},
	} {
		if err := t.row(one.query, one.args...).Scan(one.into); err != nil {
			return storage.Census{}, t.unread(one.doing, err)
		}
	}
	return c, nil
}
