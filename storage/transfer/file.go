package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"castellan/storage/sqlite"
	"castellan/storage/sqlite/migrations"
)

// file is a SQLite database.
type file struct {
	db *sql.DB
	tx *sql.Tx
	// lock keeps a source from being used by others; nil for a target.
	lock *sqlite.Store
	// A target is created in a folder and copied to its place when it is complete.
	folder, target string
	triggers       []string // the statements that create them again
}

// openFile opens a source and locks it.
func openFile(ctx context.Context, name string) (_ *file, err error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("there is no such file; name a database that Castellan has made (%w)", err)
	}
	f := &file{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if err := f.checkVersion(ctx, path); err != nil {
		return nil, err
	}
	if f.lock, err = sqlite.Open(ctx, path); err != nil {
		return nil, err
	}
	return f, f.begin(ctx, path, url.Values{"mode": {"ro"}})
}

// checkVersion fails if a database has an older schema, which sqlite.Open would
// update. It leaves every other fault to sqlite.Open, which explains it.
func (f *file) checkVersion(ctx context.Context, path string) error {
	params := url.Values{"mode": {"ro"}}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		params.Set("immutable", "1") // creates no files beside it
	}
	db, err := sql.Open("sqlite", address(path, params))
	if err != nil {
		return err
	}
	defer db.Close()
	version, err := migrations.Version(ctx, db)
	latest, known := migrations.Latest()
	if err == nil && known == nil && version > 0 && version < latest {
		return checkVersion(version, migrations.Latest)
	}
	return known
}

// createFile creates a database beside the place of a target.
func createFile(ctx context.Context, name string, dry bool) (_ side, err error) {
	target, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	for _, suffix := range []string{"", "-wal", "-lock"} {
		if _, err := os.Lstat(target + suffix); err == nil {
			return nil, fmt.Errorf("%w: %s%s exists; name a new file", ErrNotEmpty, filepath.Base(target), suffix)
		}
	}
	f := &file{target: target}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if f.folder, err = os.MkdirTemp(filepath.Dir(target), "castellan-migrate-"); err != nil {
		return nil, err
	}
	if dry {
		return f, nil
	}
	store, err := sqlite.Open(ctx, f.path())
	if err == nil {
		err = store.Close()
	}
	if err == nil {
		err = f.begin(ctx, f.path(), url.Values{"_foreign_keys": {"1"}})
	}
	if err != nil {
		return nil, err
	}
	return f, f.dropTriggers(ctx)
}

// path returns the path of a target until it is complete.
func (f *file) path() string { return filepath.Join(f.folder, "castellan.db") }

// address returns the URI of a database.
func address(path string, params url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: params.Encode()}
	return u.String()
}

func (f *file) begin(ctx context.Context, path string, params url.Values) (err error) {
	if f.db, err = sql.Open("sqlite", address(path, params)); err != nil {
		return err
	}
	f.db.SetMaxOpenConns(1)
	f.tx, err = f.db.BeginTx(ctx, nil)
	return err
}

func (f *file) dropTriggers(ctx context.Context) error {
	rows, err := f.tx.QueryContext(ctx, `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	drop := []string{"PRAGMA defer_foreign_keys = ON"}
	for rows.Next() {
		var name, create string
		if err := rows.Scan(&name, &create); err != nil {
			return err
		}
		drop, f.triggers = append(drop, "DROP TRIGGER "+name), append(f.triggers, create)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	return f.exec(ctx, drop...)
}

func (f *file) exec(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := f.tx.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) columns(ctx context.Context) (map[string][]string, error) {
	rows, err := f.tx.QueryContext(ctx, `
SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
WHERE t.type = 'table' AND t.name NOT IN ('goose_db_version', 'sqlite_sequence', 'commits', 'leases') ORDER BY t.name, c.cid`)
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

func (f *file) read(ctx context.Context, table string, columns []string) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		rows, err := f.tx.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+table)
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

func (f *file) write(ctx context.Context, table string, columns []string, rows iter.Seq2[[]any, error]) error {
	insert, err := f.tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)",
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

func (f *file) lastIDs(ctx context.Context) (map[string]int64, error) {
	ids := map[string]int64{}
	for _, table := range numbered {
		var last int64
		if err := f.tx.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = $1", table).Scan(&last); err != nil {
			return nil, err
		}
		ids[table] = last
	}
	return ids, nil
}

func (f *file) finish(ctx context.Context, lastIDs map[string]int64) error {
	for table, last := range lastIDs {
		if err := f.exec(ctx, fmt.Sprintf("DELETE FROM sqlite_sequence WHERE name = '%s'", table)); err != nil {
			return err
		}
		if last == 0 {
			continue
		}
		if err := f.exec(ctx, fmt.Sprintf("INSERT INTO sqlite_sequence (name, seq) VALUES ('%s', %d)", table, last)); err != nil {
			return err
		}
	}
	return f.exec(ctx, f.triggers...)
}

// commit puts a target in its place.
func (f *file) commit(ctx context.Context) error {
	if err := errors.Join(f.tx.Commit(), f.db.Close()); err != nil {
		return err
	}
	_, err := sqlite.Backup(ctx, f.path(), f.target, false)
	return err
}

func (f *file) close() error {
	var errs []error
	if f.db != nil {
		errs = append(errs, f.db.Close()) // rolls back
	}
	if f.lock != nil {
		errs = append(errs, f.lock.Close())
	}
	if f.folder != "" {
		errs = append(errs, os.RemoveAll(f.folder))
	}
	return errors.Join(errs...)
}
