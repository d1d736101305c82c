// Package person knows where a database holds people: which statements select
// everything about a person, and which remove it.
package person

import (
	"database/sql"
	"slices"
	"strings"
	"time"

	"castellan/storage"
)

// Column is a column that holds the identifiers of people. Every such column of
// the schema is in Columns; a test compares them.
type Column struct {
	Table, ID string // ID is empty if rows name the seat instead of the person
	Name      string // of the column with the name beside it, if there is one
	where     string // selects the rows of a person, $1; empty for ID = $1
	deleted   bool   // rows are deleted with the person's data, instead of renamed
	Hidden    bool   // rows are not shown to the person, because they are about others
}

const (
	// Matches selects the identifiers of a person's matches, by two indexes.
	Matches = `
SELECT match_id FROM seats WHERE person = $1 AND ended IS NULL
UNION SELECT match_id FROM seats WHERE person = $1 AND ordinal IS NOT NULL`

	seats = `(match_id, seat) IN (SELECT s.match_id, s.seat FROM seats s WHERE s.person = $1 AND s.match_id IN (` + Matches + `))`
)

// Columns lists the columns in the order in which the person is removed: the
// conditions of a table read tables that follow it.
var Columns = []Column{
	{Table: "prepared", deleted: true, where: seats},
	{Table: "standings", ID: "person", where: `(game, list, guild, provisional, bucket, mean, person) IN (
    SELECT game, list, guild, provisional, bucket, mean, person FROM rating_places WHERE person = $1)`},
	{Table: "ratings", ID: "person", Name: "name"},
	{Table: "rating_changes", ID: "person", Name: "name"},
	{Table: "guild_players", ID: "person", where: "game IN (SELECT game FROM match_counts) AND person = $1"},
	{Table: "result_counts", ID: "person"},
	{Table: "streaks", ID: "person"},
	{Table: "end_counts", ID: "person"},
	{Table: "meetings", ID: "other", Hidden: true, where: "other = $1 AND person IN (SELECT other FROM meetings WHERE person = $1)"},
	{Table: "meetings", ID: "person"},
	{Table: "meeting_counts", ID: "other", Hidden: true, where: "other = $1 AND person IN (SELECT other FROM meeting_counts WHERE person = $1)"},
	{Table: "meeting_counts", ID: "person"},
	{Table: "challenges", ID: "challenger", Name: "challenger_name"},
	{Table: "challenge_people", ID: "person", Name: "name"},
	{Table: "seats", ID: "person", Name: "name", where: "person = $1 AND match_id IN (" + Matches + ")"},
	{Table: "preferences", ID: "person", deleted: true},
	{Table: "vacations", ID: "person", deleted: true},
	{Table: "locales", ID: "id", deleted: true},
	{Table: "daily_messages", ID: "person", deleted: true},
	{Table: "blocks", ID: "person", deleted: true},
	{Table: "blocks", ID: "blocked", Name: "name", deleted: true, Hidden: true},
}

func (c Column) condition() string {
	if c.where != "" {
		return c.where
	}
	return c.ID + " = $1"
}

// forget returns the statement that removes a person from a column.
func (c Column) forget(as storage.Person) Statement {
	switch {
	case c.deleted:
		return Statement{c.Table, "DELETE FROM " + c.Table + " WHERE " + c.condition(), nil}
	case c.Name == "":
		return Statement{c.Table, "UPDATE " + c.Table + " SET " + c.ID + " = $2 WHERE " + c.condition(), []any{as.ID}}
	}
	return Statement{c.Table, "UPDATE " + c.Table + " SET " + c.ID + " = $2, " + c.Name + " = $3 WHERE " + c.condition(), []any{as.ID, as.Name}}
}

// Statement is a statement about a table, whose first argument is the identifier
// of a person.
type Statement struct {
	Table, Query string
	More         []any // arguments
}

// Tables returns the names of the tables that hold anything of a person.
func Tables() []string {
	names := []string{"matches", "entries", "boards", "applied"}
	for _, c := range Columns {
		names = append(names, c.Table)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Selects returns the statements that select everything about a person.
func Selects() (all []Statement) {
	add := func(table, where string) {
		all = append(all, Statement{table, "SELECT * FROM " + table + " WHERE " + where, nil})
	}
	for _, c := range Columns {
		if !c.Hidden {
			add(c.Table, c.condition())
		}
	}
	// What they did, and where.
	add("matches", "id IN ("+Matches+")")
	add("entries", seats)
	add("challenges", "challenger <> $1 AND id IN (SELECT challenge_id FROM challenge_people WHERE person = $1)")
	add("applied", "interaction IN (SELECT interaction FROM entries WHERE "+seats+")")
	return all
}

// Forget returns the statements that replace a person everywhere except in the
// digests and the logs of matches. now is a time as it is stored.
func Forget(as storage.Person, now any) (all []Statement) {
	for _, query := range leaveDirect {
		all = append(all, Statement{Query: query})
	}
	for _, query := range outdate {
		all = append(all, Statement{Query: query, More: []any{now}})
	}
	for _, c := range Columns {
		all = append(all, c.forget(as))
	}
	return all
}

// timeColumns are the columns that hold times, besides those ending in _at.
var timeColumns = []string{"at", "settled_until", "thinking_since", "sending_since", "deadline", "began", "vacations.ended"}

// Scan scans a row of all columns of a table, without digests.
func Scan(table string, rows *sql.Rows) (map[string]any, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values := make([]any, len(names))
	targets := make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, err
	}
	row := map[string]any{}
	for i, name := range names {
		switch v := values[i].(type) {
		case []byte:
		case int64:
			row[name] = v
			if strings.HasSuffix(name, "_at") || slices.Contains(timeColumns, name) || slices.Contains(timeColumns, table+"."+name) {
				row[name] = time.Unix(0, v).UTC()
			}
		default:
			row[name] = v
		}
	}
	return row, nil
}

const (
	// Places without a guild in which nobody else plays are direct messages: their
	// channel tells who the person is, and nobody else sees what is in them.
	directMatches = `
guild = '' AND id IN (` + Matches + `)
AND NOT EXISTS (SELECT 1 FROM seats WHERE match_id = matches.id AND level = '' AND person <> $1)`

	directChallenges = `guild = '' AND challenger = $1
AND NOT EXISTS (SELECT 1 FROM challenge_people WHERE challenge_id = challenges.id AND level = '' AND person <> $1)`
)

// leaveDirect removes the direct messages of a person. Their boards count as
// posted and collapsed.
var leaveDirect = []string{
	`UPDATE boards
SET channel = '', message = '', tries = 0, next_at = NULL, state = CASE state WHEN 'due' THEN 'posted' WHEN 'stale' THEN 'collapsed' ELSE state END
WHERE match_id IN (SELECT id FROM matches WHERE ` + directMatches + `)`,
	`UPDATE matches
SET channel = '', shown = coalesce((SELECT max(seq) FROM boards WHERE match_id = matches.id AND state <> 'skipped'), -1) WHERE ` + directMatches,
	`UPDATE challenges SET channel = '', message = '', shown = revision, tries = 0, next_at = NULL WHERE ` + directChallenges,
}

// outdate has the messages edited that name the person.
var outdate = []string{
	`UPDATE boards SET outdated = 1, tries = 0, next_at = $2
WHERE state = 'posted' AND message <> '' AND match_id IN (` + Matches + `)`,
	`UPDATE challenges SET revision = revision + 1, tries = 0, next_at = $2
WHERE message <> '' AND id IN (SELECT id FROM challenges WHERE challenger = $1 UNION SELECT challenge_id FROM challenge_people WHERE person = $1)`,
}
