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

// acts returns the acts that a condition selects, in order.
func (t *Tx) acts(op, where string, args ...any) ([]storage.Act, error) {
	return all(t, op, func(rows *sql.Rows) (a storage.Act, err error) {
		err = rows.Scan(scanTime{&a.At}, &a.Guild, &a.Operator, &a.Kind, &a.Target, &a.Note)
		return a, err
	}, `SELECT at, guild, operator, kind, target, note FROM audit WHERE `+where+` ORDER BY id`, args...)
}

func (t *Tx) Acts(guild string, from time.Time) ([]storage.Act, error) {
	return t.acts("acts in guild "+guild, `guild = $1 AND at >= $2`, guild, timeValue(from))
}

func (t *Tx) ActsOn(target string) ([]storage.Act, error) {
	return t.acts("acts on "+target, `target = $1 AND guild <> ''`, target)
}

func (t *Tx) Freezes(guild string, from time.Time) ([]storage.Act, error) {
	return t.acts("freezes of guild "+guild, `guild = $1 AND kind IN ('freeze', 'thaw') AND at >= $2`, guild, timeValue(from))
}

func (t *Tx) Banned() ([]string, error) {
	return all(t, "who is banned", scanValue[string], selectBanned+` ORDER BY b.target`)
}

func (t *Tx) AddAct(a storage.Act) error {
	_, err := t.exec("record an act",
		`INSERT INTO audit (at, guild, operator, kind, target, note) VALUES ($1, $2, $3, $4, $5, $6)`,
		timeValue(a.At), a.Guild, a.Operator, a.Kind, a.Target, a.Note)
	if a.Guild != "" {
		return err
	}
	return t.signal(storage.ActsChanged, "", err)
}
