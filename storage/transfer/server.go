package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx, for migrations

	"castellan/storage"
	"castellan/storage/postgres/migrations"
)

// server is a database on PostgreSQL.
type server struct {
	conn *pgx.Conn
	tx   pgx.Tx
}

func openServer(ctx context.Context, url string, write bool) (_ *server, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	s := &server{conn: conn}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly} // one snapshot
	if write {
		o = pgx.TxOptions{}
	}
	if s.tx, err = conn.BeginTx(ctx, o); err != nil {
		return nil, err
	}
	version, err := s.version(ctx)
	if err != nil {
		return nil, err
	}
	return s, checkVersion(version, migrations.Latest)
}

// version returns the version of the schema, 0 if it has none.
func (s *server) version(ctx context.Context) (version int64, err error) {
	var exists bool
	err = s.tx.QueryRow(ctx, `SELECT to_regclass('goose_db_version') IS NOT NULL`).Scan(&exists)
	if err == nil && exists {
		err = s.tx.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&version)
	}
	return version, err
}

// checkVersion fails if a schema is not this program's.
func checkVersion(version int64, newest func() (int64, error)) error {
	latest, err := newest()
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

// openEmptyServer opens a database for writing that has no rows, and creates the
// tables if it has none.
func openEmptyServer(ctx context.Context, url string, dry bool) (side, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	var tables int
	err = conn.QueryRow(ctx, `SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'f')`).Scan(&tables)
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return nil, err
	}
	if tables == 0 {
		if dry {
			return nothing{}, nil
		}
		if err := migrate(ctx, url); err != nil {
			return nil, err
		}
	}
	s, err := openServer(ctx, url, true)
	if err != nil {
		return nil, err
	}
	if err := s.lockEmpty(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func migrate(ctx context.Context, url string) (err error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return migrations.Up(ctx, db)
}

// The table of PostgreSQL that holds the rows of one of SQLite, if it has another
// name.
var parts = map[string]string{"match_counts": "match_count_parts", "standing_counts": "standing_count_parts"}

// uncopied lists the tables and views that only PostgreSQL has, without those of
// River, whose names begin with river_.
var uncopied = []string{"goose_db_version", "commits", "updates", "leases", "request_shares", "invalid_requests", "rating_places", "match_count_parts", "standing_count_parts"}

// stored returns the table that a copied table is written to.
func stored(table string) string {
	if part, ok := parts[table]; ok {
		table = part
	}
	return pgx.Identifier{table}.Sanitize()
}

// lockEmpty locks all tables against others, turns off their triggers until finish,
// and fails if a table has a row.
func (s *server) lockEmpty(ctx context.Context) error {
	columns, err := s.columns(ctx)
	if err != nil {
		return err
	}
	for table := range columns {
		name := stored(table)
		if _, err := s.tx.Exec(ctx, "LOCK TABLE "+name+" IN ACCESS EXCLUSIVE MODE NOWAIT"); err != nil {
			return fmt.Errorf("another program uses it: %w", err)
		}
		var rows bool
		if err := s.tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+name+")").Scan(&rows); err != nil {
			return err
		}
		if rows {
			return fmt.Errorf("%w: the table %s has rows", ErrNotEmpty, table)
		}
	}
	if _, err := s.tx.Exec(ctx, "SET CONSTRAINTS ALL DEFERRED"); err != nil {
		return err
	}
	return s.triggers(ctx, "DISABLE")
}

func (s *server) triggers(ctx context.Context, action string) error {
	columns, err := s.columns(ctx)
	for table := range columns {
		if err == nil {
			_, err = s.tx.Exec(ctx, "ALTER TABLE "+stored(table)+" "+action+" TRIGGER USER")
		}
	}
	return err
}

func (s *server) columns(ctx context.Context) (map[string][]string, error) {
	rows, err := s.tx.Query(ctx, `
SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'v') AND c.relname NOT LIKE 'river\_%' ORDER BY c.relname, a.attnum`)
	if err != nil {
		return nil, err
	}
	columns := map[string][]string{}
	var table, column string
	_, err = pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		if !slices.Contains(uncopied, table) {
			columns[table] = append(columns[table], column)
		}
		return nil
	})
	return columns, err
}

func (s *server) read(ctx context.Context, table string, columns []string) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		rows, err := s.tx.Query(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+pgx.Identifier{table}.Sanitize())
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			row, err := rows.Values()
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}

func (s *server) write(ctx context.Context, table string, columns []string, rows iter.Seq2[[]any, error]) error {
	next, stop := iter.Pull2(rows)
	defer stop()
	name := table
	if part, ok := parts[table]; ok {
		name = part
	}
	_, err := s.tx.CopyFrom(ctx, pgx.Identifier{name}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		row, err, _ := next()
		return row, err
	}))
	return err
}

func (s *server) lastIDs(ctx context.Context) (map[string]int64, error) {
	ids := map[string]int64{}
	for _, table := range numbered {
		var last int64
		err := s.tx.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM "+table+"_id_seq").Scan(&last)
		if err != nil {
			return nil, err
		}
		ids[table] = last
	}
	return ids, nil
}

func (s *server) finish(ctx context.Context, lastIDs map[string]int64) error {
	if _, err := s.tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE"); err != nil { // checks them
		return err
	}
	for table, last := range lastIDs {
		if _, err := s.tx.Exec(ctx, fmt.Sprintf("ALTER TABLE %s ALTER COLUMN id RESTART WITH %d", table, last+1)); err != nil {
			return err
		}
	}
	return s.triggers(ctx, "ENABLE")
}

func (s *server) commit(ctx context.Context) error { return s.tx.Commit(ctx) }

func (s *server) close() error { return s.conn.Close(context.Background()) }

// nothing is a target that a dry run does not create.
type nothing struct{ side }

func (nothing) close() error { return nil }
