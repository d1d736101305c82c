package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"castellan/storage"
)

var _ storage.Store = (*Store)(nil)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	path   string  // of the file; Memory where there is none
	writer *sql.DB // one connection; its transactions begin as writers; nil where it is only read
	reader *sql.DB // read-only connections; the writer itself in memory
	file   *sql.DB // what Check examines where that is not what reader reads
	lock   *lock   // nil in memory and where it is only read

	mu     sync.RWMutex // held for reading by every transaction
	closed bool
}

// Update implements storage.Store.
func (s *Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if s.writer == nil {
		return fmt.Errorf("sqlite: %w", storage.ErrReadOnly)
	}
	return s.run(ctx, s.writer, func(t *tx) error { return fn(t) })
}

// View implements storage.Store.
func (s *Store) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.run(ctx, s.reader, func(t *tx) error {
		// SQLite takes its picture of the database at the first statement,
		// not at BEGIN. This makes the moment the one at which View began.
		var n int
		if err := t.row("SELECT count(*) FROM matches WHERE id = 0").Scan(&n); err != nil {
			return fmt.Errorf("sqlite: begin to read: %w", classify(s.path, err))
		}
		return fn(t)
	})
}

// run runs fn in one transaction. ctx governs waiting for the connection; from
// the moment the transaction begins nothing can cancel it.
func (s *Store) run(ctx context.Context, db *sql.DB, fn func(*tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return fmt.Errorf("sqlite: %w", storage.ErrClosed)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("sqlite: wait for a connection: %w", classify(s.path, err))
	}
	defer conn.Close()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("sqlite: wait for a connection: %w", err)
	}
	inner := context.WithoutCancel(ctx)
	begun, err := conn.BeginTx(inner, nil)
	if err != nil {
		return fmt.Errorf("sqlite: begin: %w", classify(s.path, err))
	}
	t := &tx{ctx: inner, tx: begun, path: s.path}
	// After a panic of fn, too, or its runtime.Goexit; after a commit it does
	// nothing.
	defer begun.Rollback()
	if err := fn(t); err != nil {
		return err
	}
	if t.failed != nil {
		return t.failed
	}
	if err := begun.Commit(); err != nil {
		return fmt.Errorf("sqlite: commit: %w", classify(s.path, err))
	}
	return nil
}

// Close implements storage.Store. It waits for the transactions that have
// begun. A second Close does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	if s.reader != s.writer {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close()) // the last connection empties the write-ahead log
	}
	if s.lock != nil {
		errs = append(errs, s.lock.release())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sqlite: close: %w", err)
	}
	return nil
}

// tx implements storage.Reader and storage.Tx within one transaction; there is
// a file for each noun.
type tx struct {
	ctx context.Context // of the transaction; never cancelled
	tx  *sql.Tx
	// path is the database's, to find out why it fails.
	path string
	// failed is the first write that the database refused, or a read after
	// which SQLite may have rolled the transaction back by itself. It may have
	// been done in part, so the transaction cannot be committed any more, even
	// if its function goes on. Nothing is written after it: where SQLite has
	// rolled back, a statement would be a transaction of its own, and stay.
	failed error
}

var _ storage.Tx = (*tx)(nil)

func (t *tx) row(query string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(t.ctx, query, args...)
}

// exec runs a statement that writes, and says how many rows it wrote.
func (t *tx) exec(doing, query string, args ...any) (int, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	result, err := t.tx.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, t.fail(doing, err)
	}
	return int(n), nil
}

// insert runs a statement that returns the identifier of the row it wrote.
func (t *tx) insert(doing, query string, args ...any) (int64, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	var id int64
	if err := t.row(query, args...).Scan(&id); err != nil {
		return 0, t.fail(doing, err)
	}
	return id, nil
}

// fail marks the transaction as one that cannot be committed.
func (t *tx) fail(doing string, err error) error {
	err = fmt.Errorf("sqlite: %s: %w", doing, missing(classify(t.path, err)))
	if t.failed == nil {
		t.failed = err
	}
	return err
}

// unread is the error of something that could not be read.
func (t *tx) unread(doing string, err error) error {
	if ends(err) {
		return t.fail(doing, err)
	}
	return fmt.Errorf("sqlite: %s: %w", doing, classify(t.path, err))
}

// exists reports whether a query gives true.
func (t *tx) exists(doing, query string, args ...any) (bool, error) {
	var yes bool
	if err := t.row(query, args...).Scan(&yes); err != nil {
		return false, t.unread(doing, err)
	}
	return yes, nil
}

// collect is every row of a query.
func collect[T any](t *tx, doing string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := t.tx.QueryContext(t.ctx, query, args...)
	if err != nil {
		return nil, t.unread(doing, err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, t.unread(doing, err)
		}
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		return nil, t.unread(doing, err)
	}
	return all, nil
}

// one is the only row of a query, or storage.ErrNotFound.
func one[T any](t *tx, doing string, scan func(*sql.Rows) (T, error), query string, args ...any) (T, error) {
	all, err := collect(t, doing, scan, query, args...)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("sqlite: %s: %w", doing, storage.ErrNotFound)
	}
	if err != nil {
		var none T
		return none, err
	}
	return all[0], nil
}
