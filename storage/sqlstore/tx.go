package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"castellan/storage"
)

// Conn is a connection to a database.
type Conn interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Driver holds what databases do differently.
type Driver struct {
	// Classify wraps an error of the database in the error of package storage that
	// it amounts to.
	Classify func(error) error
	// Aborts reports whether the transaction may have ended because of a failed
	// read.
	Aborts func(error) bool
	// Now is the present time in nanoseconds as SQL, empty for the clock of the process.
	Now string
	// Share is appended to a query whose rows must stay as they are until the
	// transaction ends.
	Share string
	// Lazily is appended to the condition of a statement that need not be on the
	// disk: if the server crashes, it may not have happened.
	Lazily string
	// Trace is called before each statement unless it is nil.
	Trace func()
	// Signals has transactions collect what other processes have to know.
	Signals bool
}

// Tx implements storage.Tx, and storage.Reader in a read-only transaction.
type Tx struct {
	ctx    context.Context // never cancelled
	conn   Conn
	driver *Driver
	wrote  bool
	erases bool
	// signals are for the other processes, after the commit.
	signals []storage.Signal
	// failed is the first failed write, or a read after which the transaction may
	// have ended. The transaction cannot be committed any more, even if its function
	// goes on. Nothing is written after it: if SQLite has rolled back, a statement
	// would be a transaction of its own.
	failed error
}

var _ storage.Tx = (*Tx)(nil)

// New returns a Tx for the transaction that has begun on a connection. Its
// statements run until ctx is done.
func New(ctx context.Context, conn Conn, driver *Driver) *Tx {
	return &Tx{ctx: ctx, conn: conn, driver: driver}
}

// Err returns the error because of which the transaction must not be committed.
func (t *Tx) Err() error { return t.failed }

// Wrote reports whether a statement has changed the database.
func (t *Tx) Wrote() bool { return t.wrote }

// Erases reports whether the data of a person was deleted, so that the database
// must not keep it anywhere.
func (t *Tx) Erases() bool { return t.erases }

// Signals returns what other processes have to know after the commit.
func (t *Tx) Signals() []storage.Signal { return t.signals }

// signal adds a signal unless an operation has failed.
func (t *Tx) signal(kind storage.SignalKind, id string, err error) error {
	if err == nil && t.driver.Signals {
		t.signals = append(t.signals, storage.Signal{Kind: kind, ID: id})
	}
	return err
}

// prepare reports a statement and makes its arguments such as both databases take.
// PostgreSQL has no text with NUL or with bytes that are not UTF-8.
func (t *Tx) prepare(args []any) error {
	if t.driver.Trace != nil {
		t.driver.Trace()
	}
	for i, a := range args {
		switch v := reflect.ValueOf(a); v.Kind() {
		case reflect.Bool: // columns hold 0 and 1
			args[i] = 0
			if v.Bool() {
				args[i] = 1
			}
		case reflect.String:
			if s := v.String(); strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
				return fmt.Errorf("the text %q cannot be stored", s)
			}
		}
	}
	return nil
}

// exec runs a statement that writes and returns the number of rows it wrote.
func (t *Tx) exec(op, query string, args ...any) (int, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	if err := t.prepare(args); err != nil {
		return 0, t.fail(op, err)
	}
	result, err := t.conn.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, t.fail(op, err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, t.fail(op, err)
	}
	t.wrote = t.wrote || n > 0
	return int(n), nil
}

// execOne runs a statement that writes one row, or fails with ErrNotFound.
func (t *Tx) execOne(op, query string, args ...any) error {
	n, err := t.exec(op, query, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("storage: %s: %w", op, storage.ErrNotFound)
	}
	return err
}

// insert runs a statement that returns the identifier of the row it wrote.
func (t *Tx) insert(op, query string, args ...any) (int64, error) {
	ids, err := returning(t, op, scanValue[int64], query, args...)
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// insertRows inserts rows of equal width. head is the statement up to VALUES,
// tail what follows the values; types are those of the columns if the database
// cannot infer them. Long lists take several statements, so that few
// distinct ones have to be prepared.
func (t *Tx) insertRows(op, head, tail string, width int, args []any, types ...string) error {
	const most = 16
	for len(args) > 0 {
		n := min(len(args)/width, most)
		if _, err := t.exec(op, head+placeholders(n, width, types)+tail, args[:n*width]...); err != nil {
			return err
		}
		args = args[n*width:]
	}
	return nil
}

// fail marks the transaction as one that cannot be committed.
func (t *Tx) fail(op string, err error) error {
	err = fmt.Errorf("storage: %s: %w", op, t.driver.Classify(err))
	if t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *Tx) readError(op string, err error) error {
	if t.driver.Aborts(err) {
		return t.fail(op, err)
	}
	return fmt.Errorf("storage: %s: %w", op, t.driver.Classify(err))
}

// all returns every row of a query.
func all[T any](t *Tx, op string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	values, err := scanAll(t, scan, query, args...)
	if err != nil {
		return nil, t.readError(op, err)
	}
	return values, nil
}

// returning returns the rows of a statement that writes.
func returning[T any](t *Tx, op string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	if t.failed != nil {
		return nil, t.failed
	}
	values, err := scanAll(t, scan, query, args...)
	if err != nil {
		return nil, t.fail(op, err)
	}
	t.wrote = t.wrote || len(values) > 0
	return values, nil
}

func scanAll[T any](t *Tx, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	if err := t.prepare(args); err != nil {
		return nil, err
	}
	rows, err := t.conn.QueryContext(t.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var values []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, rows.Err()
}

// one returns the only row of a query, or fails with storage.ErrNotFound.
func one[T any](t *Tx, op string, scan func(*sql.Rows) (T, error), query string, args ...any) (T, error) {
	values, err := all(t, op, scan, query, args...)
	return first(op, values, err)
}

// first returns the first of some records, or fails with storage.ErrNotFound.
func first[T any](op string, values []T, err error) (T, error) {
	if err == nil && len(values) == 0 {
		err = fmt.Errorf("storage: %s: %w", op, storage.ErrNotFound)
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return values[0], nil
}

// scanValue scans a row of one column.
func scanValue[T any](rows *sql.Rows) (v T, err error) {
	err = rows.Scan(&v)
	return v, err
}

// execExpected runs a statement that changes the record with the identifier
// args[0] if it is in the expected state. Otherwise it fails with ErrNotFound or
// ErrConflict. exists is a query that reports whether the record exists.
func (t *Tx) execExpected(op, exists, query string, args ...any) error {
	n, err := t.exec(op, query, args...)
	if err == nil && n == 0 {
		err = t.unchanged(op, exists, args[0])
	}
	return err
}

// unchanged says why a statement found no row to change: the record is missing,
// or it is not in the state that the caller expected.
func (t *Tx) unchanged(op, exists string, id any) error {
	found, err := one(t, op, scanValue[bool], exists, id)
	if err != nil {
		return err
	}
	reason := storage.ErrNotFound
	if found {
		reason = storage.ErrConflict
	}
	return fmt.Errorf("storage: %s: %w", op, reason)
}
