package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"castellan/storage"
	"castellan/storage/sqlstore"
)

var _ storage.Store = (*Store)(nil)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	path   string // of the file, or Memory
	writer *pool  // one connection; nil for a store that only reads
	reader *pool  // read-only connections
	// reports are further read-only connections; nil if those of reader serve
	// reports as well.
	reports *pool
	shared  bool          // writer and reader share a connection, in memory
	unlock  unlock        // nil in memory and for a store that only reads
	files   *watchedFiles // likewise
	// restored reports that the database was not in WAL mode when it was opened.
	restored bool
	// unerased reports that the write-ahead log may hold data of a person that was
	// deleted. It is emptied after the next Update, or when the database is opened
	// or closed.
	unerased atomic.Bool
	trace    func(TraceKind)

	mu     sync.RWMutex // held for reading by every transaction
	closed bool
	refuse sync.Once
}

// Update implements storage.Store.
func (s *Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if s.writer == nil {
		return fmt.Errorf("sqlite: %w", storage.ErrReadOnly)
	}
	erases := false
	err := s.run(ctx, s.writer, func(t *sqlstore.Tx) error {
		err := fn(t)
		erases = t.Erases()
		return err
	})
	if erases && err == nil {
		s.unerased.Store(true)
	}
	if s.files != nil && s.unerased.Load() && s.erase(context.WithoutCancel(ctx)) {
		s.unerased.Store(false)
	}
	return err
}

// View implements storage.Store.
func (s *Store) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.run(ctx, s.reader, func(t *sqlstore.Tx) error { return fn(t) })
}

// Report implements storage.Store.
func (s *Store) Report(ctx context.Context, fn func(storage.Reader) error) error {
	p := s.reader
	if s.reports != nil {
		p = s.reports
	}
	return s.run(ctx, p, func(t *sqlstore.Tx) error { return fn(t) })
}

// ClaimPosts implements storage.DeliveryLeaser. Nobody else uses the file.
func (s *Store) ClaimPosts(ctx context.Context, now time.Time, limit int, d time.Duration) (c storage.ClaimedPosts, err error) {
	err = s.run(ctx, s.reader, func(t *sqlstore.Tx) error {
		c, err = t.ClaimPosts(now, limit, d)
		return err
	})
	return c, err
}

// ClaimDelivery implements storage.DeliveryLeaser.
func (*Store) ClaimDelivery(context.Context, storage.DeliveryLease, time.Duration, bool) (storage.DeliveryLease, error) {
	return storage.DeliveryLease{}, nil
}

// ReleaseDelivery implements storage.DeliveryLeaser.
func (*Store) ReleaseDelivery(context.Context, storage.DeliveryLease) error { return nil }

func (s *Store) run(ctx context.Context, p *pool, fn func(*sqlstore.Tx) error) error {
	if !s.mu.TryRLock() { // Close waits for the transactions that have begun
		return fmt.Errorf("sqlite: %w", storage.ErrClosed)
	}
	defer s.mu.RUnlock()
	if s.closed {
		return fmt.Errorf("sqlite: %w", storage.ErrClosed)
	}
	err := p.run(ctx, s.path, s.trace, fn)
	if errors.Is(err, storage.ErrReplaced) {
		s.rescue()
		if now := s.files.check(); now != nil { // which says what was saved
			return fmt.Errorf("sqlite: commit: %w", now)
		}
	}
	return err
}

// Restored reports whether the database was a backup that has been opened for
// the first time.
func (s *Store) Restored() bool { return s.restored }

// AcquireLease implements storage.Leaser.
func (s *Store) AcquireLease(ctx context.Context, name, holder, note string, d time.Duration) (l storage.Lease, err error) {
	err = s.lease(ctx, func(t *sqlstore.Tx) error { l, err = t.AcquireLease(name, holder, note, d); return err })
	return l, err
}

// RenewLease implements storage.Leaser.
func (s *Store) RenewLease(ctx context.Context, l storage.Lease, d time.Duration) (_ storage.Lease, err error) {
	err = s.lease(ctx, func(t *sqlstore.Tx) error { l, err = t.RenewLease(l, d); return err })
	return l, err
}

// ReleaseLease implements storage.Leaser.
func (s *Store) ReleaseLease(ctx context.Context, l storage.Lease) error {
	return s.lease(ctx, func(t *sqlstore.Tx) error { return t.ReleaseLease(l) })
}

func (s *Store) lease(ctx context.Context, fn func(*sqlstore.Tx) error) error {
	if s.writer == nil {
		return fmt.Errorf("sqlite: %w", storage.ErrReadOnly)
	}
	return s.run(ctx, s.writer, fn)
}

// dropLeases removes the leases of the last process: this one has the file alone.
func (s *Store) dropLeases(ctx context.Context) error {
	return s.lease(ctx, func(t *sqlstore.Tx) error { return t.DropLeases() })
}

// Intact implements storage.Store.
func (s *Store) Intact() error {
	if s.files == nil || !s.mu.TryRLock() { // nothing is lost by closing
		return nil
	}
	defer s.mu.RUnlock()
	if s.closed {
		return nil
	}
	if s.files.check() == nil {
		s.files.restored()
		return nil
	}
	s.rescue()
	if err := s.files.check(); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	return nil
}

// Close implements storage.Store.
func (s *Store) Close() error {
	s.refuse.Do(func() { // transactions that have not begun
		close(s.reader.closing)
		if s.reports != nil {
			close(s.reports.closing)
		}
		if s.writer != nil && !s.shared {
			close(s.writer.closing)
		}
	})
	if !s.markClosed() {
		return nil
	}
	var errs []error
	if !s.shared {
		errs = append(errs, s.reader.close())
	}
	if s.reports != nil {
		errs = append(errs, s.reports.close())
	}
	cut := s.files != nil && s.files.cut()
	if s.files != nil {
		errs = append(errs, s.files.log.Close()) // on Windows nobody can remove an open file
	}
	if s.writer != nil && !cut {
		errs = append(errs, s.writer.close()) // the last connection empties the write-ahead log, which must be whole
	}
	if s.unlock != nil {
		errs = append(errs, s.unlock())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sqlite: close: %w", err)
	}
	return nil
}

// markClosed waits for running transactions and keeps others from beginning. It
// reports whether the store was open.
func (s *Store) markClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.closed = true
	return true
}

// Check looks for damage: whatever SQLite finds wrong with the file, an end that was cut
// off, rows that refer to missing rows, and gaps between seats. Each finding is one line. The
// time it takes is proportional to the size of the database. A database in use is
// examined table by table, so that its write-ahead log does not grow. Pages that
// belong to no table are not found then.
func (s *Store) Check(ctx context.Context) (findings []string, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, fmt.Errorf("sqlite: check: %w", storage.ErrClosed)
	}
	inUse := hasLog(s.path)
	c, err := s.reader.take(ctx)
	if err == nil {
		findings, err = examine(ctx, c.conn, inUse)
		if err == nil && !inUse && s.path != Memory {
			var cut []string
			cut, err = examineEnd(ctx, c.conn, s.path)
			findings = append(findings, cut...)
		}
		s.reader.put(c, false)
	}
	if err = classify(s.path, err); errors.Is(err, storage.ErrCorrupt) {
		return append(findings, err.Error()), nil // too damaged to examine
	}
	if err != nil {
		return nil, fmt.Errorf("sqlite: check: %w", err)
	}
	return findings, nil
}

// querier is a database or one of its connections or transactions.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// examineEnd reports that a file without a log ends within a page. SQLite reads zeros for
// what is missing there, and cannot find that if no row was.
func examineEnd(ctx context.Context, db querier, path string) (findings []string, err error) {
	var page int64
	if err := db.QueryRowContext(ctx, "PRAGMA page_size").Scan(&page); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if over := info.Size() % page; over != 0 {
		findings = append(findings, fmt.Sprintf("the file was cut off: %d bytes of its last page are missing", page-over))
	}
	return findings, nil
}

// integrity makes SQLite examine the file. It returns one row, "ok", or up to a
// hundred findings (https://www.sqlite.org/pragma.html#pragma_integrity_check).
const integrity = "PRAGMA integrity_check"

// seatGaps selects the matches whose seats are not numbered from 1 on.
const seatGaps = `SELECT match_id FROM seats GROUP BY match_id HAVING max(seat) <> count(*) ORDER BY match_id`

// tables selects the names of all tables, that of the schema first.
const tables = `SELECT 'sqlite_schema' UNION ALL SELECT name FROM sqlite_schema WHERE type = 'table'`

// examineFile examines the whole file, or each table by itself.
func examineFile(ctx context.Context, db querier, byTable bool) (findings []string, err error) {
	checks := []string{integrity}
	if byTable {
		checks = nil
		err := each(ctx, db, tables, func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			checks = append(checks, integrity+`("`+name+`")`)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, check := range checks {
		err := each(ctx, db, check, func(rows *sql.Rows) error {
			var line string
			err := rows.Scan(&line)
			if line != "ok" {
				findings = append(findings, line)
			}
			return err
		})
		if err != nil {
			return findings, err
		}
	}
	return findings, nil
}

func examine(ctx context.Context, db querier, byTable bool) (findings []string, err error) {
	findings, err = examineFile(ctx, db, byTable)
	if err != nil || len(findings) > 0 {
		return findings, err // further findings in a damaged file mean nothing
	}
	err = each(ctx, db, "PRAGMA foreign_key_check", func(rows *sql.Rows) error {
		var (
			table, parent string
			row           sql.NullInt64 // NULL in tables without rowid
			key           int
		)
		err := rows.Scan(&table, &row, &parent, &key)
		findings = append(findings, fmt.Sprintf("a row of %s refers to a missing row of %s", table, parent))
		return err
	})
	if err != nil {
		return nil, err
	}
	err = each(ctx, db, seatGaps, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		findings = append(findings, fmt.Sprintf("match %d has a gap in its seats", id))
		return err
	})
	return findings, err
}

// each calls fn for every row of a query.
func each(ctx context.Context, db querier, query string, fn func(*sql.Rows) error) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// erase moves the write-ahead log into the database and empties it, so that it
// holds nothing of a person whose data was deleted. The database itself holds
// nothing, because SQLite overwrites what is deleted (secure_delete). It reports
// whether it could: not while somebody reads, for whom it does not wait.
func (s *Store) erase(ctx context.Context) bool {
	c, err := s.writer.take(ctx)
	if err != nil {
		return false
	}
	defer s.writer.put(c, false)
	if s.files.cut() {
		return false // the gap would be moved into the database
	}
	wait, err := queryValue[int](ctx, c.conn, "PRAGMA busy_timeout")
	if err != nil || c.exec(ctx, "PRAGMA busy_timeout = 0") != nil {
		return false
	}
	busy := true
	err = each(ctx, c.conn, "PRAGMA wal_checkpoint(TRUNCATE)", func(rows *sql.Rows) error {
		var frames, moved int
		return rows.Scan(&busy, &frames, &moved)
	})
	if err == nil && !busy {
		s.files.committed(true)
	}
	return c.exec(ctx, fmt.Sprint("PRAGMA busy_timeout = ", wait)) == nil && err == nil && !busy
}
