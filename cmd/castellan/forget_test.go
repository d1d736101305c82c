package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"castellan/cmd/internal/cli"
	"castellan/storage"
)

// castellan forget says what is stored about a person and, with the bot stopped,
// deletes it as /privacy does.
func TestForget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "castellan.db")
	store := newDatabase(t, file)
	must(t, store.Update(t.Context(), func(tx storage.Tx) error {
		return tx.SetBlock(storage.Block{Person: "1", Blocked: storage.Person{ID: "3", Name: "Chloe"}, At: clockOf(store)()})
	}))
	forget := func(want string, flags ...string) {
		t.Helper()
		got := castellan(t, append([]string{"forget", "--db", file}, flags...)...)
		if got.Code != cli.ExitOK || got.Errs != "" || !regexp.MustCompile(want).MatchString(got.Out) {
			t.Errorf("%v: %+v, want %s", flags, got, want)
		}
	}
	refuse := func(code int, person string, parts ...string) {
		t.Helper()
		castellan(t, "forget", "--db", file, person).Refused(t, code, parts...)
	}
	const kept = `(?s)^blocks: 1 row\n.*seats: 4 rows\n.*1: 3 matches running, 1 ended, 0 open challenges; `
	forget(kept+"nothing was changed\n$", "--dry-run", "1") // while the bot runs
	refuse(cli.ExitError, "1", "in use by another program")
	refuse(cli.ExitUsage, "Anna", "Anna", "a number")
	must(t, store.Close())
	forget(kept+"nothing was changed\n$", "--dry-run", "1")
	forget(kept+"deleted", "1")
	forget("^1: 0 matches running, 0 ended, 0 open challenges; nothing was stored", "1")
	forget("2: 0 matches running, 4 ended, ", "--dry-run", "2") // the opponent keeps the results
	if got := castellan(t, "verify", "--db", file); got.Code != cli.ExitOK || !strings.Contains(got.Out, "4 matches, 4 ended") {
		t.Errorf("%+v", got)
	}
	data, err := os.ReadFile(file)
	must(t, err)
	for _, name := range []string{"Anna", "Chloe"} {
		if bytes.Contains(data, []byte(name)) {
			t.Errorf("the database still names %s", name)
		}
	}
	file = filepath.Join(t.TempDir(), "none.db")
	refuse(cli.ExitError, "1", "none.db")
}

// castellan audit prints what operators did, also from a database that is in use.
func TestAudit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "castellan.db")
	store := newDatabase(t, file)
	defer store.Close()
	must(t, store.Update(t.Context(), func(tx storage.Tx) error {
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		return errors.Join(
			tx.AddAct(storage.Act{At: at, Operator: "1", Kind: storage.ActBan, Target: "7", Note: "spam"}),
			tx.AddAct(storage.Act{At: at.AddDate(0, 0, 1), Operator: "1", Kind: storage.ActStatistics}),
			tx.AddAct(storage.Act{At: at, Guild: "5", Operator: "2", Kind: storage.ActVoid, Target: storage.MatchTarget(3)}))
	}))
	for _, tt := range []struct {
		flags []string
		want  string
	}{
		{nil, "2026-03-01T12:00:00Z  1  ban  7  spam\n2026-03-02T12:00:00Z  1  statistics\n"},
		{[]string{"--since", "2026-03-02"}, "2026-03-02T12:00:00Z  1  statistics\n"},
		{[]string{"--since", "2026-03-03"}, ""},
		{[]string{"--server", "5"}, "2026-03-01T12:00:00Z  2  void  match 3\n"},
		{[]string{"--since", "2026-03-02", "--json"}, "{\n  \"at\": \"2026-03-02T12:00:00Z\",\n  \"operator\": \"1\",\n  \"kind\": \"statistics\"\n}\n"},
	} {
		if got := castellan(t, append([]string{"audit", "--db", file}, tt.flags...)...); got.Code != cli.ExitOK || got.Out != tt.want {
			t.Errorf("%v: %+v", tt.flags, got)
		}
	}
	castellan(t, "audit", "--db", file, "--since", "yesterday").Refused(t, cli.ExitUsage, "since")
}
