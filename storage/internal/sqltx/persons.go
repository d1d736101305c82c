package sqltx

import (
	"database/sql"
	"slices"
	"strings"
	"time"

	"castellan/storage"
	"castellan/storage/internal/person"
)

func (t *Tx) PersonData(id string) (tables []storage.PersonTable, err error) {
	for _, q := range person.Selects() {
		rows, err := all(t, "data of a person", func(rows *sql.Rows) (map[string]any, error) { return person.Scan(q.Table, rows) }, q.Query, id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(tables, func(p storage.PersonTable) bool { return p.Name == q.Table })
		if i < 0 && len(rows) > 0 {
			i, tables = len(tables), append(tables, storage.PersonTable{Name: q.Table})
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
	for _, q := range person.Selects() {
		n, err := one(t, "count the data of a person", scanValue[int], "SELECT count(*) FROM ("+q.Query+") AS own", id)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			counts[q.Table] += n
		}
	}
	return counts, nil
}

const (
	beginForgetting = `INSERT INTO forgetting (id) VALUES (1)`
	endForgetting   = `DELETE FROM forgetting`
	matchesWith     = selectMatches + `WHERE m.id IN (` + person.Matches + `) ORDER BY m.id, s.seat`
	replaceEntry    = `UPDATE entries SET interaction = $3, digest = $4 WHERE match_id = $1 AND seq = $2`
)

func (t *Tx) ForgetPerson(id string, as storage.Person, now time.Time) error {
	const op = "delete the data of a person" // without saying of whom
	if _, err := t.exec(op, beginForgetting); err != nil {
		return err
	}
	matches, err := t.matches(op, matchesWith, id)
	if err != nil {
		return err
	}
	for _, m := range matches {
		if err := t.pseudonymize(op, m, id, as); err != nil {
			return err
		}
	}
	for _, s := range person.Forget(as, timeValue(now)) {
		if _, err := t.exec(op, s.Query, append([]any{id}, s.More...)...); err != nil {
			return err
		}
	}
	t.erases = true
	_, err = t.exec(op, endForgetting)
	return t.signal(storage.PersonForgotten, id, err)
}

// pseudonymize replaces a person in the digests and the log of a match.
func (t *Tx) pseudonymize(op string, m storage.Match, id string, as storage.Person) error {
	log, err := t.Entries(m.ID)
	if err != nil {
		return err
	}
	after, replaced := storage.Pseudonymize(m, log, id, as)
	if _, err := t.exec(op, setRoot, m.ID, digestValue(after.Root)); err != nil {
		return err
	}
	for i, e := range replaced {
		if e == log[i] {
			continue
		}
		if _, err := t.exec(op, replaceEntry, m.ID, e.Seq, e.Interaction, digestValue(e.Digest)); err != nil {
			return err
		}
	}
	return nil
}

const (
	blocksOf    = `SELECT person, blocked, name, at FROM blocks WHERE person = $1 ORDER BY at, blocked`
	hasBlock    = `SELECT EXISTS (SELECT 1 FROM blocks WHERE person = $1 AND blocked = $2 OR person = $2 AND blocked = $1)`
	setBlock    = `INSERT INTO blocks (person, blocked, name, at) VALUES ($1, $2, $3, $4) ON CONFLICT (person, blocked) DO UPDATE SET name = excluded.name`
	deleteBlock = `DELETE FROM blocks WHERE person = $1 AND blocked = $2`
)

func (t *Tx) Blocks(person string) ([]storage.Block, error) {
	return all(t, "blocks of a person", func(rows *sql.Rows) (b storage.Block, err error) {
		err = rows.Scan(&b.Person, &b.Blocked.ID, &b.Blocked.Name, scanTime{&b.At})
		return b, err
	}, blocksOf, person)
}

func (t *Tx) HasBlock(person, other string) (bool, error) {
	return one(t, "block between two people", scanValue[bool], hasBlock, person, other)
}

func (t *Tx) SetBlock(b storage.Block) error {
	_, err := t.exec("block a person", setBlock, b.Person, b.Blocked.ID, b.Blocked.Name, timeValue(b.At))
	return err
}

func (t *Tx) DeleteBlock(person, blocked string) error {
	_, err := t.exec("unblock a person", deleteBlock, person, blocked)
	return err
}
