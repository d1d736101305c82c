package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"castellan/storage"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate updates the schema. Each migration is one transaction.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
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

// latestVersion returns the schema version of this program: the number of the
// last migration.
func latestVersion() (int64, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
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

// schemaVersion returns the schema version of a database, 0 if it has none yet.
func schemaVersion(ctx context.Context, db querier) (int64, error) {
	tables, err := ask[int](ctx, db, "SELECT count(*) FROM sqlite_schema WHERE name = '"+goose.DefaultTablename+"'")
	if err != nil || tables == 0 {
		return 0, err
	}
	return ask[int64](ctx, db, "SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename)
}

// checkVersion fails with storage.ErrNewerSchema if a database has had
// migrations that this program does not have.
func checkVersion(ctx context.Context, db querier) error {
	latest, err := latestVersion()
	if err != nil {
		return err
	}
	has, err := schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	if has > latest {
		return fmt.Errorf("%w (its schema is version %d, this program knows up to %d)", storage.ErrNewerSchema, has, latest)
	}
	return nil
}
