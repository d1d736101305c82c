package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/clitest"
	"castellan/cmd/lab/internal/load"
)

func buildCastellan(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "castellan")
	if out, err := exec.Command("go", "build", "-o", file, "castellan/cmd/castellan").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

// A small crowd plays against the bot, by HTTP too, and against the one that only
// acknowledges. Every interaction is answered, and the result is a JSON object. Then
// people play the computer, and in some channels the bot may no longer post: people go
// on to use it, and Discord refuses hardly anything.
func TestLoad(t *testing.T) {
	t.Setenv(clitest.Self, "yes")
	castellan := buildCastellan(t)
	measure := func(args ...string) (r load.Report) {
		t.Helper()
		got := lab(t, append([]string{"load", "--json", "--castellan", castellan}, args...)...)
		if got.Code != cli.ExitOK {
			t.Fatalf("exit %d: %s", got.Code, got.Errs)
		}
		if err := json.Unmarshal([]byte(got.Out), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := measure("--http", "--rate", "90", "--interactions", "90", "--tables", "3", "--seed", "7")
	if r.Acknowledging == nil || r.HTTP == nil {
		t.Fatal("no comparison")
	}
	for name, f := range map[string]load.Figures{"castellan": r.Castellan, "by HTTP": *r.HTTP, "acknowledging": *r.Acknowledging} {
		if f.Interactions != 90 || f.Lost != 0 || f.All.Answered != 90 || f.All.P50 <= 0 || f.All.P99 < f.All.P50 || f.All.Max < f.All.P99 {
			t.Errorf("%s: %+v", name, f)
		}
		for _, kind := range []load.Kind{load.Command, load.Click, load.Suggest} {
			// The numbers of each kind depend on how soon boards are posted.
			if ours, theirs := r.Castellan.By[kind].Answered, f.By[kind].Answered; ours != theirs && name == "acknowledging" {
				t.Errorf("%s: %d of kind %s, where castellan had %d", name, theirs, kind, ours)
			}
		}
	}
	if r.Castellan.Posts == 0 {
		t.Error("nobody played")
	}
	if n := len(r.Memory); n != 1 || r.Memory[0].Interactions != 90 || r.Memory[0].Heap < 1<<20 || r.Memory[0].Resident < r.Memory[0].Heap {
		t.Errorf("memory %+v", r.Memory)
	}
	all := 0
	for _, n := range r.Outcomes {
		all += n
	}
	if all != 90 || r.Outcomes["failed"]+r.Outcomes["unknown"] > 0 {
		t.Errorf("outcomes %v", r.Outcomes)
	}

	r = measure("--no-compare", "--rate", "30", "--interactions", "120", "--tables", "5", "--alone", "2", "--level", "newcomer", "--blocked", "1")
	if r.Castellan.Lost != 0 || r.Castellan.Worst > 1 || r.Castellan.Invalid > 1 || r.Castellan.Posts == 0 {
		t.Errorf("%+v", r.Castellan)
	}
	if n := r.Thoughts; n.Turns < 3 || n.Seconds <= 0 || n.Replies == 0 || n.ReplyP95 < n.ReplyP50 {
		t.Errorf("%+v", n)
	}
	for _, part := range []string{"castellan run", "p99", "resident", "by its own metrics: ", "the computer played"} {
		if !strings.Contains(r.String(), part) {
			t.Errorf("the table does not say %q:\n%s", part, r)
		}
	}
}

func TestLoadUsage(t *testing.T) {
	for arg, part := range map[string]string{
		"--rate=0": "--rate is 1 to 5000", "--rate=nan": "--rate is 1 to 5000", "--seconds=-1": "there must be 1 to 10000000 interactions",
		"--interactions=100000000": "there must be 1 to 10000000 interactions", "--tables=0": "--tables is 1 to 400", "--game=rings": "a two-player game",
		"--alone=101": "--alone is 0 to 100", "--level=wizard": "--level is one of newcomer",
	} {
		lab(t, "load", arg).Refused(t, cli.ExitUsage, part)
	}
}
