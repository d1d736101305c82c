package pgtest_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"castellan/storage/postgres/pgtest"
)

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// Each test has an empty database, which is gone afterwards.
func TestDatabase(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, pgtest.Database(t))
			if _, err := conn.Exec(t.Context(), "CREATE TABLE mine ()"); err != nil {
				t.Error(err)
			}
			var databases int
			if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_database WHERE datname LIKE 'test%'").Scan(&databases); err != nil {
				t.Fatal(err)
			}
			if databases != 1 {
				t.Errorf("%d databases, want only the one of this test", databases)
			}
		})
	}
}

// A migrated database is used again as if it were new, also if a connection to it
// is left.
func TestMigrated(t *testing.T) {
	urls := map[string]bool{}
	for range 3 {
		t.Run("", func(t *testing.T) {
			url := pgtest.Migrated(t)
			urls[url] = true
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			var match int
			if err := conn.QueryRow(t.Context(), `
INSERT INTO matches (guild, channel, game, rules, options, seed, created_at, newest_at) VALUES ('', '', 'a', 1, '', 1, 1, 1)
RETURNING id + (SELECT count(*) FROM match_counts)`).Scan(&match); err != nil || match != 1 {
				t.Errorf("the first match is %d (%v), want 1", match, err)
			}
			if _, err := conn.Exec(t.Context(), `INSERT INTO entries VALUES (1, 1, 'k', 1, '', 1, '', NULL)`); err != nil {
				t.Error(err)
			}
		})
	}
	if len(urls) != 1 {
		t.Errorf("%d databases for one test at a time", len(urls))
	}
}

// A killed test binary leaves neither a server nor a folder.
func TestLeavesNothing(t *testing.T) {
	const variable = "CASTELLAN_PGTEST_FOLDER"
	if file := os.Getenv(variable); file != "" {
		u, err := url.Parse(pgtest.Database(t))
		if err == nil {
			err = os.WriteFile(file, []byte(u.Query().Get("host")), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
	pgtest.Database(t) // skips where PostgreSQL is missing
	file := filepath.Join(t.TempDir(), "folder")
	cmd := exec.Command(os.Args[0], "-test.run=^TestLeavesNothing$")
	cmd.Env = append(os.Environ(), variable+"="+file)
	out, _ := cmd.CombinedOutput() // killed
	folder, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for range time.Tick(10 * time.Millisecond) {
		processes, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		running := false
		for _, p := range processes {
			line, _ := os.ReadFile(p) // it may have ended
			running = running || strings.Contains(string(line), string(folder))
		}
		if _, err := os.Stat(string(folder)); errors.Is(err, os.ErrNotExist) && !running {
			return
		}
	}
}

// A standby that takes over has what was committed before its primary was killed.
func TestStandby(t *testing.T) {
	primary := pgtest.New(t)
	standby := primary.Standby(t)
	if _, err := connect(t, primary.URL("postgres")).Exec(t.Context(), "CREATE TABLE kept AS SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(primary.Kill(), standby.Promote()); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, standby.URL("postgres")).Exec(t.Context(), "INSERT INTO kept VALUES (2)"); err != nil {
		t.Error(err)
	}
}
