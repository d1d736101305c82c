// Package migrations creates and updates the schema of a database.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed *.sql
var files embed.FS

// Up updates the schema. Each migration is one transaction.
func Up(ctx context.Context, db *sql.DB) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
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
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = '"+goose.DefaultTablename+"'").Scan(&tables)
	if err == nil && tables > 0 {
		err = db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename).Scan(&version)
	}
	return version, err
}
