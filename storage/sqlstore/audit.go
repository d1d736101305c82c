package sqlstore

import (
	"database/sql"
	"time"

	"castellan/storage"
)

// selectBanned selects the targets of bans that last.
const selectBanned = `
SELECT b.target FROM audit b
WHERE b.kind = 'ban' AND NOT EXISTS (SELECT 1 FROM audit l WHERE l.target = b.target AND l.kind IN ('ban', 'unban') AND l.id > b.id)`

func (t *Tx) Acts(from time.Time) ([]storage.Act, error) {
	return all(t, "acts of operators", func(rows *sql.Rows) (a storage.Act, err error) {
		err = rows.Scan(scanTime{&a.At}, &a.Operator, &a.Kind, &a.Target, &a.Note)
		return a, err
	}, `SELECT at, operator, kind, target, note FROM audit WHERE at >= $1 ORDER BY id`, timeValue(from))
}

func (t *Tx) Banned() ([]string, error) {
	return all(t, "who is banned", scanValue[string], selectBanned+` ORDER BY b.target`)
}

func (t *Tx) AddAct(a storage.Act) error {
	_, err := t.exec("record an act of an operator",
		`INSERT INTO audit (at, operator, kind, target, note) VALUES ($1, $2, $3, $4, $5)`,
		timeValue(a.At), a.Operator, a.Kind, a.Target, a.Note)
	return t.signal(storage.ActsChanged, "", err)
}
