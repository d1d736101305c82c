package sqlite

import (
	"context"
	"database/sql"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// The migrations that later versions could have: one that works, and one that fails
// after its first statement.
const (
	second = `-- +goose Up
ALTER TABLE locales ADD COLUMN region TEXT NOT NULL DEFAULT '';
UPDATE locales SET region = 'DE' WHERE locale = 'de';
`
	failing = `-- +goose Up
DELETE FROM locales;
UPDATE nothing SET a = 1;
`
)

// A database of an earlier version is updated step by step and keeps what it holds. A
// step that fails changes nothing.
func TestMigrate(t *testing.T) {
	db, err := sql.Open("sqlite", "file::memory:")
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	first, err := fs.ReadFile(migrations, "0001_first.sql")
	must(t, err)
	steps := fstest.MapFS{"0001_first.sql": {Data: first}}
	update := func(name, text string, want int64) (err error) {
		t.Helper()
		steps = maps.Clone(steps)
		if text != "" {
			steps[name] = &fstest.MapFile{Data: []byte(text)}
		}
		err = migrate(t.Context(), db, steps)
		if version, e := schemaVersion(t.Context(), db); e != nil || version != want {
			t.Errorf("%s: the schema is version %d (%v), want %d", name, version, e, want)
		}
		return err
	}
	if version, err := schemaVersion(t.Context(), db); err != nil || version != 0 {
		t.Errorf("the schema of an empty database is version %d (%v)", version, err)
	}
	must(t, update("0001_first.sql", "", 1))
	if _, err := db.ExecContext(t.Context(), "INSERT INTO locales (id, locale) VALUES ('1', 'de')"); err != nil {
		t.Fatal(err)
	}
	must(t, update("0002_second.sql", second, 2))
	if err := update("0003_failing.sql", failing, 2); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("the failing step: %v", err)
	}
	var region string
	if err := db.QueryRowContext(context.Background(), "SELECT region FROM locales WHERE id = '1'").Scan(&region); err != nil || region != "DE" {
		t.Errorf("the row has the region %q (%v)", region, err)
	}
}
