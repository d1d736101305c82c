package transfer_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/sqlite"
	"castellan/storage/transfer"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// create creates a database with two rows in every table.
func create(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "castellan.db")
	s, err := sqlite.Open(t.Context(), path)
	must(t, err)
	must(t, s.Close())
	run(t, path, fill(t, path)...)
	return path
}

func connect(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := connect(t, path)
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%v\n%s", err, s)
		}
	}
	must(t, db.Close())
}

func strs(t *testing.T, db *sql.DB, query string, args ...any) (all []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	must(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	for rows.Next() {
		row, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			to[i] = &row[i]
		}
		must(t, rows.Scan(to...))
		for i, v := range row {
			row[i] = fmt.Sprintf("%T %[1]v", v)
		}
		all = append(all, fmt.Sprint(row...))
	}
	must(t, rows.Err())
	slices.Sort(all)
	return all
}

func tables(t *testing.T, db *sql.DB) (names []string) {
	for _, n := range strs(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('goose_db_version', 'leases')`) {
		names = append(names, strings.TrimPrefix(n, "string "))
	}
	return names
}

// fill returns statements that insert two rows into every table: one with unusual
// values, and one with NULL where it is allowed.
func fill(t *testing.T, path string) (statements []string) {
	t.Helper()
	db := connect(t, path)
	defer db.Close()
	special := map[string]string{ // what the constraints of columns allow
		"state": "'open'", "threads.state": "'created'", "boards.state": "'posted'", "list": "'people'", "seats.result": "'won'", "reminders": "'none'",
		"leaderboard": "'nobody'", "joined": "1", "challenges.seats": "2", "weight": "0.1", "boards.match_id": "%d", "challenges.match_id": "NULL", "challenges.resolved_at": "NULL",
		"ending": "'won'", "challenge_people.level": "'master'", "contact.id": "1", "forgetting.id": "1", "ratings.match_id": "1",
		"began": "0", "ended": "%d", "matches.end_number": "%d", "blocked": "'b%d'", "matches.seed": "-9223372036854775808", "name": "'Ünïcode ♜ ''quoted'' %%\n'",
		"matches.challenge_id": "%d", "processed_interactions.challenge_id": "%d", "processed_interactions.match_id": "%d",
	}
	for _, table := range tables(t, db) {
		if table == "sqlite_sequence" {
			continue
		}
		rows, err := db.QueryContext(t.Context(), `SELECT name, type, "notnull", pk > 0 FROM pragma_table_info($1)`, table)
		must(t, err)
		var filled, sparse []string
		for rows.Next() {
			var name, kind string
			var notNull, key bool
			must(t, rows.Scan(&name, &kind, &notNull, &key))
			value, ok := special[table+"."+name]
			if !ok {
				value, ok = special[name]
			}
			if !ok {
				value = map[string]string{"INTEGER": "1", "TEXT": "'text'", "REAL": "-0.1", "BLOB": "x'000102030405060708090a0b0c0d0eff'"}[kind]
				if key {
					value = map[string]string{"INTEGER": "%d", "TEXT": "'key %d'", "REAL": "%d.5"}[kind]
				}
			}
			of := func(n int) string {
				if strings.Contains(value, "%") {
					return fmt.Sprintf(strings.ReplaceAll(value, "'Ü", "'%[1]dÜ"), n)
				}
				return value
			}
			filled = append(filled, of(1))
			if !notNull && !key && name != "ended_at" && name != "end_number" {
				sparse = append(sparse, "NULL")
			} else {
				sparse = append(sparse, of(2))
			}
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
		if table == "contact" || table == "forgetting" {
			sparse = nil // they hold one row
		}
		for _, values := range [][]string{filled, sparse} {
			if values != nil {
				statements = append(statements, "INSERT INTO "+table+" VALUES ("+strings.Join(values, ", ")+")")
			}
		}
	}
	return append(statements, "UPDATE challenges SET state = 'accepted', resolved_at = 1, match_id = 2 WHERE id = 1",
		"UPDATE sqlite_sequence SET seq = 70 WHERE name = 'boards'")
}

// Every row of every table comes back unchanged from PostgreSQL, with the
// identifiers that are next.
func TestRoundTrip(t *testing.T) {
	path, url := create(t), pgtest.Database(t)
	back := filepath.Join(t.TempDir(), "back.db")
	var copied []transfer.Table
	must(t, transfer.Copy(t.Context(), path, url, transfer.Options{Copied: func(c transfer.Table) { copied = append(copied, c) }}))
	execute(t, url, "CREATE TABLE river_job AS SELECT 1 AS id") // a table of River is not copied
	must(t, transfer.Copy(t.Context(), url, back, transfer.Options{}))
	was, is := connect(t, path), connect(t, back)
	names := tables(t, was)
	if len(names) < 20 || len(copied) != len(names)-1 {
		t.Fatalf("%d tables, %d copied", len(names), len(copied))
	}
	for _, table := range append(names, "sqlite_schema") {
		query := "SELECT * FROM " + table
		if table == "sqlite_schema" {
			query = "SELECT type, name, sql FROM sqlite_schema"
		}
		want, got := strs(t, was, query), strs(t, is, query)
		if len(want) == 0 || !slices.Equal(want, got) {
			t.Errorf("%s\n\twas %q\n\tis  %q", table, want, got)
		}
	}

	s, err := postgres.Open(t.Context(), url)
	must(t, err)
	defer s.Close()
	must(t, s.Update(t.Context(), func(tx storage.Tx) error {
		id, err := tx.InsertMatch(storage.Match{Game: "a", Seats: []storage.Person{{ID: "1"}, {ID: "2"}}, CreatedAt: time.Unix(1, 0)})
		if err == nil && id != 3 {
			t.Errorf("the next match has the number %d, want 3", id)
		}
		return err
	}))
}

// Copy refuses what it must not read or overwrite, and changes nothing then.
func TestRefusals(t *testing.T) {
	path := create(t)
	empty, filled := pgtest.Database(t), pgtest.Database(t)
	must(t, transfer.Copy(t.Context(), path, filled, transfer.Options{}))
	foreign := pgtest.Database(t)
	execute(t, foreign, "CREATE TABLE theirs ()")
	older, inUse := create(t), create(t)
	run(t, older, "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)")
	holder, err := sqlite.Open(t.Context(), inUse)
	must(t, err)
	defer holder.Close()
	newer := pgtest.Migrated(t)
	execute(t, newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)")
	for _, test := range []struct {
		name, from, to string
		want           error
		text           string
	}{
		{"two files", path, path + "2", nil, "castellan backup"},
		{"two servers", filled, empty, nil, "pg_dump"},
		{"no file", path + "2", empty, os.ErrNotExist, "no such file"},
		{"a file in use", inUse, empty, storage.ErrLocked, ""},
		{"an older file", older, empty, nil, "its schema is version"},
		{"a newer server", newer, path + "2", storage.ErrNewerSchema, ""},
		{"a foreign server", foreign, path + "2", storage.ErrForeign, ""},
		{"into a foreign server", path, foreign, storage.ErrForeign, ""},
		{"into a full server", path, filled, transfer.ErrNotEmpty, ""},
		{"into a file that exists", filled, path, transfer.ErrNotEmpty, "exists"},
		{"no server", "postgres://castellan:secret@/none?host=/nowhere", path + "2", nil, "nowhere"},
	} {
		for _, dry := range []bool{true, false} {
			err := transfer.Copy(t.Context(), test.from, test.to, transfer.Options{DryRun: dry})
			if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s (dry %v): %v, want %v with %q", test.name, dry, err, test.want, test.text)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	must(t, err)
	if slices.Contains(files, path+"2") || slices.ContainsFunc(files, func(f string) bool { return strings.Contains(f, "migrate") }) {
		t.Errorf("there is %v", files)
	}
	must(t, transfer.Copy(t.Context(), path, empty, transfer.Options{}))
}

// A dry run creates nothing.
func TestDryRun(t *testing.T) {
	path, url := create(t), pgtest.Database(t)
	rows := 0
	must(t, transfer.Copy(t.Context(), path, url, transfer.Options{DryRun: true, Copied: func(c transfer.Table) { rows += c.Rows }}))
	if rows < 40 {
		t.Errorf("%d rows were read", rows)
	}
	if n := execute(t, url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"); n != 0 {
		t.Errorf("there are %d tables", n)
	}
	to := filepath.Join(t.TempDir(), "to.db")
	must(t, transfer.Copy(t.Context(), path, url, transfer.Options{}))
	must(t, transfer.Copy(t.Context(), url, to, transfer.Options{DryRun: true}))
	nothingIn(t, filepath.Dir(to))
}

// A copy that is interrupted leaves an empty target, into which it can be repeated.
func TestInterrupted(t *testing.T) {
	path, url := create(t), pgtest.Database(t)
	interrupted := func(from, to string) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		err := transfer.Copy(ctx, from, to, transfer.Options{Copied: func(transfer.Table) {
			if n++; n == 20 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
	}
	interrupted(path, url)
	if n := execute(t, url, "SELECT count(*) FROM matches"); n != 0 {
		t.Errorf("there are %d matches", n)
	}
	must(t, transfer.Copy(t.Context(), path, url, transfer.Options{}))
	to := filepath.Join(t.TempDir(), "to.db")
	interrupted(url, to)
	nothingIn(t, filepath.Dir(to))

	// What PostgreSQL cannot store is refused with the table's name.
	run(t, path, "UPDATE preferences SET theme = 'a' || char(0)")
	err := transfer.Copy(t.Context(), path, pgtest.Database(t), transfer.Options{})
	if err == nil || !strings.Contains(err.Error(), "preferences") {
		t.Errorf("a NUL character: error %v", err)
	}
}

func nothingIn(t *testing.T, folder string) {
	t.Helper()
	if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
		t.Errorf("there is %v (%v)", files, err)
	}
}

// execute runs a statement on a server, and returns the number that it selects.
func execute(t *testing.T, url, statement string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.Background())
	if !strings.HasPrefix(statement, "SELECT") {
		_, err = conn.Exec(t.Context(), statement)
	} else {
		err = conn.QueryRow(t.Context(), statement).Scan(&n)
	}
	must(t, err)
	return n
}

func TestRedacted(t *testing.T) {
	for name, want := range map[string]string{
		"castellan.db":                            "castellan.db",
		"postgres://me:secret@host/db":            "postgres://me:xxxxx@host/db",
		"postgresql://host/db?password=secret":    "postgresql://host/db?password=xxxxx",
		"postgres://me@host:x/db?password=secret": "the PostgreSQL database",
	} {
		if got := transfer.Redacted(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
