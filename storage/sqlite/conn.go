package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"castellan/storage"
	"castellan/storage/sqlstore"
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

// QueryContext implements sqlstore.Conn.
func (c *conn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// ExecContext implements sqlstore.Conn.
func (c *conn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

func (c *conn) exec(ctx context.Context, query string) error {
	_, err := c.ExecContext(ctx, query)
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
	files *watchedFiles
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
func (p *pool) run(ctx context.Context, path string, trace func(TraceKind), fn func(*sqlstore.Tx) error) (err error) {
	c, err := p.take(ctx)
	if err != nil {
		return fmt.Errorf("sqlite: wait for a connection: %w", classify(path, err))
	}
	var broken bool
	defer func() { p.put(c, broken) }()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("sqlite: wait for a connection: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	d := &sqlstore.Driver{Classify: func(err error) error { return foreignKey(classify(path, err)) }, Aborts: rollsBack}
	if trace != nil {
		d.Trace = func() { trace(TraceStatement) }
	}
	t := sqlstore.New(ctx, c, d)
	if err := c.exec(ctx, p.begin); err != nil {
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
		rollback := c.exec(ctx, "ROLLBACK")
		broken = rollback != nil && primary(rollback) != sqlite3.SQLITE_ERROR
	}()
	if err := fn(t); err != nil {
		return err
	}
	if err := t.Err(); err != nil {
		return err
	}
	if p.files != nil && t.Wrote() {
		if err := p.files.check(); err != nil {
			return fmt.Errorf("sqlite: commit: %w", err)
		}
	}
	if err := c.exec(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("sqlite: commit: %w", classify(path, err))
	}
	if p.files != nil && t.Wrote() {
		p.files.committed(false)
	}
	committed = true
	return nil
}
