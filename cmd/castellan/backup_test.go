package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// played makes a database with a match of every game, the first of which has
// been given up, and leaves it open.
func played(t *testing.T, file string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	known, err := registry()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	h := host.New(host.Config{Store: store, Games: known, Now: func() time.Time { return at }, Seed: func() uint64 { return 4 }})
	n := 0
	by := func(p storage.Person) host.Actor {
		n++
		return host.Actor{Person: p, Interaction: fmt.Sprint("i", n)}
	}
	anna, ben := storage.Person{ID: "1", Name: "Anna"}, storage.Person{ID: "2", Name: "Ben"}
	for i, game := range keys() {
		ch, err := h.CreateChallenge(t.Context(), by(anna), host.Proposal{Opponents: []storage.Person{ben}, Game: game, First: host.FirstMe})
		if err != nil {
			t.Fatal(err)
		}
		_, v, err := h.Accept(t.Context(), by(ben), ch.ID)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			p, _ := v.ToMove()
			if v, err = h.Act(t.Context(), by(p), v.Record.ID, host.AnySeq, v.Match.Position().Legal()[0].String()); err != nil {
				t.Fatal(err)
			}
		}
		if i == 0 {
			p, _ := v.ToMove()
			if _, err := h.Resign(t.Context(), by(p), v.Record.ID, host.AnySeq); err != nil {
				t.Fatal(err)
			}
		}
	}
	return store
}

// A backup of a database that is in use is verified, and found to be in order,
// as is the database.
func TestBackupAndVerify(t *testing.T) {
	folder := t.TempDir()
	file, to := filepath.Join(folder, "castellan.db"), filepath.Join(folder, "copy.db")
	played(t, file)
	got := castellan(t, "backup", "--db", file, to)
	want := regexp.MustCompile(`^` + regexp.QuoteMeta(to) + `: \d+ bytes, 4 matches with \d+ entries, in \S+\n$`)
	if got.code != exitOK || got.errs != "" || !want.MatchString(got.out) {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{file, to} {
		got := castellan(t, "verify", "--db", name)
		want := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `: 4 matches, 1 ended, with \d+ entries; all rebuild\n$`)
		if got.code != exitOK || got.errs != "" || !want.MatchString(got.out) {
			t.Errorf("%+v", got)
		}
	}
	castellan(t, "backup", "--db", file, to).refusal(t, exitUsage, to, "--force")
	if got := castellan(t, "backup", "--db", file, "--force", to); got.code != exitOK {
		t.Errorf("%+v", got)
	}
	castellan(t, "backup", "--db", to, "--force", file).refusal(t, exitError, file, "in use")
	castellan(t, "backup", "--db", file, filepath.Join(folder, "missing", "copy.db")).refusal(t, exitError, "missing", "does not exist")
	castellan(t, "backup", "--db", filepath.Join(folder, "no.db"), filepath.Join(folder, "x.db")).refusal(t, exitError, "no.db", "no such file")
	castellan(t, "verify", "--db", filepath.Join(folder, "no.db")).refusal(t, exitError, "no.db", "no such file")
	castellan(t, "verify", "--db", sqlite.Memory).refusal(t, exitError, "name a file")
}

// What does not rebuild is reported, each match on its line, and as JSON.
func TestVerifyReports(t *testing.T) {
	file := filepath.Join(t.TempDir(), "castellan.db")
	store := played(t, file)
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		m, err := tx.Match(4)
		if err != nil {
			return err
		}
		at := time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC)
		return errors.Join(
			tx.Append(4, m.Seq, []storage.Entry{{Seq: m.Seq + 1, Kind: "action", Seat: 1, Text: "up and away", At: at}}),
			tx.EndMatch(3, "rules", at),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	got := castellan(t, "verify", "--db", file)
	lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
	if got.code != exitError || len(lines) != 3 || !strings.Contains(got.errs, "2 matches that cannot be rebuilt") {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"match 3 (" + keys()[2] + "): it is recorded as ended (rules)", "match 4 (" + keys()[3] + "): entry ", "4 matches, 2 ended"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}

	got = castellan(t, "verify", "--db", file, "--json")
	var f findings
	if err := json.Unmarshal([]byte(got.out), &f); err != nil {
		t.Fatal(err)
	}
	if got.code != exitError || f.OK || !f.Complete || f.Matches != 4 || f.Ended != 2 || len(f.Damage) != 0 ||
		len(f.Faults) != 2 || f.Faults[0].Match != 3 || f.Faults[1].Game != keys()[3] || len(f.Faults[1].Reasons) == 0 || f.Database != file {
		t.Errorf("%+v of\n%s", f, got.out)
	}
	if after, err := os.ReadFile(file + "-wal"); err != nil || !reflect.DeepEqual(after, before) {
		t.Errorf("the database has changed (%v)", err)
	}
}

// Of a damaged file it says that, and what of it could be read.
func TestVerifyReportsDamage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "castellan.db")
	if err := played(t, file).Close(); err != nil {
		t.Fatal(err)
	}
	// Where the log is kept: without the schema nothing could be read at all.
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	var root, size int
	err = errors.Join(
		db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'").Scan(&root),
		db.QueryRow("PRAGMA page_size").Scan(&size), db.Close())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := (root - 1) * size; i < root*size; i++ {
		data[i] = 0xa5
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	got := castellan(t, "verify", "--db", file)
	if got.code != exitError || !strings.HasPrefix(got.out, "damage: ") || !strings.Contains(got.errs, "put a backup in its place") {
		t.Errorf("%+v", got)
	}
	got = castellan(t, "verify", "--db", file, "--json")
	var f findings
	if err := json.Unmarshal([]byte(got.out), &f); err != nil || f.OK || len(f.Damage) == 0 {
		t.Errorf("%+v (%v)", f, err)
	}
}

// The commands that operators are shown about databases work as they stand.
func TestExamplesForOperators(t *testing.T) {
	page, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile(`(?m)^    castellan ((?:backup|verify|ratings) .*)$`).FindAllSubmatch(page, -1)
	if len(examples) < 2 {
		t.Fatal("there are no examples")
	}
	t.Chdir(t.TempDir())
	played(t, "castellan.db")
	if err := os.Mkdir("backups", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		if got := castellan(t, strings.Fields(string(e[1]))...); got.code != exitOK || got.errs != "" {
			t.Errorf("%s: %+v", e[0], got)
		}
	}
}
