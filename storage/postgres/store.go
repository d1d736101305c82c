package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"castellan/storage"
	"castellan/storage/sqlstore"
)

var (
	_ storage.Store = (*Store)(nil)
	_ storage.Peers = (*Store)(nil)
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	config
	address                 string
	parsed                  *pgx.ConnConfig
	updates, views, reports *sql.DB
	stopping                context.Context // done when the store closes
	stop                    context.CancelFunc
	background              sync.WaitGroup                      // what runs beside the transactions
	onErase                 func(context.Context, pgx.Tx) error // see OnErase
	clock                   clock
	process                 string // names this process in its signals
	pending                 pendingSignals
	silence                 time.Duration // see the constant

	mu     sync.RWMutex // held for reading by every transaction
	closed bool
}

// The statements that begin a transaction, in one message to the server. Sequential
// scans are avoided, because they conflict with every write to the table. A process
// that stops in the middle of an update holds up the others for half a minute. Updates
// take a lock on the empty table updates, which is shared unless the update has to
// run alone. They lock it before the snapshot is taken, so that an update alone
// sees everything that was committed before.
const (
	beginView   = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
	beginUpdate = `BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL enable_seqscan = off; SET LOCAL idle_in_transaction_session_timeout = '30s'; LOCK TABLE updates IN ROW EXCLUSIVE MODE`
	beginAlone  = `BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL enable_seqscan = off; SET LOCAL idle_in_transaction_session_timeout = '30s'; LOCK TABLE updates IN EXCLUSIVE MODE`
)

// togetherRuns is how often an update runs together with others before it runs alone.
const togetherRuns = 2

// aloneRuns is how often an update runs alone before it fails. One run is not always
// enough: when a transaction ends, PostgreSQL releases its locks before it notes that
// the transaction no longer conflicts with later ones, and single statements outside
// of updates change leases.
const aloneRuns = 20

// Update implements storage.Store.
func (s *Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.mu.RUnlock()
	var lost time.Time // when the connection was first lost
	for conflicts := 0; ; {
		u := &update{store: s, alone: conflicts >= togetherRuns}
		err := u.run(ctx, fn)
		if u.sent != "" { // the commit, and no answer came
			err = s.settle(ctx, u.sent)
		}
		if err == nil {
			s.notify(u.signals...)
		}
		if err == nil && u.erases {
			s.afterErasing()
		}
		switch {
		case u.conflict && conflicts < togetherRuns+aloneRuns:
			conflicts++
		case errors.Is(err, errLost) && (lost.IsZero() || time.Since(lost) < s.patience):
			if lost.IsZero() {
				lost = time.Now()
			}
		default:
			return err
		}
		s.onRerun(err)
		if !u.conflict {
			if err := s.pause(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		} else if err := s.pause(ctx, time.Duration(conflicts)*2*time.Millisecond); err != nil {
			return err
		}
	}
}

// errLost reports that the connection was lost and nothing was committed.
var errLost = fmt.Errorf("%w: the connection was lost", storage.ErrUnreachable)

// pause waits for a random time up to most. It fails if ctx is done or the store
// closes.
func (s *Store) pause(ctx context.Context, most time.Duration) error {
	t := time.NewTimer(rand.N(most))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("postgres: wait to run again: %w", ctx.Err())
	case <-s.stopping.Done():
		return fmt.Errorf("postgres: %w", storage.ErrClosed)
	}
}

// update is one run of an Update.
type update struct {
	store *Store
	alone bool // while no other update runs
	// conflict reports that the run failed because of other updates.
	conflict bool
	// sent is the identifier of the commit if it was sent and no answer came.
	sent    string
	erases  bool
	signals []storage.Signal // to be sent after the commit
}

// run runs fn in one transaction. ctx only governs waiting for a connection.
func (u *update) run(ctx context.Context, fn func(storage.Tx) error) (err error) {
	conn, err := u.store.take(ctx, u.store.updates)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	begin := beginUpdate
	if u.alone {
		begin = beginAlone
	}
	committed := false
	// Deferred, because fn may panic or call runtime.Goexit.
	defer func() {
		if !committed {
			rollback(ctx, conn)
		}
		conn.Close()
	}()
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return u.failed("begin", conn, err)
	}
	t := sqlstore.New(ctx, conn, &sqlDriver)
	fnErr := fn(t)
	if err := t.Err(); err != nil {
		if again := u.failed("run", conn, err); u.conflict || errors.Is(again, errLost) || fnErr == nil {
			return again
		}
	}
	if fnErr != nil {
		return fnErr
	}
	commit, id := "COMMIT", ""
	if t.Wrote() {
		id = newID(u.store.Now())
		commit = "INSERT INTO commits (id) VALUES ('" + id + "'); " + u.take(t.Signals()) + "COMMIT"
	}
	if u.erases = t.Erases(); u.erases && u.store.onErase != nil {
		if err := conn.Raw(func(c any) error { return u.store.onErase(ctx, inTx{c.(*stdlib.Conn).Conn()}) }); err != nil {
			return u.failed("erase", conn, err)
		}
	}
	if _, err := conn.ExecContext(ctx, commit); err != nil {
		err = u.failed("commit", conn, err)
		if errors.Is(err, errLost) {
			u.sent = id
		}
		return err
	}
	committed = true
	for _, n := range t.Signals() {
		if n.Kind.WithCommit() {
			u.store.onSignal(n.Kind, true)
		}
	}
	return nil
}

// failed returns the error of a run, errLost if its connection is lost.
func (u *update) failed(op string, conn *sql.Conn, err error) error {
	if isLost(conn) {
		return fmt.Errorf("postgres: %s: %w (%w)", op, errLost, err)
	}
	u.conflict = isConflict(err)
	return fmt.Errorf("postgres: %s: %w", op, classify(err))
}

// isLost reports whether a connection has ended.
func isLost(conn *sql.Conn) bool {
	lost := true // also if database/sql has dropped it
	_ = conn.Raw(func(c any) error {
		lost = c.(*stdlib.Conn).Conn().IsClosed()
		return nil
	})
	return lost
}

// rollback ends the transaction of a connection. If it cannot, it closes the
// connection.
func rollback(ctx context.Context, conn *sql.Conn) {
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // database/sql closes it
	}
}

var sqlDriver = sqlstore.Driver{
	Classify: classify, Aborts: func(error) bool { return true },
	Now: "CAST(extract(epoch FROM clock_timestamp()) * 1000000000 AS BIGINT)", Share: " FOR SHARE", Lazily: " AND set_config('synchronous_commit', 'off', true) <> ''", Signals: true,
}

// settle finds out whether a commit took place whose answer was lost: it returns
// nil if so, and errLost if not. Then it can no longer take place either, because
// its identifier is taken. If the server has not dealt with the commit yet, the
// statement waits until it has.
func (s *Store) settle(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.patience)
	defer cancel()
	for {
		var void bool
		err := s.updates.QueryRowContext(ctx, `
INSERT INTO commits (id, void) VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET void = commits.void RETURNING void`, id).Scan(&void)
		switch {
		case err == nil && void:
			return fmt.Errorf("postgres: commit: %w", errLost)
		case err == nil:
			return nil
		case ctx.Err() != nil || !isUnreachable(err):
			return fmt.Errorf("postgres: commit: %w: %w", storage.ErrOutcomeUnknown, classify(err))
		}
		if s.pause(ctx, 100*time.Millisecond) != nil {
			return fmt.Errorf("postgres: commit: %w: %w", storage.ErrOutcomeUnknown, classify(err))
		}
	}
}

// View implements storage.Store.
func (s *Store) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.view(ctx, s.views, fn)
}

// Report implements storage.Store.
func (s *Store) Report(ctx context.Context, fn func(storage.Reader) error) error {
	return s.view(ctx, s.reports, fn)
}

func (s *Store) view(ctx context.Context, db *sql.DB, fn func(storage.Reader) error) (err error) {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.mu.RUnlock()
	conn, err := s.beginView(ctx, db)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	defer func() {
		rollback(ctx, conn)
		conn.Close()
	}()
	t := sqlstore.New(ctx, conn, &sqlDriver)
	if err := fn(t); err != nil {
		return err
	}
	return t.Err()
}

// beginView begins a view. A connection that turns out to be lost is replaced once.
func (s *Store) beginView(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	for again := true; ; again = false {
		conn, err := s.take(ctx, db)
		if err != nil {
			return nil, err
		}
		if _, err = conn.ExecContext(context.WithoutCancel(ctx), beginView); err == nil {
			return conn, nil
		}
		lost := isLost(conn)
		rollback(context.WithoutCancel(ctx), conn)
		conn.Close()
		if !lost || !again {
			return nil, fmt.Errorf("postgres: begin: %w", classify(err))
		}
	}
}

// enter fails if the store is closed, and otherwise keeps it open until mu is
// unlocked.
func (s *Store) enter() error {
	if !s.mu.TryRLock() { // Close waits for the transactions that have begun
		return fmt.Errorf("postgres: %w", storage.ErrClosed)
	}
	if s.closed {
		s.mu.RUnlock()
		return fmt.Errorf("postgres: %w", storage.ErrClosed)
	}
	return nil
}

// take waits for an unused connection, and opens one if need be, until ctx is done
// or the store closes.
func (s *Store) take(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	conn, err := db.Conn(waiting)
	if err == nil && waiting.Err() != nil {
		err = errors.Join(waiting.Err(), conn.Close())
	}
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("postgres: wait for a connection: %w", ctx.Err())
	case s.stopping.Err() != nil:
		return nil, fmt.Errorf("postgres: wait for a connection: %w", storage.ErrClosed)
	case isUnreachable(err):
		return nil, fmt.Errorf("postgres: connect: %w (%w)", errLost, err)
	}
	return nil, fmt.Errorf("postgres: connect: %w", classify(err))
}

// Intact implements storage.Store. It fails with storage.ErrUnreachable if the server
// does not answer.
func (s *Store) Intact() error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.mu.RUnlock()
	ctx, cancel := context.WithTimeout(s.stopping, 2*time.Second)
	defer cancel()
	if err := s.views.PingContext(ctx); err != nil {
		return fmt.Errorf("postgres: %w (%w)", storage.ErrUnreachable, err)
	}
	return nil
}

// Close implements storage.Store.
func (s *Store) Close() error {
	s.stop() // transactions that have not begun
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.background.Wait()
	if err := s.close(); err != nil {
		return fmt.Errorf("postgres: close: %w", err)
	}
	return nil
}

func (s *Store) close() error {
	s.stop()
	return errors.Join(s.updates.Close(), s.views.Close(), s.reports.Close())
}

// vacuumTime is how long the server may take to free the rows of a person.
const vacuumTime = 30 * time.Second

// afterErasing frees the rows that held the data of a person, in the background,
// unless somebody else does it, see OnErase. The server would do so at some later
// time, so Close waits for that, but no longer than vacuumTime.
func (s *Store) afterErasing() {
	if s.onErase != nil {
		return
	}
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), vacuumTime)
		defer cancel()
		_ = s.Vacuum(ctx) // or the server does it later
	})
}

// Vacuum frees the rows of people whose data was deleted.
func (s *Store) Vacuum(ctx context.Context) error {
	for _, table := range sqlstore.PersonTables() {
		if _, err := s.reports.ExecContext(ctx, "VACUUM "+table); err != nil {
			return fmt.Errorf("postgres: vacuum: %w", classify(err))
		}
	}
	return nil
}

// OnErase has fn called within each update that deletes the data of a person, and
// leaves it to fn that Vacuum is called afterwards. Call OnErase before the first
// update.
func (s *Store) OnErase(fn func(context.Context, pgx.Tx) error) { s.onErase = fn }

// inTx is the transaction of an update as pgx knows it. It neither begins nor ends
// one.
type inTx struct{ pgxConn }

// pgxConn is *pgx.Conn, whose name would hide the method Conn.
type pgxConn = *pgx.Conn

var errNested = errors.New("it is part of an update")

func (inTx) Begin(context.Context) (pgx.Tx, error) { return nil, errNested }
func (inTx) Commit(context.Context) error          { return errNested }
func (inTx) Rollback(context.Context) error        { return errNested }
func (inTx) LargeObjects() pgx.LargeObjects        { return pgx.LargeObjects{} }
func (t inTx) Conn() *pgx.Conn                     { return t.pgxConn }
