package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"castellan/storage"
)

// Check looks for damage: what SQLite itself finds wrong with the file, records
// that refer to others that are not there, and seats that are missing. Each
// finding is one line; none means that all is well. It takes time in proportion
// to the size of the database.
func (s *Store) Check(ctx context.Context) (findings []string, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, fmt.Errorf("sqlite: check: %w", storage.ErrClosed)
	}
	db := s.file
	if db == nil {
		db = s.reader
	}
	findings, err = examine(ctx, db)
	if err = classify(s.path, err); errors.Is(err, storage.ErrCorrupt) {
		return append(findings, err.Error()), nil // it cannot even be examined
	}
	if err != nil {
		return nil, fmt.Errorf("sqlite: check: %w", err)
	}
	return findings, nil
}

// integrity is SQLite's own examination: one row, "ok", or up to a hundred of
// what is wrong (https://www.sqlite.org/pragma.html#pragma_integrity_check).
const integrity = "PRAGMA integrity_check"

// missingSeats is the matches whose seats are not numbered from 1 on.
const missingSeats = `SELECT match_id FROM seats GROUP BY match_id HAVING max(seat) <> count(*) ORDER BY match_id`

// sound is what SQLite finds wrong with a file.
func sound(ctx context.Context, db *sql.DB) (findings []string, err error) {
	err = each(ctx, db, integrity, func(rows *sql.Rows) error {
		var line string
		err := rows.Scan(&line)
		if line != "ok" {
			findings = append(findings, line)
		}
		return err
	})
	return findings, err
}

func examine(ctx context.Context, db *sql.DB) (findings []string, err error) {
	findings, err = sound(ctx, db)
	if err != nil || len(findings) > 0 {
		return findings, err // of a damaged file nothing else is worth asking
	}
	err = each(ctx, db, "PRAGMA foreign_key_check", func(rows *sql.Rows) error {
		var (
			table, parent string
			row           sql.NullInt64 // NULL in tables without rowid
			key           int
		)
		err := rows.Scan(&table, &row, &parent, &key)
		findings = append(findings, fmt.Sprintf("a row of %s refers to a row of %s that is not there", table, parent))
		return err
	})
	if err != nil {
		return nil, err
	}
	err = each(ctx, db, missingSeats, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		findings = append(findings, fmt.Sprintf("match %d has a gap in its seats", id))
		return err
	})
	return findings, err
}

// each calls fn for every row of a query.
func each(ctx context.Context, db *sql.DB, query string, fn func(*sql.Rows) error) error {
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
