package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var embedded embed.FS

// migrations create and update the schema.
var migrations = func() fs.FS {
	files, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(err) // the name is valid
	}
	return files
}()

// migrate updates the schema. Each migration is one transaction.
func migrate(ctx context.Context, db *sql.DB, migrations fs.FS) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, migrations,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("update the schema: %w", err)
	}
	return nil
}

// knownSchema returns the schema version of this program: the number of its last
// migration.
func knownSchema() (last int64, err error) {
	names, err := fs.Glob(migrations, "*.sql")
	for _, name := range names {
		n, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("migrations: %s: %w", name, err)
		}
		last = max(last, n)
	}
	return last, err
}

// schemaVersion returns the schema version of a database, 0 if it has none yet.
func schemaVersion(ctx context.Context, db querier) (version int64, err error) {
	tables, err := queryValue[int](ctx, db, "SELECT count(*) FROM sqlite_schema WHERE name = '"+goose.DefaultTablename+"'")
	if err == nil && tables > 0 {
		version, err = queryValue[int64](ctx, db, "SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename)
	}
	return version, err
}
