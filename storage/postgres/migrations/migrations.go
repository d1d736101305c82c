// Package migrations creates and updates the schema of a PostgreSQL database.
package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
)

// Lock is the number of the advisory lock of those who update a schema: the bytes
// "CSTL".
const Lock = 'C'<<24 | 'S'<<16 | 'T'<<8 | 'L'

// Up updates the schema. Each migration is one transaction. Several processes may
// call it at the same time: one updates, the others wait for it. It needs two
// connections.
//
// Programs of the version before can use the database meanwhile and afterwards, if the
// migrations say so. Up fails, and changes nothing, if a program is connected that
// could not. The connections of db should have a lock_timeout of less than
// deadlock_timeout, so that a migration that waits for the transactions of others
// does not hold up those for long; it is tried again for up to a minute.
func Up(ctx context.Context, db *sql.DB) error { return UpWith(ctx, db, files) }

// UpWith updates the schema like Up, with the migrations of another version: files
// whose names end in .sql. It is for tests.
func UpWith(ctx context.Context, db *sql.DB, files fs.FS) (err error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("update the schema: %w", err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN; SET LOCAL lock_timeout = 0; SELECT pg_advisory_lock("+strconv.Itoa(Lock)+"); END"); err != nil {
		return fmt.Errorf("update the schema: %w", err)
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", Lock)
		err = errors.Join(err, e)
	}()
	latest, err := latestOf(files)
	if err != nil {
		return err
	}
	if version, err := Version(ctx, conn); err != nil || version >= latest {
		return err
	}
	if err := checkConnected(ctx, conn, files, latest); err != nil {
		return err
	}
	for begun := time.Now(); ; {
		_, err := provider.Up(ctx)
		var refused *pgconn.PgError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &refused) || refused.Code != lockTimeout && refused.Code != deadlock || time.Since(begun) > time.Minute || ctx.Err() != nil:
			return fmt.Errorf("update the schema: %w", err)
		}
		select {
		case <-time.After(100 * time.Millisecond): // those who waited for the migration go on
		case <-ctx.Done():
		}
	}
}

// Codes of PostgreSQL's errors.
const (
	lockTimeout = "55P03"
	deadlock    = "40P01"
)

// application is what a program adds to the application_name of its connections, with
// the newest schema that it knows.
var application = regexp.MustCompile(` \(schema (\d+)\)$`)

// Application returns the application_name of the connections of this program.
func Application(name string) (string, error) {
	latest, err := Latest()
	return fmt.Sprintf("%.40s (schema %d)", name, latest), err // PostgreSQL keeps 63 bytes
}

// checkConnected fails if a program is connected that could not use the schema after
// the migrations.
func checkConnected(ctx context.Context, conn *sql.Conn, files fs.FS, latest int64) error {
	oldest, err := oldestOf(files, latest)
	if err != nil {
		return err
	}
	rows, err := conn.QueryContext(ctx, "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name <> ''")
	if err != nil {
		return fmt.Errorf("update the schema: look for other programs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return fmt.Errorf("update the schema: look for other programs: %w", err)
		}
		if m := application.FindStringSubmatch(name); m != nil {
			if knows, _ := strconv.ParseInt(m[1], 10, 64); knows < oldest { // it is a number
				return fmt.Errorf("a program of an older version is connected, which knows the schema up to version %d; this update needs programs that know version %d: stop it first, or update to the versions between one after the other", knows, oldest)
			}
		}
	}
	return rows.Err()
}

// oldestOf returns what the last migration says about the programs that can use the
// schema; see Oldest.
func oldestOf(files fs.FS, latest int64) (int64, error) {
	names, err := fs.Glob(files, fmt.Sprintf("%04d_*.sql", latest))
	if err != nil || len(names) != 1 {
		return 0, fmt.Errorf("migrations: %d files of version %d: %w", len(names), latest, err)
	}
	text, err := fs.ReadFile(files, names[0])
	if err != nil {
		return 0, fmt.Errorf("migrations: %w", err)
	}
	m := comment.FindSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("migrations: %s does not say which programs can use the schema", names[0])
	}
	return strconv.ParseInt(string(m[1]), 10, 64)
}

// comment is the statement with which each migration records the oldest program that
// can use the schema.
var comment = regexp.MustCompile(`(?m)^COMMENT ON TABLE goose_db_version IS 'used by programs that know version (\d+)';$`)

// Oldest returns the version of the schema that a program has to know at least to use
// a database, or its version if that is not recorded.
func Oldest(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (oldest int64, err error) {
	var text sql.NullString
	if err := db.QueryRowContext(ctx, "SELECT obj_description(to_regclass('"+goose.DefaultTablename+"'), 'pg_class')").Scan(&text); err != nil {
		return 0, err
	}
	if n, ok := strings.CutPrefix(text.String, "used by programs that know version "); ok {
		if oldest, err := strconv.ParseInt(n, 10, 64); err == nil {
			return oldest, nil
		}
	}
	return Version(ctx, db)
}

// Latest returns the schema version of this program: the number of the
// last migration.
func Latest() (int64, error) { return latestOf(files) }

func latestOf(files fs.FS) (int64, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("migrations: %w", err)
	}
	var last int64
	for _, name := range names {
		n, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("migrations: %s: %w", name, err)
		}
		last = max(last, n)
	}
	return last, nil
}

// Version returns the schema version of a database, 0 if it has none yet.
func Version(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (version int64, err error) {
	var exists bool
	err = db.QueryRowContext(ctx, "SELECT to_regclass('"+goose.DefaultTablename+"') IS NOT NULL").Scan(&exists)
	if err == nil && exists {
		err = db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename).Scan(&version)
	}
	return version, err
}
