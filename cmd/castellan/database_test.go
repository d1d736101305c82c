package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/verify"
	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/games"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/imaging"
	"castellan/storage"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
)

// newDatabase creates a database with a match of every game, of which the first
// has ended by resignation, and leaves it open.
func newDatabase(t *testing.T, file string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), file)
	must(t, err)
	t.Cleanup(func() { store.Close() })
	known, err := games.Registry()
	must(t, err)
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	h := host.New(host.Config{Store: store, Games: known, Now: func() time.Time { return at }, Seed: func() uint64 { return 4 }})
	n := 0
	by := func(p storage.Person) host.Actor {
		n++
		return host.Actor{Person: p, Interaction: fmt.Sprint("i", n)}
	}
	anna, ben := storage.Person{ID: "1", Name: "Anna"}, storage.Person{ID: "2", Name: "Ben"}
	for i, game := range games.Keys() {
		ch, err := h.CreateChallenge(t.Context(), by(anna), host.Proposal{Opponents: []storage.Person{ben}, Game: game, First: host.FirstMe})
		must(t, err)
		_, v, err := h.Accept(t.Context(), by(ben), ch.ID)
		must(t, err)
		for n := 0; n < 3 || i == 0 && len(v.Match.Turns()) < host.LeastTurns(v.Match); n++ {
			p, _ := v.ToMove()
			v, err = h.Act(t.Context(), by(p), v.Record.ID, host.AnySeq, v.Match.Position().Legal()[0].String())
			must(t, err)
		}
		if i == 0 {
			p, _ := v.ToMove()
			_, err := h.Resign(t.Context(), by(p), v.Record.ID, host.AnySeq)
			must(t, err)
		}
	}
	return store
}

// A database that is in use is backed up; both it and the copy verify.
func TestBackupAndVerify(t *testing.T) {
	folder := t.TempDir()
	file, to := filepath.Join(folder, "castellan.db"), filepath.Join(folder, "copy.db")
	newDatabase(t, file)
	got := castellan(t, "backup", "--db", file, to)
	want := regexp.MustCompile(`^` + regexp.QuoteMeta(to) + `: \d+ bytes, 4 matches with \d+ entries, in \S+\n$`)
	if got.Code != cli.ExitOK || got.Errs != "" || !want.MatchString(got.Out) {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{file, to} {
		got := castellan(t, "verify", "--db", name)
		want := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `: 4 matches, 1 ended, with \d+ entries; all replay as recorded\n$`)
		if got.Code != cli.ExitOK || got.Errs != "" || !want.MatchString(got.Out) {
			t.Errorf("%+v", got)
		}
	}
	castellan(t, "backup", "--db", file, to).Refused(t, cli.ExitUsage, to, "--force")
	if got := castellan(t, "backup", "--db", file, "--force", to); got.Code != cli.ExitOK {
		t.Errorf("%+v", got)
	}
	printed := filepath.Join(folder, "printed.db")
	write(t, printed, castellan(t, "backup", "--db", file, "-").Out)
	if got := castellan(t, "verify", "--db", printed); !strings.Contains(got.Out, "4 matches, 1 ended") {
		t.Errorf("a backup on standard output: %+v", got)
	}
	castellan(t, "backup", "--db", to, "--force", file).Refused(t, cli.ExitError, file, "in use")
	castellan(t, "backup", "--db", file, filepath.Join(folder, "missing", "copy.db")).Refused(t, cli.ExitError, "missing", "does not exist")
	castellan(t, "backup", "--db", filepath.Join(folder, "no.db"), filepath.Join(folder, "x.db")).Refused(t, cli.ExitError, "no.db", "no such file")
	castellan(t, "verify", "--db", filepath.Join(folder, "no.db")).Refused(t, cli.ExitError, "no.db", "no such file")
	castellan(t, "verify", "--db", sqlite.Memory).Refused(t, cli.ExitError, "name a file")
}

// Faults are reported one match per line, and as JSON.
func TestVerifyFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "castellan.db")
	store := newDatabase(t, file)
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		m, err := tx.Match(4)
		if err != nil {
			return err
		}
		at := time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC)
		return errors.Join(
			storagetest.Append(tx, 4, []storage.Entry{{Seq: m.Seq + 1, Kind: "action", Seat: 1, Text: "up and away", At: at}}),
			tx.EndMatch(3, "rules", at),
		)
	})
	must(t, err)
	before, err := os.ReadFile(file + "-wal")
	must(t, err)
	got := castellan(t, "verify", "--db", file)
	lines := strings.Split(strings.TrimSuffix(got.Out, "\n"), "\n")
	if got.Code != cli.ExitError || len(lines) != 3 || !strings.Contains(got.Errs, "2 matches that cannot be replayed") {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"match 3 (" + games.Keys()[2] + "): it is recorded as ended (rules)", "match 4 (" + games.Keys()[3] + "): entry ", "4 matches, 2 ended"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}

	got = castellan(t, "verify", "--db", file, "--json")
	var f verifyReport
	if err := json.Unmarshal([]byte(got.Out), &f); err != nil {
		t.Fatal(err)
	}
	if got.Code != cli.ExitError || f.OK || !f.Complete || f.Matches != 4 || f.Ended != 2 || len(f.Damage) != 0 ||
		len(f.Faults) != 2 || f.Faults[0].Match != 3 || f.Faults[1].Game != games.Keys()[3] || len(f.Faults[1].Reasons) == 0 || f.Database != file {
		t.Errorf("%+v of\n%s", f, got.Out)
	}
	if after, err := os.ReadFile(file + "-wal"); err != nil || !reflect.DeepEqual(after, before) {
		t.Errorf("the database has changed (%v)", err)
	}
}

// Every change of a log and of the settings is found, however little it is and
// however legal the result: by verify, when the match is rebuilt, and when a
// backup is restored. It stops that match and no other.
func TestVerifyAltered(t *testing.T) {
	folder := t.TempDir()
	whole, to := filepath.Join(folder, "whole.db"), filepath.Join(folder, "altered.db")
	must(t, newDatabase(t, whole).Close())
	known, err := games.Registry()
	must(t, err)
	data, err := os.ReadFile(whole)
	must(t, err)
	statements := map[string]string{"DELETE FROM entries WHERE match_id = 2 AND seq = 6": "entry 6 is missing"}
	for where, c := range map[string]struct {
		says, table string
		columns     []string
	}{
		"match_id = 2 AND seq = 2": {"entry 2", "entries", []string{
			"seat = 3 - seat", "kind = 'undo'", "text = (SELECT text FROM entries WHERE match_id = 2 AND seq = 3)", "at = at + 1", "interaction = 'x'", "digest = zeroblob(16)",
		}},
		"id = 2": {"its settings were altered", "matches", []string{
			"options = options || ' '", "seed = seed + 1", "rules_version = rules_version + 1", "unrated = 1", "created_at = created_at + 1", "root = zeroblob(16)",
		}},
		"match_id = 2 AND seat = 1": {"its settings were altered", "seats", []string{"person = '3'", "name = 'Zoe'", "level = 'master'"}},
	} {
		for _, column := range c.columns {
			statements["UPDATE "+c.table+" SET "+column+" WHERE "+where] = c.says
		}
	}
	for statement, says := range statements {
		t.Run(statement, func(t *testing.T) {
			must(t, os.WriteFile(to, data, 0o600))
			db, err := sql.Open("sqlite", to)
			must(t, err)
			_, err = db.Exec("DROP TRIGGER entries_never_change; DROP TRIGGER entries_never_go; " + statement)
			must(t, errors.Join(err, db.Close()))
			got := castellan(t, "verify", "--db", to)
			if line, _, _ := strings.Cut(got.Out, "\n"); got.Code != cli.ExitError || !strings.HasPrefix(line, "match 2 (") || !strings.Contains(line, says) {
				t.Errorf("%+v", got)
			}
			store, err := sqlite.Open(t.Context(), to)
			must(t, err)
			defer store.Close()
			h := host.New(host.Config{Store: store, Games: known, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
			_, err = h.Match(t.Context(), 2)
			if _, other := h.Match(t.Context(), 3); other != nil || err == nil || h.Unreadable() != 1 {
				t.Errorf("in play: %v, of another match %v, %d unreadable", err, other, h.Unreadable())
			}
			altered, err := verify.Logs(t.Context(), store)
			if err != nil || len(altered) != 1 || altered[0].Match != 2 {
				t.Errorf("of a restored backup: %v, %v", altered, err)
			}
		})
	}
	// A backup carries the digests, and is recognised when it is restored.
	restored := filepath.Join(folder, "restored.db")
	castellan(t, "backup", "--db", whole, restored)
	for _, want := range []bool{true, false} {
		store, err := sqlite.Open(t.Context(), restored)
		must(t, err)
		if altered, err := verify.Logs(t.Context(), store); err != nil || len(altered) != 0 || store.Restored() != want {
			t.Errorf("restored %v: %v, %v", store.Restored(), altered, err)
		}
		must(t, store.Close())
	}
}

func TestVerifyDamage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "castellan.db")
	must(t, newDatabase(t, file).Close())
	// Overwrite the log and not the schema, without which nothing can be read.
	db, err := sql.Open("sqlite", file)
	must(t, err)
	var root, size int
	err = errors.Join(
		db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'").Scan(&root),
		db.QueryRow("PRAGMA page_size").Scan(&size), db.Close())
	must(t, err)
	data, err := os.ReadFile(file)
	must(t, err)
	for i := (root - 1) * size; i < root*size; i++ {
		data[i] = 0xa5
	}
	write(t, file, string(data))
	got := castellan(t, "verify", "--db", file)
	if got.Code != cli.ExitError || !strings.HasPrefix(got.Out, "damage: ") || !strings.Contains(got.Errs, "restore a backup") {
		t.Errorf("%+v", got)
	}
}

func TestRatingsRebuild(t *testing.T) {
	file := filepath.Join(t.TempDir(), "castellan.db")
	store := newDatabase(t, file)
	rebuild := func(flags string, code int, words ...string) {
		t.Helper()
		got := castellan(t, append([]string{"ratings", "rebuild", "--db", file}, strings.Fields(flags)...)...)
		for _, w := range words {
			if got.Code != code || !strings.Contains(got.Out+got.Errs, w) {
				t.Errorf("%s: %+v does not say %q with exit code %d", flags, got, w, code)
			}
		}
	}
	rebuild("--check", cli.ExitOK, "1 match ended, 1 of them rated, 2 ratings; nothing differs") // while it is open
	rebuild("", cli.ExitError, "in use by another program")
	must(t, store.Update(t.Context(), func(tx storage.Tx) error { return tx.DeleteRatings() }))
	must(t, store.Close())
	rebuild("--check", cli.ExitError, "match 1: it changes 2 ratings, stored are 0", "3 differences", "ratings rebuild --db")
	rebuild("", cli.ExitOK, "3 differences corrected")
	rebuild("--check", cli.ExitOK, "nothing differs")

	none := filepath.Join(t.TempDir(), "none.db")
	castellan(t, "ratings", "rebuild", "--db", none).Refused(t, cli.ExitError, "none.db")
	if _, err := os.Stat(none); err == nil {
		t.Error("the command created a database")
	}
}

func hostSample(t *testing.T, g sample.Game) {
	t.Helper()
	all := games.All
	t.Cleanup(func() { games.All = all })
	games.All = []games.Game{{Rules: g, Engine: search.Generic(g)}}
	games.All[0].Painter = imaging.Plain(sample.Key, 400, 300, func(d *imaging.Drawing, p *sample.Position) {
		d.SetColor(d.Theme.Neutral)
		d.DrawCircle(100, 100, float64(p.Hash()%90))
		d.Fill()
	})
}

// A program with a later version of a game's rules verifies, rates and draws
// matches of an earlier one.
func TestEarlierRules(t *testing.T) {
	hostSample(t, sample.V1)
	file := filepath.Join(t.TempDir(), "castellan.db")
	must(t, newDatabase(t, file).Close())

	hostSample(t, sample.Game{})
	ok := func(args ...string) {
		t.Helper()
		if got := castellan(t, args...); got.Code != cli.ExitOK {
			t.Errorf("%v: exit code %d: %s", args, got.Code, got.Errs)
		}
	}
	ok("verify", "--db", file)
	ok("ratings", "rebuild", "--db", file, "--check")
	ok("ratings", "rebuild", "--db", file)

	picture := filepath.Join(t.TempDir(), "a.png")
	draw := func(args ...string) string {
		t.Helper()
		out := filepath.Join(t.TempDir(), "a.png")
		ok(append([]string{"render", "--out", out}, args...)...)
		return out
	}
	record := recordFile(t, "Castellan record 1\nGame: sample\nRules: 1\nOptions: piles=1 counters=4 limit=2\n\n1. blue: a2 end\n2. red: a1 end\n")
	byRecord := draw("--record", record)
	byTurns := draw("--game", sample.Key, "--rules", "1", "-o", "piles=1", "-o", "counters=4", "-o", "limit=2", "--turns", "a2 end a1 end")
	newest := draw("--game", sample.Key, "-o", "piles=1", "-o", "counters=4", "-o", "most=2", "--turns", "a2 end a1 end")
	if differ(t, byRecord, byTurns) {
		t.Error("the picture of the record differs")
	}
	if !differ(t, byRecord, newest) {
		t.Error("the version of the rules makes no difference")
	}
	castellan(t, "render", "--out", picture, "--game", sample.Key, "--rules", "3").
		Refused(t, cli.ExitUsage, "no version 3 of the rules of sample")
	castellan(t, "render", "--out", picture, "--record", record, "--rules", "1").
		Refused(t, cli.ExitUsage, "--rules go with --game")
}

// A database is moved to PostgreSQL and back; commands that take a URL work there.
func TestMigrate(t *testing.T) {
	folder := t.TempDir()
	file, back := filepath.Join(folder, "castellan.db"), filepath.Join(folder, "back.db")
	store := newDatabase(t, file)
	url := pgtest.Database(t)
	say := func(want string, args ...string) {
		t.Helper()
		got := castellan(t, args...)
		if got.Code != cli.ExitOK || !regexp.MustCompile(want).MatchString(got.Out) {
			t.Errorf("%s: %+v, want %s", args, got, want)
		}
	}
	for _, secret := range []string{strings.Replace(url, "castellan@", "castellan:secret@", 1), url + "&password=secret"} {
		for _, args := range [][]string{{"migrate", "--from", file, "--to", secret}, {"verify", "--db=" + secret}, {"jobs", "--db", secret}} {
			got := castellan(t, args...)
			if got.Refused(t, cli.ExitUsage, "PGPASSWORD"); strings.Contains(got.Out+got.Errs, "secret") {
				t.Errorf("%s: %+v", args, got)
			}
		}
	}
	castellan(t, "migrate", "--from", file, "--to", url).Refused(t, cli.ExitError, file, "in use")
	must(t, store.Close())
	castellan(t, "migrate", "--from", file, "--to", "postgres://castellan@database.example/db").Refused(t, cli.ExitError, "sslmode=verify-full")
	say(`rows in \d+ tables would be copied`, "migrate", "--from", file, "--to", url, "--dry-run")
	castellan(t, "verify", "--db", url).Refused(t, cli.ExitError, "empty")
	say(`^`+regexp.QuoteMeta(file)+`: \d+ rows in \d+ tables copied to `+regexp.QuoteMeta(url), "migrate", "--from", file, "--to", url)
	castellan(t, "migrate", "--from", file, "--to", url).Refused(t, cli.ExitError, "not empty")
	say(`^`+regexp.QuoteMeta(url)+`: 4 matches, 1 ended, with \d+ entries; all replay as recorded\n$`, "verify", "--db", url)
	say("nothing differs", "ratings", "rebuild", "--check", "--db", url)
	say("nothing differs", "ratings", "rebuild", "--db", url)
	castellan(t, "backup", "--db", url, back).Refused(t, cli.ExitUsage, "pg_dump")

	say("copied to", "migrate", "--from", url, "--to", back)
	say("4 matches, 1 ended", "verify", "--db", back)

	// A match whose log was altered stays stopped.
	db, err := sql.Open("sqlite", back)
	must(t, err)
	_, err = db.Exec("DROP TRIGGER entries_never_change; UPDATE entries SET text = 'x' WHERE match_id = 2 AND seq = 1")
	must(t, errors.Join(err, db.Close()))
	got := castellan(t, "migrate", "--from", back, "--to", pgtest.Database(t))
	if got.Code != cli.ExitOK || !strings.Contains(got.Errs, "match 2 stays stopped: entry 1") {
		t.Errorf("%+v", got)
	}
}
