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
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/imaging"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// newDatabase creates a database with a match of every game, of which the first
// has ended by resignation, and leaves it open.
func newDatabase(t *testing.T, file string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), file)
	must(t, err)
	t.Cleanup(func() { store.Close() })
	known, err := registry()
	must(t, err)
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
		must(t, err)
		_, v, err := h.Accept(t.Context(), by(ben), ch.ID)
		must(t, err)
		for range 3 {
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
	if got.code != exitOK || got.errs != "" || !want.MatchString(got.out) {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{file, to} {
		got := castellan(t, "verify", "--db", name)
		want := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `: 4 matches, 1 ended, with \d+ entries; all replay as recorded\n$`)
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
			tx.Append(4, m.Seq, []storage.Entry{{Seq: m.Seq + 1, Kind: "action", Seat: 1, Text: "up and away", At: at}}),
			tx.EndMatch(3, "rules", at),
		)
	})
	must(t, err)
	before, err := os.ReadFile(file + "-wal")
	must(t, err)
	got := castellan(t, "verify", "--db", file)
	lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
	if got.code != exitError || len(lines) != 3 || !strings.Contains(got.errs, "2 matches that cannot be replayed") {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"match 3 (" + keys()[2] + "): it is recorded as ended (rules)", "match 4 (" + keys()[3] + "): entry ", "4 matches, 2 ended"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}

	got = castellan(t, "verify", "--db", file, "--json")
	var f verifyReport
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
	if got.code != exitError || !strings.HasPrefix(got.out, "damage: ") || !strings.Contains(got.errs, "restore a backup") {
		t.Errorf("%+v", got)
	}
	got = castellan(t, "verify", "--db", file, "--json")
	var f verifyReport
	if err := json.Unmarshal([]byte(got.out), &f); err != nil || f.OK || len(f.Damage) == 0 {
		t.Errorf("%+v (%v)", f, err)
	}
}

// The database commands in docs/operating.md work as written.
func TestOperatingExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/operating.md")
	must(t, err)
	examples := regexp.MustCompile(`(?m)^    castellan ((?:backup|verify|ratings) .*)$`).FindAllSubmatch(page, -1)
	if len(examples) < 2 {
		t.Fatal("there are no examples")
	}
	t.Chdir(t.TempDir())
	newDatabase(t, "castellan.db")
	must(t, os.Mkdir("backups", 0o755))
	for _, e := range examples {
		if got := castellan(t, strings.Fields(string(e[1]))...); got.code != exitOK || got.errs != "" {
			t.Errorf("%s: %+v", e[0], got)
		}
	}
}

func TestRatingsRebuild(t *testing.T) {
	file := filepath.Join(t.TempDir(), "castellan.db")
	store := newDatabase(t, file)
	rebuild := func(flags string, code int, words ...string) {
		t.Helper()
		got := castellan(t, append([]string{"ratings", "rebuild", "--db", file}, strings.Fields(flags)...)...)
		for _, w := range words {
			if got.code != code || !strings.Contains(got.out+got.errs, w) {
				t.Errorf("%s: %+v does not say %q with exit code %d", flags, got, w, code)
			}
		}
	}
	rebuild("--check", exitOK, "1 match ended, 1 of them rated, 2 ratings; nothing differs") // while it is open
	rebuild("", exitError, "in use by another program")
	must(t, store.Update(t.Context(), func(tx storage.Tx) error { return tx.DeleteRatings() }))
	must(t, store.Close())
	rebuild("--check", exitError, "match 1: it changes 2 ratings, stored are 0", "3 differences", "ratings rebuild --db")
	rebuild("--check", exitError, "3 differences")
	rebuild("", exitOK, "3 differences corrected")
	rebuild("", exitOK, "nothing differs")
	rebuild("--check", exitOK, "nothing differs")

	db, err := sql.Open("sqlite", file)
	must(t, err)
	_, err = db.Exec("UPDATE ratings SET mean = mean + 1 WHERE person = '1'")
	must(t, err)
	must(t, db.Close())
	rebuild("--check", exitError, "1 difference\n", "1 difference in the ratings of")
}

func TestRatingsRebuildNoDatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.db")
	castellan(t, "ratings", "rebuild", "--db", file).refusal(t, exitError, "none.db")
	castellan(t, "ratings", "rebuild", "--db", file, "--check").refusal(t, exitError, "none.db")
	if _, err := os.Stat(file); err == nil {
		t.Error("the command created a database")
	}
}

// hostSample makes a version of the sample game the only game for a test.
func hostSample(t *testing.T, g sample.Game) {
	t.Helper()
	all := games
	t.Cleanup(func() { games = all })
	games = slices.Clone(games[:1])
	games[0].rules, games[0].engine = g, search.Generic(g)
	games[0].painter = imaging.Plain(sample.Key, 400, 300, func(d *imaging.Drawing, p *sample.Position) {
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
		if got := castellan(t, args...); got.code != exitOK {
			t.Errorf("%v: exit code %d: %s", args, got.code, got.errs)
		}
	}
	ok("verify", "--db", file)
	ok("ratings", "rebuild", "--db", file, "--check")
	ok("ratings", "rebuild", "--db", file)
	ok("arena", "--game", sample.Key, "--players", "random,greedy", "--games", "2", "--openings", "0")

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
		refusal(t, exitUsage, "no version 3 of the rules of sample")
	castellan(t, "render", "--out", picture, "--record", record, "--rules", "1").
		refusal(t, exitUsage, "--rules go with --game")
}
