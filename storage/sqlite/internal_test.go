package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/sqlstore"
	"castellan/storage/storagetest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Writer returns the connection that writes. Transactions must not run
// meanwhile.
func Writer(s *Store) *sql.Conn { return connections(s.writer)[0].conn }

// ForgetLog drops what is kept of the log in case that it is cut off.
func ForgetLog(s *Store) { s.files.kept = nil }

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
	must(t, err)
	defer file.Close()
	memory, err := Open(ctx, Memory)
	must(t, err)
	defer memory.Close()

	known, err := knownSchema()
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

// Not even SQL by hand can change the log.
func TestLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	s, err := Open(context.Background(), Memory)
	must(t, err)
	defer s.Close()
	for _, statement := range []string{
		`INSERT INTO matches (guild, channel, game, rules_version, options, seed, unrated, clock, created_at, newest_at, reminded, root, head)
		 VALUES ('', '', 'g', 1, '', 0, 0, '', 0, 0, 0, zeroblob(16), zeroblob(16))`,
		"INSERT INTO entries (match_id, seq, kind, seat, text, at, interaction, digest) VALUES (1, 1, 'action', 1, 'up', 0, '', zeroblob(16))",
	} {
		if _, err := Writer(s).ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{
		"UPDATE entries SET text = 'down'",
		"DELETE FROM entries",
		"DELETE FROM matches",
		"INSERT INTO boards (match_id, seq, guild, channel, message, notify, state, attempts) VALUES (1, 0, '', '', '', 0, 'lost', 0)",
		"INSERT INTO entries (match_id, seq, kind, seat, text, at, interaction, digest) VALUES (2, 1, 'action', 1, 'up', 0, '', zeroblob(16))",
		"INSERT INTO entries (match_id, seq, kind, seat, text, at, interaction, digest) VALUES (1, 2, 'action', 'one', 'up', 0, '', zeroblob(16))",
		"UPDATE matches SET ending = 'rules'",
	} {
		if _, err := Writer(s).ExecContext(t.Context(), statement); err == nil {
			t.Errorf("accepted: %s", statement)
		}
	}
}

// impersonal lists the columns of text in which no person is named, by table.
var impersonal = map[string]string{
	"goose_db_version": "tstamp",
	"matches":          "guild channel game options ending clock offers pauses", // the channel of direct messages is removed
	"boards":           "guild channel message state",                           // likewise
	"challenges":       "guild channel game options first state message clock",
	"seats":            "result level", "challenge_people": "level", "entries": "kind text interaction", // replaced by numbers
	"processed_interactions": "interaction", // pruned after a day
	"threads":                "state parent", "rating_changes": "game list", "ratings": "game list", "guild_players": "game guild",
	"prepared": "text draft", "preferences": "reminders theme locale zone",
	"locales": "locale", "guild_settings": "guild clock theme locale leaderboard organiser", "guild_channels": "guild channel", "departures": "guild",
	"tournaments": "guild channel name game options clock format state message old_message", "tournament_games": "outcome",
	"leases": "name holder note", "audit": "guild kind note",
}

// testPerson has an identifier and a name that are nowhere else.
var testPerson = storage.Person{ID: "739100200300400500", Name: "Zörbl Qwyx"}

// fillPerson stores a record of the test person in every column of sqlstore.PersonColumns.
func fillPerson(t *testing.T, s *Store) {
	t.Helper()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	other, place := storage.Person{ID: "2", Name: "Ben"}, storage.Place{Guild: "g", Channel: "c"}
	seats := []storage.Person{testPerson, other}
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		for i := range 40 {
			id, err := tx.InsertMatch(storage.Match{Place: place, Game: "a", Seats: seats, CreatedAt: at})
			if err != nil {
				return err
			}
			var log []storage.Entry
			for seq := range 20 {
				log = append(log, storage.Entry{Seq: seq + 1, Kind: "action", Seat: 1 + seq%2, Text: "b2", At: at, Interaction: fmt.Sprint("own-", i, "-", seq)})
			}
			board, err := tx.InsertBoard(storage.Board{Match: id, Place: place})
			if err := errors.Join(err, storagetest.Append(tx, id, log), tx.MarkBoardPosted(board, "m")); err != nil {
				return err
			}
			if i == 0 { // this one goes on
				if err := tx.SetPrepared(id, storage.Prepared{Seat: 1, Text: "t"}); err != nil {
					return err
				}
				continue
			}
			var changes []storage.RatingChange
			for seat, p := range seats {
				changes = append(changes, storage.RatingChange{Match: id, Seat: seat + 1, Person: p, Game: "a", List: storage.PeopleList, Place: 1 + seat, At: at, Weight: 1})
			}
			err = errors.Join(tx.EndMatch(id, "rules", at), tx.AddRatingChanges(changes),
				tx.RecordResults(id, []storage.SeatResult{{Place: 1, Result: storage.Won}, {Place: 2, Result: storage.Lost}}))
			if err != nil {
				return err
			}
		}
		for _, p := range []struct{ person, other storage.Person }{{testPerson, other}, {other, testPerson}} {
			id, err := tx.InsertChallenge(storage.Challenge{
				Place: place, Challenger: p.person, Seats: 2, Joined: []storage.Person{p.person}, Invited: []storage.Person{p.other}, Game: "a", CreatedAt: at,
			})
			err = errors.Join(err, tx.MarkChallengeShown(id, "m", 0), tx.SetBlock(storage.Block{Person: p.person.ID, Blocked: p.other, At: at}),
				tx.SetPreferences(storage.Preferences{Person: p.person.ID}), tx.SetDailyMessage(storage.DailyMessage{Person: p.person.ID, DueAt: at, NextAttempt: at}),
				tx.SetLocale(p.person.ID, "de"), tx.SetDeparture("another", p.person.ID, at), tx.SetVacation(storage.Vacation{Person: p.person.ID, From: at, To: at.Add(time.Hour)}))
			if err != nil {
				return err
			}
		}
		e, err := tx.InsertTournament(storage.Tournament{Place: place, Organiser: testPerson, Game: "a", State: storage.TournamentRunning, CreatedAt: at, StartsAt: at})
		err = errors.Join(err, tx.PutTournamentPlayer(e, storage.TournamentPlayer{Person: testPerson, JoinedAt: at, Seed: 1}), tx.MarkTournamentShown(e, "m", 0),
			tx.PutTournamentGame(e, storage.TournamentGame{Round: 1, Table: 1, Number: 1, First: 1, Match: 1}))
		if err != nil {
			return err
		}
		id, err := tx.InsertMatch(storage.Match{Place: storage.Place{Channel: "direct-" + testPerson.ID}, Game: "a", Seats: []storage.Person{testPerson}, CreatedAt: at})
		if err != nil {
			return err
		}
		_, err = tx.InsertBoard(storage.Board{Match: id, Place: storage.Place{Channel: "direct-" + testPerson.ID}})
		for _, a := range []storage.Act{
			{Operator: testPerson.ID, Kind: storage.ActBan, Target: other.ID, At: at},
			{Operator: other.ID, Kind: storage.ActBan, Target: testPerson.ID, At: at},
			{Operator: other.ID, Kind: storage.ActUnban, Target: testPerson.ID, At: at},
		} {
			err = errors.Join(err, tx.AddAct(a))
		}
		return errors.Join(err, tx.MarkProcessed(storage.ProcessedInteraction{Interaction: "own-1-0", At: at, Match: 1}))
	})
	must(t, err)
}

// mentions returns the columns of a database that contain the identifier or the
// name of the test person, and all columns that hold text.
func mentions(t *testing.T, db querier) (found, texts map[string]bool) {
	t.Helper()
	found, texts = map[string]bool{}, map[string]bool{}
	columns := `SELECT m.name || ' ' || c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`
	err := each(t.Context(), db, columns, func(rows *sql.Rows) error {
		var column, kind string
		err := rows.Scan(&column, &kind)
		texts[column] = kind != "INTEGER" && kind != "REAL" && kind != "BLOB"
		return err
	})
	must(t, err)
	for column := range texts {
		table, name, _ := strings.Cut(column, " ")
		n, err := queryValue[int](t.Context(), db, fmt.Sprintf("SELECT count(*) FROM %s WHERE instr(%s, '%s') OR instr(%[2]s, '%[4]s')", table, name, testPerson.ID, testPerson.Name))
		must(t, err)
		found[column] = n > 0
	}
	return found, texts
}

// Every column that can hold a person is exported and forgotten, and nothing of
// the person is left in the bytes of the files.
func TestForgetPerson(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s, err := Open(t.Context(), path)
	must(t, err)
	defer func() { s.Close() }()
	fillPerson(t, s)

	covered := map[string]bool{}
	for _, c := range sqlstore.PersonColumns {
		covered[c.Table+" "+c.ID], covered[c.Table+" "+c.Name] = true, true
	}
	before, texts := mentions(t, Writer(s))
	for column, text := range texts {
		table, name, _ := strings.Cut(column, " ")
		switch known := slices.Contains(strings.Fields(impersonal[table]), name); {
		case text && covered[column] == known:
			t.Errorf("can %s hold a person? Add it to sqlstore.PersonColumns, or else to impersonal", column)
		case covered[column] && !before[column]:
			t.Errorf("fillPerson does not fill %s", column)
		}
	}
	tables, err := readTables(s)
	must(t, err)
	exported := fmt.Sprint(tables)
	for _, c := range sqlstore.PersonColumns {
		if !c.Hidden && !slices.ContainsFunc(tables, func(p storage.PersonTable) bool { return p.Name == c.Table && len(p.Rows) > 0 }) {
			t.Errorf("the export has nothing of %s", c.Table)
		}
	}
	for _, want := range []string{"own-39-18", "2026-03-01 13:00:00", "direct-" + testPerson.ID} {
		if !strings.Contains(exported, want) {
			t.Errorf("the export lacks %s", want)
		}
	}

	// The write-ahead log is not emptied while somebody reads, but after it.
	reading, done := make(chan struct{}), make(chan struct{})
	go s.View(context.Background(), func(r storage.Reader) error {
		_, err := r.Match(1)
		close(reading)
		<-done
		return err
	})
	<-reading
	forget := func(tx storage.Tx) error {
		return tx.ForgetPerson(testPerson.ID, storage.Person{ID: storage.FormerPrefix + "x", Name: "a former player"}, time.Unix(1, 0))
	}
	must(t, s.Update(t.Context(), forget))
	if !s.unerased.Load() {
		t.Error("the log was emptied during a read")
	}
	close(done)
	for s.unerased.Load() {
		must(t, s.Update(t.Context(), func(storage.Tx) error { return nil }))
	}
	after, _ := mentions(t, Writer(s))
	for column, found := range after {
		if found {
			t.Errorf("the person is still in %s", column)
		}
	}
	if tables, err = readTables(s); len(tables) > 0 || err != nil {
		t.Errorf("the export afterwards: %v, %v", tables, err)
	}
	err = s.View(t.Context(), func(r storage.Reader) error {
		for id := range storage.MatchID(41) {
			m, err := r.Match(id + 1)
			if err != nil {
				return err
			}
			log, err := r.Entries(id + 1)
			if err := storage.CheckLog(m, log); err != nil {
				t.Errorf("match %d: %v", id+1, err)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	must(t, err)
	copied := filepath.Join(filepath.Dir(path), "backup.db")
	if _, err := Backup(t.Context(), path, copied, false); err != nil {
		t.Fatal(err)
	}
	wantNowhere(t, path, path+"-wal", copied)
}

func readTables(s *Store) (tables []storage.PersonTable, err error) {
	err = s.View(context.Background(), func(r storage.Reader) error {
		if tables, err = r.PersonData(testPerson.ID); err != nil {
			return err
		}
		counts, err := r.PersonCounts(testPerson.ID)
		for _, table := range tables {
			if counts[table.Name] != len(table.Rows) {
				return fmt.Errorf("%d rows of %s are counted, and %d exported", counts[table.Name], table.Name, len(table.Rows))
			}
		}
		if len(counts) != len(tables) {
			return fmt.Errorf("the tables %v are counted, and %d exported", counts, len(tables))
		}
		return err
	})
	return tables, err
}

// wantNowhere looks for the test person in the bytes of files.
func wantNowhere(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		content, err := os.ReadFile(name)
		must(t, err)
		for _, part := range []string{testPerson.ID, testPerson.Name, "own-3-2"} {
			if n := bytes.Count(content, []byte(part)); n > 0 {
				t.Errorf("%q is in %s %d times", part, filepath.Base(name), n)
			}
		}
	}
}

// A log that is cut off while a transaction commits is noticed although the commit has
// written behind the gap. What was cut off before anybody has read it is counted as lost.
func TestCutDuringCommit(t *testing.T) {
	t.Parallel()
	for _, share := range []int64{0, 3} {
		for _, written := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d quarters are left, written %v", share, written), func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "castellan.db")
				s, err := Open(t.Context(), path)
				must(t, err)
				defer s.Close()
				fillPerson(t, s)
				info, err := os.Stat(path + "-wal")
				must(t, err)
				writer := Writer(s)
				for i, statement := range []string{"BEGIN IMMEDIATE", "CREATE TABLE probe (x)", "COMMIT"} {
					if i == 2 && !written {
						must(t, os.Truncate(path+"-wal", info.Size()*share/4))
					}
					_, err := writer.ExecContext(t.Context(), statement)
					must(t, err)
				}
				if written {
					must(t, os.Truncate(path+"-wal", info.Size()*share/4))
				}
				s.files.committed(false)
				err = s.Intact()
				want := "everything is saved in castellan.db:"
				if written {
					want = "the newest 1 changes are lost"
				}
				if !errors.Is(err, storage.ErrReplaced) || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
				killed := filepath.Join(dir, "killed.db")
				for _, suffix := range []string{"", "-wal"} {
					if suffix == "" || written {
						data, err := os.ReadFile(path + suffix)
						must(t, err)
						must(t, os.WriteFile(killed+suffix, data, 0o600))
					}
				}
				again, err := Open(t.Context(), killed)
				must(t, err)
				defer again.Close()
				entries, err := queryValue[int](t.Context(), Writer(again), "SELECT count(*) FROM entries")
				must(t, err)
				probes, err := queryValue[int](t.Context(), Writer(again), "SELECT count(*) FROM sqlite_schema WHERE name = 'probe'")
				must(t, err)
				if entries != 800 || (probes == 1) == written {
					t.Errorf("%d entries and %d probes", entries, probes)
				}
			})
		}
	}
}
