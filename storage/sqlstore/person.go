package sqlstore

import (
	"database/sql"
	"slices"
	"strings"
	"time"

	"castellan/storage"
)

func (t *Tx) PersonData(id string) (tables []storage.PersonTable, err error) {
	for _, q := range selectPerson() {
		rows, err := all(t, "data of a person", func(rows *sql.Rows) (map[string]any, error) { return scanPersonRow(q.table, rows) }, q.query, id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(tables, func(p storage.PersonTable) bool { return p.Name == q.table })
		if i < 0 && len(rows) > 0 {
			i, tables = len(tables), append(tables, storage.PersonTable{Name: q.table})
		}
		if len(rows) > 0 {
			tables[i].Rows = append(tables[i].Rows, rows...)
		}
	}
	slices.SortFunc(tables, func(a, b storage.PersonTable) int { return strings.Compare(a.Name, b.Name) })
	return tables, nil
}

func (t *Tx) PersonCounts(id string) (map[string]int, error) {
	counts := map[string]int{}
	for _, q := range selectPerson() {
		n, err := one(t, "count the data of a person", scanValue[int], "SELECT count(*) FROM ("+q.query+") AS own", id)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			counts[q.table] += n
		}
	}
	return counts, nil
}

// matchesWithPerson selects the identifiers of a person's matches, by two indexes.
const matchesWithPerson = `
SELECT match_id FROM seats WHERE person = $1 AND ended IS NULL
UNION SELECT match_id FROM seats WHERE person = $1 AND ended IS NOT NULL`

func (t *Tx) ForgetPerson(id string, as storage.Person, now time.Time) error {
	const op = "delete the data of a person" // without saying of whom
	if _, err := t.exec(op, `INSERT INTO forgetting (id) VALUES (1)`); err != nil {
		return err
	}
	matches, err := t.matches(op, selectMatches+`WHERE m.id IN (`+matchesWithPerson+`) ORDER BY m.id, s.seat`, id)
	if err != nil {
		return err
	}
	for _, m := range matches {
		if err := t.pseudonymize(op, m, id, as); err != nil {
			return err
		}
	}
	for _, s := range forgetPerson(as, timeValue(now)) {
		if _, err := t.exec(op, s.query, append([]any{id}, s.more...)...); err != nil {
			return err
		}
	}
	t.erases = true
	_, err = t.exec(op, `DELETE FROM forgetting`)
	return t.signal(storage.PersonForgotten, id, err)
}

// pseudonymize replaces a person in the digests and the log of a match.
func (t *Tx) pseudonymize(op string, m storage.Match, id string, as storage.Person) error {
	log, err := t.Entries(m.ID)
	if err != nil {
		return err
	}
	after, replaced := storage.Pseudonymize(m, log, id, as)
	if _, err := t.exec(op, `UPDATE matches SET root = $2, head = $3 WHERE id = $1`, m.ID, digestValue(after.Root), digestValue(after.Head)); err != nil {
		return err
	}
	for i, e := range replaced {
		if e == log[i] {
			continue
		}
		if _, err := t.exec(op,
			`UPDATE entries SET interaction = $3, digest = $4 WHERE match_id = $1 AND seq = $2`,
			m.ID, e.Seq, e.Interaction, digestValue(e.Digest)); err != nil {
			return err
		}
	}
	return nil
}

// PersonColumn is a column that holds the identifiers of people. Every such column of
// the schema is in PersonColumns; a test compares them.
type PersonColumn struct {
	Table, ID string // ID is empty if rows name the seat instead of the person
	Name      string // of the column with the name beside it, if there is one
	where     string // selects the rows of a person, $1; empty for ID = $1
	deleted   bool   // rows are deleted with the person's data, instead of renamed
	Hidden    bool   // rows are not shown to the person, because they are about others
}

const seatsOfPerson = `(match_id, seat) IN (SELECT s.match_id, s.seat FROM seats s WHERE s.person = $1 AND s.match_id IN (` + matchesWithPerson + `))`

// PersonColumns lists the columns in the order in which the person is removed: the
// conditions of a table read tables that follow it.
var PersonColumns = []PersonColumn{
	{Table: "prepared", deleted: true, where: seatsOfPerson},
	{Table: "ratings", ID: "person", Name: "name"},
	{Table: "rating_changes", ID: "person", Name: "name"},
	{Table: "guild_players", ID: "person"},
	{Table: "challenges", ID: "challenger", Name: "challenger_name"},
	{Table: "challenge_people", ID: "person", Name: "name"},
	{Table: "tournaments", ID: "organiser", Name: "organiser_name"},
	{Table: "tournament_players", ID: "person", Name: "name"},
	{Table: "seats", ID: "person", Name: "name", where: "person = $1 AND match_id IN (" + matchesWithPerson + ")"},
	{Table: "preferences", ID: "person", deleted: true},
	{Table: "vacations", ID: "person", deleted: true},
	{Table: "locales", ID: "id", deleted: true},
	{Table: "departures", ID: "person", deleted: true},
	{Table: "daily_messages", ID: "person", deleted: true},
	{Table: "blocks", ID: "person", deleted: true},
	{Table: "blocks", ID: "blocked", Name: "name", deleted: true, Hidden: true},
	{Table: "audit", ID: "operator"},
	{Table: "audit", ID: "target", where: "target = $1 AND target NOT IN (" + selectBanned + ")", Hidden: true}, // see selectPerson
}

func (c PersonColumn) condition() string {
	if c.where != "" {
		return c.where
	}
	return c.ID + " = $1"
}

// forget returns the statement that removes a person from a column.
func (c PersonColumn) forget(as storage.Person) personStatement {
	switch {
	case c.deleted:
		return personStatement{c.Table, "DELETE FROM " + c.Table + " WHERE " + c.condition(), nil}
	case c.Name == "":
		return personStatement{c.Table, "UPDATE " + c.Table + " SET " + c.ID + " = $2 WHERE " + c.condition(), []any{as.ID}}
	}
	return personStatement{c.Table, "UPDATE " + c.Table + " SET " + c.ID + " = $2, " + c.Name + " = $3 WHERE " + c.condition(), []any{as.ID, as.Name}}
}

// personStatement is a statement about a table, whose first argument is the identifier
// of a person.
type personStatement struct {
	table, query string
	more         []any // arguments
}

// PersonTables returns the names of the tables that hold anything of a person.
func PersonTables() []string {
	names := []string{"matches", "entries", "boards", "processed_interactions", "tournament_games"}
	for _, c := range PersonColumns {
		names = append(names, c.Table)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// selectPerson returns the statements that select everything about a person.
func selectPerson() (all []personStatement) {
	add := func(table, where string) {
		all = append(all, personStatement{table, "SELECT * FROM " + table + " WHERE " + where, nil})
	}
	for _, c := range PersonColumns {
		if !c.Hidden {
			add(c.Table, c.condition())
		}
	}
	// What they did, and where.
	add("matches", "id IN ("+matchesWithPerson+")")
	add("entries", seatsOfPerson)
	add("tournament_games", "EXISTS (SELECT 1 FROM tournament_players p WHERE p.tournament_id = tournament_games.tournament_id AND p.person = $1 AND p.seed IN (tournament_games.first, tournament_games.second) AND p.seed > 0)")
	add("challenges", "challenger <> $1 AND id IN (SELECT challenge_id FROM challenge_people WHERE person = $1)")
	all = append(all, personStatement{"audit", "SELECT at, kind, target, note FROM audit WHERE target = $1", nil}) // not by whom
	add("processed_interactions", "interaction IN (SELECT interaction FROM entries WHERE "+seatsOfPerson+")")
	return all
}

// forgetPerson returns the statements that replace a person everywhere except in the
// digests and the logs of matches. now is a time as it is stored.
func forgetPerson(as storage.Person, now any) (all []personStatement) {
	for _, query := range leaveDirect {
		all = append(all, personStatement{query: query})
	}
	for _, query := range outdate {
		all = append(all, personStatement{query: query, more: []any{now}})
	}
	for _, c := range PersonColumns {
		all = append(all, c.forget(as))
	}
	return all
}

// timeColumns are the columns that hold times, besides those ending in _at.
var timeColumns = []string{"at", "next_attempt", "established_until", "computer_turn_since", "sending_since", "began", "vacations.ended"}

// scanPersonRow scans a row of all columns of a table, without digests.
func scanPersonRow(table string, rows *sql.Rows) (map[string]any, error) {
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
guild = '' AND id IN (` + matchesWithPerson + `)
AND NOT EXISTS (SELECT 1 FROM seats WHERE match_id = matches.id AND level = '' AND person <> $1)`

	directChallenges = `guild = '' AND challenger = $1
AND NOT EXISTS (SELECT 1 FROM challenge_people WHERE challenge_id = challenges.id AND level = '' AND person <> $1)`
)

// leaveDirect removes the direct messages of a person. Their boards count as
// posted and collapsed.
var leaveDirect = []string{
	`UPDATE boards
SET channel = '', message = '', attempts = 0, next_attempt = NULL, state = CASE state WHEN 'due' THEN 'posted' WHEN 'superseded' THEN 'collapsed' ELSE state END
WHERE match_id IN (SELECT id FROM matches WHERE ` + directMatches + `)`,
	`UPDATE matches
SET channel = '', shown_seq = coalesce((SELECT max(seq) FROM boards WHERE match_id = matches.id AND state <> 'skipped'), -1) WHERE ` + directMatches,
	`UPDATE challenges SET channel = '', message = '', shown_revision = revision, attempts = 0, next_attempt = NULL WHERE ` + directChallenges,
}

// outdate has the messages edited that name the person.
var outdate = []string{
	`UPDATE boards SET needs_redraw = 1, attempts = 0, next_attempt = $2
WHERE state = 'posted' AND message <> '' AND match_id IN (` + matchesWithPerson + `)`,
	`UPDATE challenges SET revision = revision + 1, attempts = 0, next_attempt = $2
WHERE message <> '' AND id IN (SELECT id FROM challenges WHERE challenger = $1 UNION SELECT challenge_id FROM challenge_people WHERE person = $1)`,
	`UPDATE tournaments SET revision = revision + 1, attempts = 0, next_attempt = $2
WHERE message <> '' AND id IN (SELECT id FROM tournaments WHERE organiser = $1 UNION SELECT tournament_id FROM tournament_players WHERE person = $1)`,
}
