package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"strconv"
	"testing"
)

// Writer returns the connection that writes. Transactions must not run
// meanwhile.
func Writer(s *Store) *sql.Conn { return connections(s.writer)[0].conn }

// connections opens and returns every connection of a pool.
func connections(p *pool) (all []*conn) {
	for range cap(p.idle) {
		c, err := p.take(context.Background())
		if err != nil {
			panic(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		p.put(c, false)
	}
	return all
}

// Every connection of both pools has the settings that durability depends on. Except
// for the journal mode they belong to the connection, not to the file.
func TestPragmas(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	file, err := Open(ctx, filepath.Join(t.TempDir(), "castellan.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	memory, err := Open(ctx, Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()

	known, err := latestVersion()
	if err != nil || known < 1 {
		t.Fatalf("the last migration is %d (%v)", known, err)
	}
	const full = "2"
	tests := []struct {
		name, query, want string
		pool              *pool
	}{
		{"writer", "PRAGMA journal_mode", "wal", file.writer},
		{"writer", "PRAGMA synchronous", full, file.writer},
		{"writer", "PRAGMA foreign_keys", "1", file.writer},
		{"writer", "PRAGMA busy_timeout", "2000", file.writer},
		{"writer", "PRAGMA application_id", "1129534540", file.writer}, // 0x4353544c
		{"writer", "PRAGMA query_only", "0", file.writer},
		{"writer", "PRAGMA integrity_check", "ok", file.writer},
		{"writer", "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%STRICT%' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'", "0", file.writer},
		{"writer", "SELECT max(version_id) FROM goose_db_version", strconv.FormatInt(known, 10), file.writer},
		{"reader", "PRAGMA journal_mode", "wal", file.reader},
		{"reader", "PRAGMA query_only", "1", file.reader},
		{"reader", "PRAGMA busy_timeout", "2000", file.reader},
		{"memory", "PRAGMA foreign_keys", "1", memory.writer},
		{"memory", "PRAGMA application_id", "1129534540", memory.writer},
	}
	for _, tt := range tests {
		for i, got := range everyConnection(t, tt.pool, tt.query) {
			if got != tt.want {
				t.Errorf("%s, connection %d: %s is %q, want %q", tt.name, i, tt.query, got, tt.want)
			}
		}
	}
}

// everyConnection returns the answers of all connections of a pool.
func everyConnection(t *testing.T, p *pool, query string) (answers []string) {
	t.Helper()
	for _, c := range connections(p) {
		answer, err := queryValue[string](context.Background(), c.conn, query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
		answers = append(answers, answer)
	}
	return answers
}

func TestReadersCannotWrite(t *testing.T) {
	t.Parallel()
	s, err := Open(context.Background(), filepath.Join(t.TempDir(), "castellan.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := connections(s.reader)[0].conn.ExecContext(t.Context(), "DELETE FROM applied"); err == nil {
		t.Error("a reader can write")
	}
}

// Not even SQL by hand can change the log.
func TestLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	s, err := Open(context.Background(), Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, statement := range []string{
		"INSERT INTO matches (guild, channel, game, rules, options, seed, created_at, newest_at) VALUES ('', '', 'g', 1, '', 0, 0, 0)",
		"INSERT INTO entries (match_id, seq, kind, seat, text, at, interaction) VALUES (1, 1, 'action', 1, 'up', 0, '')",
	} {
		if _, err := Writer(s).ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{
		"UPDATE entries SET text = 'down'",
		"DELETE FROM entries",
		"DELETE FROM matches",
		"INSERT INTO boards (match_id, seq, guild, channel, message, notify, state, tries) VALUES (1, 0, '', '', '', 0, 'lost', 0)",
		"INSERT INTO entries (match_id, seq, kind, seat, text, at, interaction) VALUES (2, 1, 'action', 1, 'up', 0, '')",
		"INSERT INTO entries (match_id, seq, kind, seat, text, at, interaction) VALUES (1, 2, 'action', 'one', 'up', 0, '')",
		"UPDATE matches SET ending = 'rules'",
	} {
		if _, err := Writer(s).ExecContext(t.Context(), statement); err == nil {
			t.Errorf("accepted: %s", statement)
		}
	}
}
