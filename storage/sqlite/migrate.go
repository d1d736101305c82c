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

// migrate brings the schema up to date. Each migration is one transaction.
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
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	return nil
}

// version is the version of the schema that this program makes: the number of
// the last migration.
func version() (int64, error) {
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

// schema is the version of the schema of a database, 0 where it has none yet.
func schema(ctx context.Context, db *sql.DB) (int64, error) {
	tables, err := ask[int](ctx, db, "SELECT count(*) FROM sqlite_schema WHERE name = '"+goose.DefaultTablename+"'")
	if err != nil || tables == 0 {
		return 0, err
	}
	return ask[int64](ctx, db, "SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename)
}

// checkVersion fails with storage.ErrNewer where a database has had migrations
// that this program does not know.
func checkVersion(ctx context.Context, db *sql.DB) error {
	known, err := version()
	if err != nil {
		return err
	}
	has, err := schema(ctx, db)
	if err != nil {
		return err
	}
	if has > known {
		return fmt.Errorf("%w (its schema is version %d, the last that is known here is %d)", storage.ErrNewerSchema, has, known)
	}
	return nil
}
