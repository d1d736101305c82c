package sqlstore

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"castellan/storage"
)

// timed replaces now() in a statement by the time of the database.
func (t *Tx) timed(query string, args ...any) (string, []any) {
	now := t.driver.Now
	if now == "" {
		args = append(args, time.Now().UnixNano())
		now = fmt.Sprint("$", len(args))
	}
	return strings.ReplaceAll(query, "now()", now), args
}

func scanLease(rows *sql.Rows) (l storage.Lease, err error) {
	err = rows.Scan(&l.Name, &l.Holder, &l.Token, &l.Note, &l.Left)
	return l, err
}

// writeLease runs a statement that returns the lease that it changes, if any.
func (t *Tx) writeLease(op string, none error, query string, args ...any) (l storage.Lease, err error) {
	query, args = t.timed(query, args...)
	all, err := returning(t, op, scanLease, query, args...)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("storage: %s: %w", op, none)
	}
	if err != nil {
		return l, err
	}
	return all[0], nil
}

const leaseColumns = `name, holder, token, note, until - now()`

// AcquireLease does what storage.Leaser says, like the two methods after it.
func (t *Tx) AcquireLease(name, holder, note string, d time.Duration) (storage.Lease, error) {
	return t.writeLease("acquire a lease", storage.ErrHeld, `
INSERT INTO leases AS l (name, holder, token, until, note) VALUES ($1, $2, now(), now() + $4, $3)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
    token = CASE WHEN l.token < excluded.token THEN excluded.token ELSE l.token + 1 END,
    note = CASE excluded.note WHEN '' THEN l.note ELSE excluded.note END
WHERE l.until <= now() OR l.holder = excluded.holder
RETURNING `+leaseColumns, name, holder, note, int64(d))
}

func (t *Tx) RenewLease(l storage.Lease, d time.Duration) (storage.Lease, error) {
	return t.writeLease("renew a lease", storage.ErrFenced, `
UPDATE leases SET until = now() + $5, note = $4 WHERE name = $1 AND holder = $2 AND token = $3
RETURNING `+leaseColumns, l.Name, l.Holder, l.Token, l.Note, int64(d))
}

func (t *Tx) ReleaseLease(l storage.Lease) error {
	query, args := `DELETE FROM leases WHERE name = $1 AND holder = $2 AND token = $3`, []any{l.Name, l.Holder, l.Token}
	if l.Note != "" {
		query, args = t.timed(`UPDATE leases SET holder = '', until = now(), note = $4 WHERE name = $1 AND holder = $2 AND token = $3`,
			append(args, l.Note)...)
	}
	n, err := t.exec("release a lease", query, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("storage: release a lease: %w", storage.ErrFenced)
	}
	return err
}

// DropLeases removes all leases.
func (t *Tx) DropLeases() error {
	_, err := t.exec("remove the leases", `DELETE FROM leases`)
	return err
}

func (t *Tx) CheckLease(l storage.Lease) error {
	const op = "check a lease"
	rows, err := all(t, op, scanValue[int],
		`SELECT 1 FROM leases WHERE name = $1 AND holder = $2 AND token = $3`+t.driver.Share, l.Name, l.Holder, l.Token)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("storage: %s: %w", op, storage.ErrFenced)
	}
	return err
}

func (t *Tx) Leases(prefix string) ([]storage.Lease, error) {
	query, args := t.timed(`SELECT `+leaseColumns+` FROM leases WHERE name >= $1 AND name < $2 ORDER BY name`, prefix, prefix+"\U0010FFFF")
	return all(t, "leases", scanLease, query, args...)
}
