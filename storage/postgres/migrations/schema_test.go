package migrations_test

import (
	"database/sql"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite"

	"castellan/storage/postgres/migrations"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/sqlite"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The parts of the schemas that differ, and why.
var exceptions = map[string]string{
	"commits":          "a lost connection cannot hide the outcome of a commit from a process with a file",
	"request_shares":   "a file belongs to one process",
	"invalid_requests": "a file belongs to one process",
	"updates":          "SQLite runs one update at a time",
	"goose_db_version": "goose's own",
	"sqlite_sequence":  "SQLite's own",
}

// Both schemas have the same tables, with the same columns in the same order,
// keys, constraints and indexes.
func TestSameSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	store, err := sqlite.Open(t.Context(), path)
	must(t, err)
	must(t, store.Close())
	file := open(t, "sqlite", path)
	server := open(t, "pgx", pgtest.Migrated(t))
	want, got := facts(t, file, ofSQLite), facts(t, server, ofPostgres)
	if len(want) < 150 {
		t.Errorf("only %d facts about SQLite's schema: the comparison is broken", len(want))
	}
	used := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(merged(want, got))) {
		table, _, _ := strings.Cut(key, ":")
		if exceptions[table] != "" || exceptions[key] != "" {
			used[table], used[key] = true, true
			continue
		}
		if want[key] != got[key] {
			t.Errorf("%s\n\tSQLite:     %s\n\tPostgreSQL: %s", key, want[key], got[key])
		}
	}
	for e := range exceptions {
		if !used[e] {
			t.Errorf("the exception for %s is not needed", e)
		}
	}
}

func open(t *testing.T, driver, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, name)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func merged(a, b map[string]string) map[string]string {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

// facts returns what queries of names and descriptions say about a schema.
func facts(t *testing.T, db *sql.DB, queries []string) map[string]string {
	t.Helper()
	facts := map[string]string{}
	for _, q := range queries {
		rows, err := db.QueryContext(t.Context(), q)
		if err != nil {
			t.Fatalf("%v\n%s", err, q)
		}
		defer rows.Close()
		for rows.Next() {
			var key, value string
			must(t, rows.Scan(&key, &value))
			facts[key] += value
		}
		must(t, rows.Err())
	}
	return facts
}

var ofSQLite = []string{
	`SELECT t.name || ': columns', group_concat(c.name, ', ') FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' GROUP BY t.name`,
	`SELECT t.name || ': column ' || c.name,
	        CASE c.type WHEN 'INTEGER' THEN 'bigint' WHEN 'REAL' THEN 'double precision' WHEN 'BLOB' THEN 'bytea' ELSE 'text C' END
	        || CASE WHEN c."notnull" OR c.pk > 0 THEN ' not null' ELSE '' END || coalesce(' default ' || c.dflt_value, '')
	 FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
	`SELECT k.name || ': key', group_concat(k.col, ', ')
	 FROM (SELECT t.name, c.name AS col FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.pk > 0 ORDER BY t.name, c.pk) k GROUP BY k.name`,
	`SELECT t.name || ': reference ' || f."from", f."table" || ' ' || f."to" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'`,
	`SELECT x.tbl || ': index ' || x.name, x.kind || group_concat(x.col, ', ')
	 FROM (SELECT t.name AS tbl, i.name, c.name AS col,
	              CASE WHEN i."unique" THEN 'unique ' ELSE '' END || CASE WHEN i.partial THEN 'partial ' ELSE '' END AS kind
	       FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
	       WHERE t.type = 'table' AND i.origin = 'c' ORDER BY i.name, c.seqno) x GROUP BY x.name`,
	`SELECT name || ': check', (length(sql) - length(replace(sql, 'CHECK (', ''))) / length('CHECK (') FROM sqlite_schema WHERE type = 'table'`,
	`SELECT name || ': view', 'yes' FROM sqlite_schema WHERE type = 'view'`,
}

var ofPostgres = []string{
	`SELECT c.relname || ': columns', string_agg(a.attname, ', ' ORDER BY a.attnum)
	 FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
	 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' GROUP BY c.relname`,
	`SELECT c.relname || ': column ' || a.attname,
	        format_type(a.atttypid, a.atttypmod) || coalesce(' ' || o.collname, '') || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
	        || coalesce(' default ' || regexp_replace(trim(both '()' from pg_get_expr(d.adbin, d.adrelid)), '(::\w+|''(-1)'')', '\2', 'g'), '')
	 FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
	 LEFT JOIN pg_collation o ON o.oid = a.attcollation
	 LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
	 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`,
	`SELECT c.relname || ': key', string_agg(a.attname, ', ' ORDER BY k.n)
	 FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
	 CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, n)
	 JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
	 WHERE c.relnamespace = 'public'::regnamespace GROUP BY c.relname`,
	`SELECT c.relname || ': reference ' || a.attname, k.confrelid::regclass || ' ' || b.attname
	 FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
	 JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
	 JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
	 WHERE k.contype = 'f'`,
	`SELECT c.relname || ': index ' || n.relname,
	        CASE WHEN i.indisunique THEN 'unique ' ELSE '' END || CASE WHEN i.indpred IS NOT NULL THEN 'partial ' ELSE '' END
	        || string_agg(a.attname, ', ' ORDER BY k.n)
	 FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND NOT i.indisprimary JOIN pg_class n ON n.oid = i.indexrelid
	 CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, n)
	 JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
	 WHERE c.relnamespace = 'public'::regnamespace GROUP BY c.relname, n.relname, i.indisunique, i.indpred IS NOT NULL`,
	`SELECT c.relname || ': check', count(k.oid)::text
	 FROM pg_class c LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'c'
	 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' GROUP BY c.relname`,
	`SELECT relname || ': view', 'yes' FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'v'`,
}

// Several processes can update the schema at the same time.
func TestUp(t *testing.T) {
	url := pgtest.Database(t)
	var all sync.WaitGroup
	for i := range 4 {
		db := open(t, "pgx", url)
		all.Go(func() {
			if err := migrations.Up(t.Context(), db); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	all.Wait()
	db := open(t, "pgx", url)
	latest, err := migrations.Latest()
	must(t, err)
	if got, err := migrations.Version(t.Context(), db); err != nil || got != latest {
		t.Errorf("the schema is version %d (%v), want %d", got, err, latest)
	}
	if got, err := migrations.Version(t.Context(), open(t, "pgx", pgtest.Database(t))); err != nil || got != 0 {
		t.Errorf("the schema of an empty database is version %d (%v)", got, err)
	}
}

const (
	digest      = `'\x000102030405060708090a0b0c0d0e0f'`
	insertMatch = `INSERT INTO matches (guild, channel, game, rules_version, options, seed, unrated, clock, created_at, newest_at, reminded, root, head)
VALUES ('', '', 'a', 1, '', 1, 0, '', 1, 1, 0, ` + digest + `, ` + digest + `)`
)

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%v\n%s", err, statement)
	}
}

// The log and the history of ratings cannot be changed or removed, except that a
// person is replaced while a row in forgetting says so.
func TestAppendOnly(t *testing.T) {
	db := open(t, "pgx", pgtest.Migrated(t))
	execute(t, db, insertMatch)
	execute(t, db, `INSERT INTO entries VALUES (1, 1, 'k', 1, 'text', 1, 'i', `+digest+`)`)
	execute(t, db, `INSERT INTO rating_changes VALUES (1, 1, 'p', 'n', 'a', 'people', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)`)
	replace := []string{`UPDATE entries SET interaction = '', digest = digest`, `UPDATE rating_changes SET person = 'q'`}
	refused := []string{
		`UPDATE entries SET text = 'other'`, `UPDATE entries SET digest = NULL`,
		`DELETE FROM entries`, `TRUNCATE entries`,
	}
	for _, s := range append(replace, refused...) {
		if _, err := db.ExecContext(t.Context(), s); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v, want a refusal", s, err)
		}
	}
	execute(t, db, `INSERT INTO forgetting VALUES (1)`)
	for _, s := range replace {
		execute(t, db, s)
	}
	for _, s := range refused {
		if _, err := db.ExecContext(t.Context(), s); err == nil {
			t.Errorf("%s works while a person is forgotten", s)
		}
	}
}

// Every migration says which programs can use the schema after it, and waits for
// running updates before it locks tables, so that it cannot end in a deadlock with
// them.
func TestMigrationsSayWhoCanUseThem(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations: %v", len(names), err)
	}
	used := regexp.MustCompile(`(?m)^COMMENT ON TABLE goose_db_version IS 'used by programs that know version (\d+)';$`)
	for i, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		if !used.Match(text) {
			t.Errorf("%s does not say which programs can use the schema", name)
		}
		if i > 0 && !strings.Contains(string(text), "\nLOCK TABLE updates IN EXCLUSIVE MODE;\n") {
			t.Errorf("%s does not wait for running updates", name)
		}
	}
}
