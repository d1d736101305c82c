// Package migrations creates and updates the schema of a PostgreSQL database.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed *.sql
var files embed.FS

// Lock is the number of the advisory lock of those who update a schema: the bytes
// "CSTL".
const Lock = 'C'<<24 | 'S'<<16 | 'T'<<8 | 'L'

// Up updates the schema. Each migration is one transaction. Several processes may
// call it at the same time: one updates, the others wait for it. It needs two
// connections.
func Up(ctx context.Context, db *sql.DB) (err error) {
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
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", Lock); err != nil {
		return fmt.Errorf("update the schema: %w", err)
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", Lock)
		err = errors.Join(err, e)
	}()
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("update the schema: %w", err)
	}
	return nil
}

// Latest returns the schema version of this program: the number of the
// last migration.
func Latest() (int64, error) {
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
