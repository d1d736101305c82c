package transfer

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/migrations"
	"castellan/storage/sqlite"
)

// side is one of the databases, in a transaction. Closing it rolls back.
type side struct {
	db   *sql.DB
	conn *sql.Conn // in the transaction
	dialect
	// lock keeps a file from being used by others; nil for a target.
	lock *sqlite.Store
	// A file is created in a folder and copied to its place when it is complete.
	folder, target string
}

// dialect is what the databases do differently.
type dialect struct {
	server bool
	// columns selects the columns of all tables that are copied, by table, in order.
	columns string
	// lastID selects the last identifier that was given out in a table of numbered.
	lastID string
	// setLastID has statements for a table, that identifier and the next one.
	setLastID []string
}

var (
	file = dialect{false, `
SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
WHERE t.type = 'table' AND t.name NOT IN ('goose_db_version', 'sqlite_sequence', 'leases') ORDER BY t.name, c.cid`,
		`SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '%s'`,
		[]string{`DELETE FROM sqlite_sequence WHERE name = '%[1]s'`, `INSERT INTO sqlite_sequence (name, seq) SELECT '%[1]s', %[2]d WHERE %[2]d > 0`}}
	// Only PostgreSQL has the tables that are left out, among them those of River.
	server = dialect{true, `
SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE 'river\_%'
    AND c.relname NOT IN ('goose_db_version', 'commits', 'updates', 'leases', 'request_shares', 'invalid_requests') ORDER BY c.relname, a.attnum`,
		`SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM %s_id_seq`,
		[]string{`ALTER TABLE %[1]s ALTER COLUMN id RESTART WITH %[3]d`}}
)

func openSource(ctx context.Context, name string) (_ *side, err error) {
	if IsURL(name) {
		s, err := connect(ctx, name)
		if err == nil {
			err = s.start(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") // one snapshot
		}
		return s.orClose(err)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	// Open would update an older schema.
	if err := sqlite.Read(ctx, path, func(*sqlite.Store) error { return nil }); err != nil {
		return nil, err
	}
	s := &side{dialect: file}
	if s.lock, err = sqlite.Open(ctx, path); err == nil {
		err = s.open(ctx, path, url.Values{"mode": {"ro"}})
	}
	return s.orClose(err)
}

// openTarget returns an empty database with a schema, or one that is not open if it would be
// created and dry is set.
func openTarget(ctx context.Context, name string, dry bool) (*side, error) {
	if IsURL(name) {
		s, err := connect(ctx, name)
		if err == nil {
			err = s.prepare(ctx, dry)
		}
		return s.orClose(err)
	}
	target, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	for _, suffix := range []string{"", "-wal", "-lock"} {
		if _, err := os.Lstat(target + suffix); err == nil {
			return nil, fmt.Errorf("%w: %s%s exists; name a new file", ErrNotEmpty, filepath.Base(target), suffix)
		}
	}
	s := &side{dialect: file, target: target}
	if s.folder, err = os.MkdirTemp(filepath.Dir(target), "castellan-migrate-"); err != nil || dry {
		return s.orClose(err)
	}
	store, err := sqlite.Open(ctx, s.path())
	if err == nil {
		err = store.Close()
	}
	if err == nil {
		err = s.open(ctx, s.path(), url.Values{"_foreign_keys": {"1"}})
	}
	if err == nil {
		err = s.exec(ctx, "PRAGMA defer_foreign_keys = ON")
	}
	return s.orClose(err)
}

// orClose closes the database if there is an error.
func (s *side) orClose(err error) (*side, error) {
	if err != nil && s != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, err
}

// path returns the path of a file until it is complete.
func (s *side) path() string { return filepath.Join(s.folder, "castellan.db") }

// open begins a transaction on a file.
func (s *side) open(ctx context.Context, path string, params url.Values) (err error) {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: params.Encode()}
	if s.db, err = sql.Open("sqlite", u.String()); err == nil {
		err = s.begin(ctx, "BEGIN")
	}
	return err
}

// connect returns a database on PostgreSQL without a transaction.
func connect(ctx context.Context, url string) (*side, error) {
	to, err := pgx.ParseConfig(url)
	if err == nil {
		err = postgres.CheckTLS(to)
	}
	if err != nil {
		return nil, err
	}
	s := &side{db: stdlib.OpenDB(*to), dialect: server}
	return s, s.db.PingContext(ctx)
}

func (s *side) begin(ctx context.Context, statement string) (err error) {
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return err
	}
	return s.exec(ctx, statement)
}

// start begins a transaction on PostgreSQL. It fails if the schema is not this program's.
func (s *side) start(ctx context.Context, statement string) error {
	if err := s.begin(ctx, statement); err != nil {
		return err
	}
	latest, err := migrations.Latest()
	if err != nil {
		return err
	}
	version, err := migrations.Version(ctx, s.conn)
	switch {
	case err != nil:
		return err
	case version == 0:
		return storage.ErrForeign
	case version > latest:
		return fmt.Errorf("%w (its schema is version %d, this program knows up to %d)", storage.ErrNewerSchema, version, latest)
	case version < latest:
		return fmt.Errorf("its schema is version %d and this program's is %d; start this program's bot with it once, which updates it", version, latest)
	}
	return nil
}

// prepare creates the tables of an empty database, begins a transaction, and locks all
// tables against others. It fails if one has a row.
func (s *side) prepare(ctx context.Context, dry bool) error {
	var tables int
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'f')`).Scan(&tables); err != nil {
		return err
	}
	if tables == 0 {
		if dry {
			return nil
		}
		if err := migrations.Up(ctx, s.db); err != nil {
			return err
		}
	}
	if err := s.start(ctx, "BEGIN"); err != nil {
		return err
	}
	columns, err := s.tables(ctx)
	if err != nil {
		return err
	}
	for table := range columns {
		if err := s.exec(ctx, "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE NOWAIT"); err != nil {
			return fmt.Errorf("another program uses it: %w", err)
		}
		var rows bool
		if err := s.conn.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+table+")").Scan(&rows); err != nil {
			return err
		}
		if rows {
			return fmt.Errorf("%w: the table %s has rows", ErrNotEmpty, table)
		}
	}
	return s.exec(ctx, "SET CONSTRAINTS ALL DEFERRED")
}

func (s *side) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return err
}

// tables returns the columns of all tables that are copied.
func (s *side) tables(ctx context.Context) (map[string][]string, error) {
	rows, err := s.conn.QueryContext(ctx, s.columns)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		columns[table] = append(columns[table], column)
	}
	return columns, rows.Err()
}

func (s *side) read(ctx context.Context, table string, columns []string) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		rows, err := s.conn.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+table)
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			row, to := make([]any, len(columns)), make([]any, len(columns))
			for i := range row {
				to[i] = &row[i]
			}
			err := rows.Scan(to...)
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}

func (s *side) write(ctx context.Context, table string, columns []string, rows iter.Seq2[[]any, error]) error {
	if s.server {
		next, stop := iter.Pull2(rows)
		defer stop()
		return s.conn.Raw(func(c any) error {
			_, err := c.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
				row, err, _ := next()
				return row, err
			}))
			return err
		})
	}
	insert, err := s.conn.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)",
		table, strings.Join(columns, ", "), strings.Repeat(", ?", len(columns)-1)))
	if err != nil {
		return err
	}
	defer insert.Close()
	for row, err := range rows {
		if err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}

// finish checks the references of a target, gives out the same identifiers as the source
// next, and puts it in its place.
func (s *side) finish(ctx context.Context, source *side) error {
	if s.server { // checks them
		if err := s.exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
			return err
		}
	}
	for _, table := range numbered {
		var last int64
		if err := source.conn.QueryRowContext(ctx, fmt.Sprintf(source.lastID, table)).Scan(&last); err != nil {
			return err
		}
		for _, statement := range s.setLastID {
			if err := s.exec(ctx, fmt.Sprintf(statement, table, last, last+1)); err != nil {
				return err
			}
		}
	}
	if err := s.exec(ctx, "COMMIT"); err != nil || s.server {
		return err
	}
	err := errors.Join(s.conn.Close(), s.db.Close())
	if err == nil {
		_, err = sqlite.Backup(ctx, s.path(), s.target, false)
	}
	return err
}

func (s *side) close() error {
	var errs []error
	if s.conn != nil {
		_ = s.conn.Raw(func(any) error { return driver.ErrBadConn }) // ends the transaction, unless it has ended
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	if s.folder != "" {
		errs = append(errs, os.RemoveAll(s.folder))
	}
	return errors.Join(errs...)
}
