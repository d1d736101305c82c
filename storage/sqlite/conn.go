package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"castellan/storage"
	"castellan/storage/sqlite/internal/dbfile"
)

// conn is a connection with its prepared statements. One goroutine uses it at a
// time. Preparing a statement costs more than running most of them, so a
// statement is prepared once for each connection.
type conn struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func (c *conn) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.conn.PrepareContext(ctx, query)
	if err == nil {
		c.stmts[query] = s
	}
	return s, err
}

func (c *conn) exec(ctx context.Context, query string) error {
	s, err := c.prepare(ctx, query)
	if err == nil {
		_, err = s.ExecContext(ctx)
	}
	return err
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.conn.Close())...)
}

// pool holds a fixed number of connections of one kind.
type pool struct {
	db    *sql.DB
	begin string // the statement that begins a transaction
	kind  TraceKind
	keep  bool // never replace a connection: in memory it is the database
	// idle holds the unused connections; nil stands for one that has not been
	// opened yet.
	idle chan *conn
	// closing is closed when the store closes. Those that wait for a connection
	// then fail.
	closing chan struct{}
	// files are checked before each commit; nil for a pool that reads, and in
	// memory.
	files *dbfile.Files
}

func newPool(db *sql.DB, size int, begin string, kind TraceKind) *pool {
	p := &pool{db: db, begin: begin, kind: kind, idle: make(chan *conn, size), closing: make(chan struct{})}
	for range size {
		p.idle <- nil
	}
	return p
}

// take waits for an unused connection until ctx is done.
func (p *pool) take(ctx context.Context) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case c := <-p.idle:
		if c != nil {
			return c, nil
		}
		opened, err := p.db.Conn(ctx)
		if err != nil {
			p.idle <- nil
			return nil, err
		}
		return &conn{conn: opened, stmts: map[string]*sql.Stmt{}}, nil
	case <-p.closing:
		return nil, storage.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put returns a connection. One that is still in a transaction, because it
// could not be rolled back, is replaced by a new one.
func (p *pool) put(c *conn, broken bool) {
	if broken && !p.keep {
		_ = c.conn.Raw(func(any) error { return driver.ErrBadConn }) // database/sql closes it
		_ = c.close()
		c = nil
	}
	p.idle <- c
}

// close closes the connections and the database. Nobody may be using them.
func (p *pool) close() error {
	var errs []error
	for range cap(p.idle) {
		if c := <-p.idle; c != nil {
			errs = append(errs, c.close())
		}
	}
	return errors.Join(append(errs, p.db.Close())...)
}

// run runs fn in one transaction. ctx only governs waiting for a connection.
func (p *pool) run(ctx context.Context, path string, trace func(TraceKind), fn func(*tx) error) (err error) {
	c, err := p.take(ctx)
	if err != nil {
		return fmt.Errorf("sqlite: wait for a connection: %w", classify(path, err))
	}
	var broken bool
	defer func() { p.put(c, broken) }()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("sqlite: wait for a connection: %w", err)
	}
	t := &tx{ctx: context.WithoutCancel(ctx), conn: c, path: path, trace: trace}
	if err := c.exec(t.ctx, p.begin); err != nil {
		return fmt.Errorf("sqlite: begin: %w", classify(path, err))
	}
	if trace != nil {
		trace(p.kind)
	}
	committed := false
	// Deferred, because fn may panic or call runtime.Goexit.
	defer func() {
		if committed {
			return
		}
		// SQLITE_ERROR means that SQLite has already rolled back by itself.
		rollback := c.exec(t.ctx, "ROLLBACK")
		broken = rollback != nil && primary(rollback) != sqlite3.SQLITE_ERROR
	}()
	if err := fn(t); err != nil {
		return err
	}
	if t.failed != nil {
		return t.failed
	}
	if p.files != nil && t.wrote {
		if err := p.files.Check(); err != nil {
			return fmt.Errorf("sqlite: commit: %w", err)
		}
		if err := c.exec(t.ctx, countCommit); err != nil {
			return fmt.Errorf("sqlite: commit: %w", classify(path, err))
		}
	}
	if err := c.exec(t.ctx, "COMMIT"); err != nil {
		return fmt.Errorf("sqlite: commit: %w", classify(path, err))
	}
	committed = true
	return nil
}

// countCommit numbers a transaction, see checkAdoption.
const countCommit = "UPDATE commits SET n = n + 1"

// tx implements storage.Tx, and storage.Reader in a read-only transaction.
type tx struct {
	ctx   context.Context // never cancelled
	conn  *conn
	path  string // of the database, to find out why it fails
	trace func(TraceKind)
	wrote bool
	// erases reports that the write-ahead log must not keep what was deleted.
	erases bool
	// failed is the first failed write, or a read after which SQLite may have
	// rolled back by itself. The transaction cannot be committed any more, even
	// if its function goes on. Nothing is written after it: if SQLite has
	// rolled back, a statement would be a transaction of its own.
	failed error
}

var _ storage.Tx = (*tx)(nil)

func (t *tx) query(query string, args ...any) (*sql.Rows, error) {
	if t.trace != nil {
		t.trace(TraceStatement)
	}
	s, err := t.conn.prepare(t.ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(t.ctx, args...)
}

// exec runs a statement that writes and returns the number of rows it wrote.
func (t *tx) exec(op, query string, args ...any) (int, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	if t.trace != nil {
		t.trace(TraceStatement)
	}
	s, err := t.conn.prepare(t.ctx, query)
	if err != nil {
		return 0, t.fail(op, err)
	}
	result, err := s.ExecContext(t.ctx, args...)
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
func (t *tx) execOne(op, query string, args ...any) error {
	n, err := t.exec(op, query, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: %s: %w", op, storage.ErrNotFound)
	}
	return err
}

// insert runs a statement that returns the identifier of the row it wrote.
func (t *tx) insert(op, query string, args ...any) (int64, error) {
	ids, err := returning(t, op, scanValue[int64], query, args...)
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// insertRows inserts rows of equal width. head is the statement up to VALUES,
// tail what follows the values. Long lists take several statements, so that few
// distinct ones have to be prepared.
func (t *tx) insertRows(op, head, tail string, width int, args []any) error {
	const most = 16
	for len(args) > 0 {
		n := min(len(args)/width, most)
		if _, err := t.exec(op, head+placeholders(n, width)+tail, args[:n*width]...); err != nil {
			return err
		}
		args = args[n*width:]
	}
	return nil
}

// fail marks the transaction as one that cannot be committed.
func (t *tx) fail(op string, err error) error {
	err = fmt.Errorf("sqlite: %s: %w", op, foreignKey(classify(t.path, err)))
	if t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *tx) readError(op string, err error) error {
	if rollsBack(err) {
		return t.fail(op, err)
	}
	return fmt.Errorf("sqlite: %s: %w", op, classify(t.path, err))
}

// all returns every row of a query.
func all[T any](t *tx, op string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	values, err := scanAll(t, scan, query, args...)
	if err != nil {
		return nil, t.readError(op, err)
	}
	return values, nil
}

// returning returns the rows of a statement that writes.
func returning[T any](t *tx, op string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
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

func scanAll[T any](t *tx, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := t.query(query, args...)
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
func one[T any](t *tx, op string, scan func(*sql.Rows) (T, error), query string, args ...any) (T, error) {
	values, err := all(t, op, scan, query, args...)
	return first(op, values, err)
}

// first returns the first of some records, or fails with storage.ErrNotFound.
func first[T any](op string, values []T, err error) (T, error) {
	if err == nil && len(values) == 0 {
		err = fmt.Errorf("sqlite: %s: %w", op, storage.ErrNotFound)
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
func (t *tx) execExpected(op, exists, query string, args ...any) error {
	n, err := t.exec(op, query, args...)
	if err == nil && n == 0 {
		err = t.unchanged(op, exists, args[0])
	}
	return err
}

// unchanged says why a statement found no row to change: the record is missing,
// or it is not in the state that the caller expected.
func (t *tx) unchanged(op, exists string, id any) error {
	found, err := one(t, op, scanValue[bool], exists, id)
	if err != nil {
		return err
	}
	reason := storage.ErrNotFound
	if found {
		reason = storage.ErrConflict
	}
	return fmt.Errorf("sqlite: %s: %w", op, reason)
}
