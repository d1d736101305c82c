package main

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"castellan/storage"
)

// Ratings that are stored wrongly are found, put right, and found to be right.
func TestRatingsRebuild(t *testing.T) {
	file := filepath.Join(t.TempDir(), "castellan.db")
	store := played(t, file)
	check := func(what string, code int, words ...string) {
		t.Helper()
		var out, errs strings.Builder
		args := append([]string{"ratings", "rebuild", "--db", file}, strings.Fields(what)...)
		if got := run(t.Context(), args, &out, &errs); got != code {
			t.Errorf("%v: exit code %d, want %d: %s", args, got, code, errs.String())
		}
		for _, w := range words {
			if all := out.String() + errs.String(); !strings.Contains(all, w) {
				t.Errorf("%v does not say %q:\n%s", args, w, all)
			}
		}
	}
	check("--check", exitOK, "1 match that ended, 1 of them rated, 2 ratings; nothing differs") // while it is open
	check("", exitError, "in use by another program")
	if err := store.Update(context.Background(), func(tx storage.Tx) error { return tx.DeleteRatings() }); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	check("--check", exitError, "match 1: it changes 2 ratings, stored are 0", "3 differences", "ratings rebuild --db")
	check("--check", exitError, "3 differences")
	check("", exitOK, "3 differences put right")
	check("", exitOK, "nothing differs")
	check("--check", exitOK, "nothing differs")

	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE ratings SET mean = mean + 1 WHERE person = '1'"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	check("--check", exitError, "1 difference\n", "1 thing is stored wrongly")
}

// A name that is no database makes none.
func TestRatingsRebuildMakesNoDatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.db")
	for _, args := range [][]string{{}, {"--check"}} {
		var out, errs strings.Builder
		if code := run(t.Context(), append([]string{"ratings", "rebuild", "--db", file}, args...), &out, &errs); code != exitError || !strings.Contains(errs.String(), "none.db") {
			t.Errorf("exit code %d: %s", code, errs.String())
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("there is a database now")
		}
	}
}
